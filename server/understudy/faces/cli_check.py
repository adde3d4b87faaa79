"""`understudy check`: what would this patch break, or what has the working tree broken?"""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from understudy.faces import cli_common as common
from understudy.faces.cli_attached import check_attached
from understudy.faces.cli_progress import terminal_progress
from understudy.faces.sound_json import json_line, sound
from understudy.values.errors import BadInput
from understudy.values.texts import MAX_TEXT_BYTES

if TYPE_CHECKING:
    from understudy.app.check import Checked
    from understudy.app.check_options import CheckOptions

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
        "a branch means its merge base with HEAD.",
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
ScopeOption = Annotated[
    _Scope | None,
    typer.Option(help="Files judged: the edited, those it affects (default), or all."),
]
SeverityOption = Annotated[
    _Severity | None,
    typer.Option(help="Mildest finding that counts for the verdict (default: error)."),
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
    strict: Annotated[
        bool, typer.Option("--strict", help="A file that no server judges makes it unknown.")
    ] = False,
) -> None:
    """Say what a patch would introduce, or (without one) what the working tree has introduced.

    A patch is applied to shadow copies; the folder itself is not touched, nor is .git. Without a
    patch, tracked changes and new files that git does not ignore are compared with --base.

    Where an editor or an agent has the folder open, its host judges, over the unsaved text.
    Real language servers judge the changed files and those that depend on them, before and after;
    silence is never taken for clean.

    Exit codes: 0 clean, 1 findings, 2 bad input or the patch does not apply, 3 unknown,
    4 a failure of our own, 130 interrupted.

    Examples: git diff HEAD...topic | understudy check - ; understudy check --base main
    """
    from understudy.app.check_options import CheckOptions

    options = CheckOptions(
        scope=scope.value if scope else None,
        severity=severity.value if severity else None,
        servers=tuple(server or ()),
        timeout_s=timeout,
        strict=strict,
    )
    errors = common.OutputFormat.json if output is _Format.json else common.OutputFormat.text
    with common.answering(errors):
        raw = None
        if patch is not None or edits is not None:
            if base is not None:
                text = "--base is for the working tree; a patch is compared with the folder as is"
                raise BadInput("conflicting-options", text, base)
            raw = read_edits(patch, edits)
        if not trust and output in _HOSTED:  # a host has its own trust
            _ask_host(root, raw, base or "HEAD", options, output)
        compared = None
        if raw is None:
            checked, compared = _of_worktree(root, base or "HEAD", options, trust=trust)
        else:
            checked = _of_edits(root, raw, options, trust=trust)
        code = _EXIT_CODES[checked.report.verdict]
        typer.echo(_formatted(checked, output, root, code, compared), nl=False)
        raise typer.Exit(code)


def _ask_host(
    root: Path,
    raw: list[dict[str, Any]] | None,
    revision: str,
    options: CheckOptions,
    output: _Format,
) -> None:
    """Let the folder's host answer, and exit with its code; return where none does."""
    answer = check_attached(root, raw, revision, options, output.value)
    if answer is not None:
        _say_compared(answer["compared"])
        typer.echo(answer["text"], nl=False)
        raise typer.Exit(_EXIT_CODES[answer["verdict"]])


def _say_compared(compared: str | None) -> None:
    if compared is not None:
        typer.echo(f"understudy: compared with {compared}", err=True)


def _of_edits(
    root: Path, raw: list[dict[str, Any]], options: CheckOptions, *, trust: bool
) -> Checked:
    from understudy.app.ephemeral import check_edits

    with terminal_progress() as progress:
        return common.run(lambda: check_edits(root, raw, options, trust=trust, progress=progress))


def _of_worktree(
    root: Path, base: str, options: CheckOptions, *, trust: bool
) -> tuple[Checked, str]:
    from understudy.app.ephemeral import check_worktree

    with terminal_progress() as progress:
        checked, compared = common.run(
            lambda: check_worktree(root, base, options, trust=trust, progress=progress)
        )
    _say_compared(compared)
    return checked, compared


def _formatted(
    checked: Checked, output: _Format, root: Path, code: int, compared: str | None
) -> str:
    if output is _Format.json:
        from understudy.faces.wire import check_json

        return json_line(check_json(checked), indent=1) + "\n"
    if output is _Format.sarif:
        from understudy.faces.report_sarif import check_sarif

        return json.dumps(sound(check_sarif(checked, code)), ensure_ascii=False, indent=1) + "\n"
    if output is _Format.github:
        from understudy.faces.report_github import check_github

        return check_github(checked, root)
    if output is _Format.hook:
        from understudy.faces.report_hook import check_hook

        return check_hook(checked, compared)
    from understudy.faces.report_text import check_text

    return check_text(checked)


def read_edits(patch: str | None, edits: Path | None) -> list[dict[str, Any]]:
    """The edits as the contract's JSON list; a diff is a list of one."""
    if patch is not None and edits is not None:
        text = "give either a PATCH (or - for stdin) or --edits FILE.json"
        raise BadInput("conflicting-options", text)
    if edits is not None:
        try:
            raw: object = json.loads(_read(edits.open("rb").read(), str(edits)))
        except OSError as error:
            raise BadInput(
                "no-such-file", f"cannot read it: {error.strerror}", str(edits)
            ) from error
        except ValueError as error:
            raise BadInput("not-json", str(error), str(edits)) from error
        if not isinstance(raw, list):
            raise BadInput("bad-edits", "the file must hold a JSON list of edits", str(edits))
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
