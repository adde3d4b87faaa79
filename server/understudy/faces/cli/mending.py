"""`understudy check --fix` and `--explain`: their options, and where the mended patch goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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


def refuse_unwritable(diff_out: str | None, root: Path) -> None:
    """Raise, before anything is asked, what writing the patch there would raise."""
    if diff_out in (None, "-"):
        return
    from understudy.disk.named_file import unwritable

    assert diff_out is not None
    error = unwritable(Path(diff_out), Root.open(root).path)
    if error is not None:
        raise _cannot_write(diff_out, os.strerror(error))


def hand_over_patch(patch: str, diff_out: str | None, root: Path) -> None:
    """Write the patch where it was wanted; it is exact to the byte."""
    data = patch.encode("utf-8", "surrogateescape")
    if diff_out == "-":
        hand_over(data)
    elif diff_out is not None:
        from understudy.disk.named_file import write_named

        try:
            write_named(Path(diff_out), data, Root.open(root).path)
        except OSError as error:
            raise _cannot_write(diff_out, error.strerror) from error


def _cannot_write(file: str, why: str | None) -> OutsideFailure:
    return OutsideFailure("cannot-write", f"the patch cannot be written: {why}", file)
