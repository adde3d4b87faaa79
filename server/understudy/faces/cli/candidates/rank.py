"""`understudy rank`: which of many patches is the best?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import ask_if_hosted
from understudy.faces.cli.candidates.accept_best import Condition, accept_best, refuse_early
from understudy.faces.cli.check import ScopeOption, SeverityOption
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import say
from understudy.values.errors import BadInput
from understudy.values.json_input import read_json
from understudy.values.texts import MAX_TEXT_BYTES

_TIMEOUT_S = 300.0
"""Of one check: several of them wait for one server."""


class _Format(str, Enum):
    text = "text"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"


PatchesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATCH|ID]...", help="Diffs, one a candidate, or kept branches."),
]
RowsOption = Annotated[
    Path | None,
    typer.Option(
        "--jsonl", metavar="FILE", readable=False,
        help='Candidates as rows {"id", "patch"} of JSON, or predictions of SWE-bench.',
    ),
]  # fmt: skip
BranchesOption = Annotated[
    bool, typer.Option("--branches", help="The candidates are kept branches, by their ids.")
]
FormatOption = Annotated[
    _Format, typer.Option("--format", help="A table, JSON, a JSON row each, or Markdown.")
]
ServerOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Ask only this server (repeatable).")
]
TimeoutOption = Annotated[
    float, typer.Option(metavar="S", help="Time limit of each check, in seconds.")
]
AcceptOption = Annotated[
    Condition | None,
    typer.Option(
        "--accept-best",
        help="Write the best one into the folder if it is clean, or clean and tested.",
    ),
]
TestTimeoutOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time limit of each test run (default: 600).")
]


def rank(
    ctx: typer.Context,
    patches: PatchesArgument = None,
    jsonl: RowsOption = None,
    branches: BranchesOption = False,
    root: common.RootOption = Path(),
    output: FormatOption = _Format.text,
    scope: ScopeOption = None,
    severity: SeverityOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = _TIMEOUT_S,
    test_timeout: TestTimeoutOption = None,
    accept: AcceptOption = None,
    trust: common.TrustOption = False,
) -> None:
    """Judge many patches for one task beside each other, and print them best first.

    The cheap questions come first: does it apply, does it say the same as another, what does it
    introduce. With a TEST COMMAND those that can still win are tested on private copies; in it
    `{tests}` stands for the files of tests that can run the change. The folder is not touched.

    Compared in turn: applies, fewer broken tests, fewer introduced findings, judged in full, more
    mended tests, fewer milder findings, more that say the same, fewer changed lines, the name.

    Exit codes: 0 ranked, 1 the best one is not accepted, 2 bad input, 3 the best one is unknown or
    refused, 4 a failure of our own, 130 interrupted.

    Example: understudy rank a.diff b.diff c.diff -- pytest -q -rA {tests}
    """
    errors = common.OutputFormat.text
    if output in (_Format.json, _Format.jsonl):
        errors = common.OutputFormat.json
    with common.answering(errors):
        named = patches or []
        given = [{"branch": one} for one in named] if branches else [*_of_patches(named)]
        given += _of_rows(jsonl)
        params: dict[str, Any] = {
            "candidates": given,
            "scope": None if scope is None else scope.value,
            "severity": None if severity is None else severity.value,
            "servers": tuple(server or ()),
            "timeout": timeout,
            "command": tuple(ctx.meta.get("command", ())),
            "test_timeout": test_timeout,
            "environ": dict(os.environ),
        }
        if "command" in ctx.meta and not params["command"]:
            raise BadInput("no-command", "put the test command behind `--`, as in `-- pytest -q`")
        refuse_early(accept, params["command"])
        found = _answer(root, params, kept=branches, trust=trust)
        _print(found, output)
        best = found["candidates"][0]
        if accept is not None:
            one = next(one for one in given if best["id"] in (one.get("id"), one.get("branch")))
            raise typer.Exit(
                common.CLEAN if accept_best(root, best, one, accept) else common.FINDINGS
            )
    no_best = best["verdict"] in ("unknown", "refused")
    raise typer.Exit(common.UNKNOWN if no_best else common.CLEAN)


def _answer(root: Path, params: dict[str, Any], *, kept: bool, trust: bool) -> dict[str, Any]:
    """By the folder's host where one runs, else here; branches are their host's."""
    from understudy.workspace.progress import Audience

    with terminal_progress() as progress:
        audience = Audience(progress)
        if kept:
            from understudy.faces.hosting.link import ask_host

            return common.run(lambda: ask_host(root, "rank", params, audience))
        found = None if trust else ask_if_hosted(root, "rank", params, audience)
        if found is not None:
            return found
        from understudy.app.rank.alone import rank_alone
        from understudy.faces.answers.rank import ranking_json
        from understudy.faces.answers.sound_json import sound
        from understudy.faces.calls.candidates.rank import rank_question
        from understudy.faces.params.calls import Rank

        question = rank_question(Rank(**params))
        ranking = common.run(lambda: rank_alone(root, question, trust=trust, progress=progress))
        return sound(ranking_json(ranking))


def _print(found: dict[str, Any], output: _Format) -> None:
    if output is _Format.json:
        say(json_line(found, indent=1))
        return
    if output is _Format.jsonl:
        for row in found["candidates"]:
            say(json_line(row))
        return
    from understudy.faces.answers.rank import ranking_markdown, ranking_text

    say((ranking_text if output is _Format.text else ranking_markdown)(found), end="")


def _of_patches(paths: list[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            text = f"cannot read it: {error.strerror}"
            raise BadInput("no-such-file", text, path) from error
        if len(data) > MAX_TEXT_BYTES:
            yield _refused(path, "too-large", f"{len(data)} bytes, at most {MAX_TEXT_BYTES}")
        else:
            yield _candidate(path, data.decode("utf-8", "surrogateescape"))


def _of_rows(file: Path | None) -> Iterator[dict[str, Any]]:
    """The candidates of a file of rows; what is no row ends it, what is no patch is refused."""
    if file is None:
        return
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise BadInput("no-such-file", f"cannot read it: {error.strerror}", str(file)) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        row = read_json(line.decode("utf-8", "surrogateescape"), where)
        if not isinstance(row, dict):
            raise BadInput("bad-row", "expected an object with `id` and `patch`", where)
        yield _of_row(cast("dict[str, Any]", row), str(number))


def _of_row(row: dict[str, Any], number: str) -> dict[str, Any]:
    names = (row.get(name) for name in ("id", "model_name_or_path"))
    name = next((name for name in names if isinstance(name, str) and name), number)
    patch = row.get("patch", row.get("model_patch"))
    if not isinstance(patch, str):
        return _refused(name, "bad-row", "it has no `patch` (or `model_patch`) that is a text")
    return _candidate(name, patch)


def _candidate(name: str, patch: str) -> dict[str, Any]:
    if not patch.strip():
        return _refused(name, "no-edits", "the patch is empty")
    return {"id": name, "edits": [{"kind": "diff", "text": patch}]}


def _refused(name: str, code: str, text: str) -> dict[str, Any]:
    return {"id": name, "refused": {"code": code, "text": text}}
