"""`understudy check --fix`, `--explain`, `--trace`: their options, and the files they write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_text
from understudy.faces.cli.streams import hand_over
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root

if TYPE_CHECKING:
    from understudy.workspace.options import FixWish

ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Say what servers know of each introduced finding: declaration, chain from the edit, "
        "nearest names, fixes (each tried), the rule's page.",
    ),
]
FixOption = Annotated[
    bool,
    typer.Option(
        "--fix",
        help="Try the servers' own fixes for what is introduced, and keep those that help; "
        "the verdict is on the mended edits.",
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="CODE", help="Mend only findings with this code (repeatable)."),
]
UntilCleanOption = Annotated[
    bool,
    typer.Option("--until-clean", help="Mend again what is left, until nothing gains any more."),
]
UnsafeOption = Annotated[
    bool, typer.Option("--unsafe", help="Try fixes, too, that their servers do not vouch for.")
]
DiffOutOption = Annotated[
    str | None,
    typer.Option(
        "--diff-out",
        metavar="FILE|-",
        help="Write the mended edits as a patch against the folder; `-`: on stdout, alone.",
    ),
]

TraceOption = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="Write how it was judged: who was asked, shown what, and said what, by which rule "
        "and in which time; as JSON if the name ends so.",
    ),
]


def wish_of(
    fix: bool,
    only: list[str] | None,
    until_clean: bool,
    unsafe: bool,
    diff_out: str | None,
) -> FixWish | None:
    """What is to be mended, if anything; raises BadInput where an option misses its --fix."""
    from understudy.workspace.options import FixWish

    wish = FixWish(tuple(only or ()), until_clean, unsafe)
    if fix:
        return wish
    if wish != FixWish() or diff_out is not None:
        text = "--only, --until-clean, --unsafe and --diff-out go with --fix"
        raise BadInput("conflicting-options", text)
    return None


def refuse_unwritable(root: Path, *files: str | None) -> None:
    """Raise, before anything is asked, what writing named files would raise."""
    from understudy.disk.named_file import unwritable

    for file in files:
        if file in (None, "-"):
            continue
        assert file is not None
        error = unwritable(Path(file), Root.open(root).path)
        if error is not None:
            raise _cannot_write(file, os.strerror(error))


def hand_over_patch(patch: str, diff_out: str | None, root: Path) -> None:
    """Write the patch where it was wanted; it is exact to the byte."""
    data = patch.encode("utf-8", "surrogateescape")
    if diff_out == "-":
        hand_over(data)
    elif diff_out is not None:
        write_file(data, diff_out, root)


def write_trace(trace: dict[str, Any], file: str, root: Path) -> None:
    """Write how a check has judged: as JSON where the name ends so, else as text."""
    if file.endswith(".json"):
        text = json_text(trace, indent=1) + "\n"
    else:
        from understudy.faces.answers.report_trace import trace_text

        text = trace_text(trace)
    write_file(text.encode("utf-8", "surrogateescape"), file, root)


def write_file(data: bytes, file: str, root: Path) -> None:
    """Write a file that the user has named; raises Refused `symlink`, OutsideFailure."""
    from understudy.disk.named_file import write_named

    try:
        write_named(Path(file), data, Root.open(root).path)
    except OSError as error:
        raise _cannot_write(file, error.strerror) from error


def _cannot_write(file: str, why: str | None) -> OutsideFailure:
    return OutsideFailure("cannot-write", f"it cannot be written: {why}", file)
