"""`understudy check`: what would this patch break, or what has the working tree broken?"""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer

from understudy.faces.answers.sound_json import json_line, json_text
from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import check_attached
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput
from understudy.values.json_input import read_json
from understudy.values.texts import MAX_TEXT_BYTES

if TYPE_CHECKING:
    from understudy.app.check.asked import CheckAnswer
    from understudy.workspace.options import CheckOptions

_EXIT_CODES = {"clean": common.CLEAN, "findings": common.FINDINGS, "unknown": common.UNKNOWN}


class _Scope(str, Enum):
    edited = "edited"
    affected = "affected"
    workspace = "workspace"


class _Severity(str, Enum):
    error = "error"
    warning = "warning"
    information = "information"
    hint = "hint"


class _Format(str, Enum):
    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"
    hook = "hook"


_HOSTED = (_Format.text, _Format.json, _Format.hook)
"""What a host can print; the other formats are for CI, where there is none."""

PatchArgument = Annotated[
    str | None, typer.Argument(metavar="[PATCH|-]", help="A diff; `-` reads stdin.")
]
EditsOption = Annotated[
    Path | None,
    typer.Option(
        "--edits", metavar="FILE.json", help="A list of edits instead of a diff.", readable=False
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="Without a patch: what the working tree is compared with (default: HEAD); "
        "a branch means the commit where HEAD left it.",
    ),
]
FormatOption = Annotated[
    _Format,
    typer.Option(
        "--format",
        help="Text, JSON, GitHub annotations, SARIF 2.1.0, or what an agent's hook prints "
        "(all on stdout).",
    ),
]
AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="With --format hook: read an event of this agent's hooks from stdin and answer it.",
    ),
]
ScopeOption = Annotated[
    _Scope | None,
    typer.Option(help="Files judged: the edited, those it affects (default), or all."),
]
SeverityOption = Annotated[
    _Severity | None,
    typer.Option(help="Mildest finding that counts for the verdict (default: error)."),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="A file that no server judges makes it unknown.")
]
NoHostOption = Annotated[
    bool, typer.Option("--no-host", help="Ask no running host, and leave no servers running.")
]


def check(
    patch: PatchArgument = None,
    edits: EditsOption = None,
    base: BaseOption = None,
    root: common.RootOption = Path(),
    output: FormatOption = _Format.text,
    scope: ScopeOption = None,
    severity: SeverityOption = None,
    server: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Ask only this server (repeatable).")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 60).")
    ] = None,
    trust: common.TrustOption = False,
    strict: StrictOption = False,
    no_host: NoHostOption = False,
    agent: AgentOption = None,
) -> None:
    """Say what a patch would introduce, or (without one) what the working tree has introduced.

    A patch is applied to shadow copies; the folder itself is not touched, nor is .git. Without a
    patch, tracked changes and new files that git does not ignore are compared with --base.

    Where an editor or an agent has the folder open, its host judges, over the unsaved text. Else
    the servers stay for the next check, until none has come for 15 minutes (host_minutes).
    Real language servers judge the changed files and those that depend on them, before and after;
    silence is never taken for clean.

    Exit codes: 0 clean, 1 findings, 2 bad input or the patch does not apply, 3 unknown,
    4 a failure of our own, 130 interrupted.

    Examples: git diff HEAD...topic | understudy check - ; understudy check --base main
    """
    from understudy.workspace.options import CheckOptions

    options = CheckOptions(
        scope=scope.value if scope else None,
        severity=severity.value if severity else None,
        servers=tuple(server or ()),
        timeout_s=timeout,
        strict=strict,
    )
    errors = common.OutputFormat.json if output is _Format.json else common.OutputFormat.text
    with common.answering(errors):
        if agent is not None:
            _answer_agent(agent, output)
        raw = None
        if patch is not None or edits is not None:
            if base is not None:
                text = "--base is for the working tree; a patch is compared with the folder as is"
                raise BadInput("conflicting-options", text, base)
            raw = read_edits(patch, edits)
        if not no_host and output in _HOSTED:
            _ask_host(root, raw, base or "HEAD", options, output, trusts=trust)
        found = _alone(root, raw, base or "HEAD", options, trust=trust)
        code = _EXIT_CODES[found.checked.report.verdict]
        say(_formatted(found, output, root, code), end="")
        raise typer.Exit(code)


def _answer_agent(agent: str, output: _Format) -> NoReturn:
    from understudy.faces.cli.hook import answer_event

    if output is not _Format.hook:
        raise BadInput("conflicting-options", "--agent goes with --format hook", agent)
    answer_event(agent)
    raise typer.Exit(common.CLEAN)


def _ask_host(
    root: Path,
    raw: list[dict[str, Any]] | None,
    revision: str,
    options: CheckOptions,
    output: _Format,
    *,
    trusts: bool,
) -> None:
    """Let the folder's host answer, and exit with its code; return where none does."""
    answer = check_attached(root, raw, revision, options, output.value, trusts=trusts)
    if answer is not None:
        _say_compared(answer["compared"])
        say(answer["text"], end="")
        raise typer.Exit(_EXIT_CODES[answer["verdict"]])


def _say_compared(compared: str | None) -> None:
    if compared is not None:
        complain(f"compared with {compared}")


def _alone(
    root: Path,
    raw: list[dict[str, Any]] | None,
    revision: str,
    options: CheckOptions,
    *,
    trust: bool,
) -> CheckAnswer:
    from understudy.app.check.alone import check_alone
    from understudy.app.check.asked import CheckQuestion

    question = CheckQuestion(edits=raw, revision=revision if raw is None else None, options=options)
    with terminal_progress() as progress:
        found = common.run(lambda: check_alone(root, question, trust=trust, progress=progress))
    _say_compared(found.revision)
    return found


def _formatted(found: CheckAnswer, output: _Format, root: Path, code: int) -> str:
    checked = found.checked
    if output is _Format.json:
        from understudy.faces.answers.check import check_json

        return json_line(check_json(checked), indent=1) + "\n"
    if output is _Format.sarif:
        from understudy.faces.answers.report_sarif import check_sarif

        return json_text(check_sarif(checked, code), indent=1) + "\n"
    if output is _Format.github:
        from understudy.faces.answers.report_github import check_github

        return check_github(checked, root)
    if output is _Format.hook:
        from understudy.faces.answers.report_hook import check_hook

        return check_hook(checked, found.revision)
    from understudy.faces.answers.report_text import check_text

    return check_text(checked)


def read_edits(patch: str | None, edits: Path | None) -> list[dict[str, Any]]:
    """The edits as the contract's JSON list; a diff is a list of one."""
    if patch is not None and edits is not None:
        text = "give either a PATCH (or - for stdin) or --edits FILE.json"
        raise BadInput("conflicting-options", text)
    if edits is not None:
        try:
            raw = read_json(_read(edits.open("rb").read(), str(edits)), str(edits))
        except OSError as error:
            raise BadInput(
                "no-such-file", f"cannot read it: {error.strerror}", str(edits)
            ) from error
        if not isinstance(raw, list):
            raise BadInput("bad-edits", "the file must hold a JSON list of edits", str(edits))
        from understudy.edits.model import refuse_no_edits

        refuse_no_edits(cast("list[object]", raw), str(edits))
        return cast("list[dict[str, Any]]", raw)
    if patch == "-":
        return [{"kind": "diff", "text": _read(sys.stdin.buffer.read(), "stdin")}]
    assert patch is not None
    try:
        return [{"kind": "diff", "text": _read(Path(patch).read_bytes(), patch)}]
    except OSError as error:
        raise BadInput("no-such-file", f"cannot read it: {error.strerror}", patch) from error


def _read(data: bytes, where: str) -> str:
    if len(data) > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{len(data)} bytes, the limit is {MAX_TEXT_BYTES}", where)
    return data.decode("utf-8", "surrogateescape")
