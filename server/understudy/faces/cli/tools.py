"""`understudy tools …`: the tools of the MCP servers that the folder defines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput
from understudy.values.printable import printable

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The tools of the folder's MCP servers (.vscode/mcp.json, .mcp.json), as files.",
)

ServersArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[SERVER]...", help="These only.")
]


@app.command("list")
def list_servers(
    root: common.RootOption = Path(), output: common.FormatOption = common.OutputFormat.text
) -> None:
    """Print the servers and how they are; none is started.

    Exit codes: 0 done, 2 bad input, 4 a failure.
    """
    with common.answering(output):
        _print_servers(_ask(root, "list", {}), output)


@app.command("sync")
def sync(
    servers: ServersArgument = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """List the tools of allowed servers now, and write them into the folder of contexts.

    Exit codes: 0 done, whatever the servers answered; 2 bad input, 4 a failure.
    """
    with common.answering(output):
        _print_servers(_ask(root, "sync", {"servers": servers or []}), output)


@app.command("allow")
def allow(
    servers: Annotated[list[str], typer.Argument(metavar="SERVER...", help="Their names.")],
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    no: Annotated[bool, typer.Option("--no", help="No longer.")] = False,
) -> None:
    """Allow servers, as they are defined now, to be started, and agents to call their tools.

    The folder must be trusted, too. Exit codes: 0 done, 2 bad input, 4 a failure.
    """
    with common.answering(output):
        _print_servers(_ask(root, "allow", {"servers": servers, "allowed": not no}), output)


@app.command("call")
def call(
    tool: Annotated[str, typer.Argument(metavar="SERVER/TOOL", help="As `mcp/INDEX.md` has it.")],
    arguments: Annotated[str, typer.Argument(metavar="[JSON]", help="What the tool takes.")] = "{}",
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", help="Time limit (default 120).")
    ] = None,
) -> None:
    """Call a tool of an allowed server; its result is kept, and printed whole or in part.

    Exit codes: 0 done, 1 the tool says that it failed, 2 bad input, 4 a failure.
    """
    with common.answering(output):
        params = {"tool": tool, "arguments": _table(arguments), "timeout": timeout}
        answer = _ask(root, "call", params)
        if output is common.OutputFormat.json:
            say(json_line(answer))
        else:
            say(answer["text"], end="" if answer["text"].endswith("\n") else "\n")
        if answer["failed"]:
            raise typer.Exit(common.FINDINGS)


def _ask(root: Path, what: str, params: dict[str, Any]) -> dict[str, Any]:
    from understudy.faces.hosting.link import ask_host

    return common.run(lambda: ask_host(root, f"mcp/{what}", params))


def _table(text: str) -> dict[str, Any]:
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("bad-params", f"not JSON: {error}", "JSON") from error
    if not isinstance(raw, dict):
        raise BadInput("bad-params", "expected a JSON object", "JSON")
    return cast("dict[str, Any]", raw)


def _print_servers(answer: dict[str, Any], output: common.OutputFormat) -> None:
    if output is common.OutputFormat.json:
        say(json_line(answer))
        return
    for server in cast("Sequence[dict[str, Any]]", answer["servers"]):
        hint = f": {server['hint']}" if server["hint"] else ""
        counted = f" ({server['tools']} tools)" if server["tools"] else ""
        say(printable(f"{server['name']}: {server['status']}{counted}{hint}"))
        say(printable(f"  {server['origin']}: {server['runs']}"))
        for problem in server["problems"]:
            say(printable(f"  {problem}"))
    for problem in answer["problems"]:
        complain(problem)
