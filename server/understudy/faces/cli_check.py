"""`understudy check`: what would this patch break?"""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from understudy.app.check import Checked, CheckOptions
from understudy.app.ephemeral import check_edits
from understudy.app.progress import Progress, silent
from understudy.faces import cli_common as common
from understudy.faces.report_text import check_text
from understudy.faces.sound_json import json_line
from understudy.faces.wire import check_json
from understudy.values.errors import BadInput
from understudy.values.texts import MAX_TEXT_BYTES

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


EditsOption = Annotated[
    Path | None,
    typer.Option(
        "--edits", metavar="FILE.json", help="A list of edits instead of a diff.", readable=False
    ),
]


def check(
    patch: Annotated[
        str | None, typer.Argument(metavar="[PATCH|-]", help="A diff; `-` reads stdin.")
    ] = None,
    edits: EditsOption = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    scope: Annotated[
        _Scope | None,
        typer.Option(help="Files judged: the edited, those it affects (default), or all."),
    ] = None,
    severity: Annotated[
        _Severity | None,
        typer.Option(help="Mildest finding that counts for the verdict (default: error)."),
    ] = None,
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
    """Apply a patch to shadow copies of the folder's files and print what it introduces.

    The folder itself is not touched. Real language servers judge the edited files and those that
    depend on them, before and after; silence is never taken for clean.

    Exit codes: 0 clean, 1 findings, 2 bad input or the patch does not apply, 3 unknown,
    4 a failure of our own, 130 interrupted.

    Example: git diff | understudy check -
    """
    options = CheckOptions(
        scope=scope.value if scope else None,
        severity=severity.value if severity else None,
        servers=tuple(server or ()),
        timeout_s=timeout,
        strict=strict,
    )
    progress = _status_line if sys.stderr.isatty() else silent
    with common.answering(output):
        raw = _read_edits(patch, edits)
        try:
            checked = common.run(
                lambda: check_edits(root, raw, options, trust=trust, progress=progress)
            )
        finally:
            _clear(progress)
        _show(checked, output)
        raise typer.Exit(_EXIT_CODES[checked.report.verdict])


def _show(checked: Checked, output: common.OutputFormat) -> None:
    if output is common.OutputFormat.json:
        typer.echo(json_line(check_json(checked), indent=1))
    else:
        typer.echo(check_text(checked), nl=False)


def _read_edits(patch: str | None, edits: Path | None) -> list[dict[str, Any]]:
    """The edits as the contract's JSON list; a diff is a list of one."""
    if (patch is None) == (edits is None):
        raise BadInput("no-edits", "give either a PATCH (or - for stdin) or --edits FILE.json")
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


def _status_line(message: str, done: int, total: int) -> None:
    counted = f" ({done}/{total})" if total else ""
    typer.echo(f"\r\x1b[K{message[:100]}{counted}", err=True, nl=False)


def _clear(progress: Progress) -> None:
    if progress is _status_line:
        typer.echo("\r\x1b[K", err=True, nl=False)
