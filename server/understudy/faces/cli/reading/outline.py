"""`understudy code outline`: what files declare, within a budget of tokens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput, UnderstudyError

if TYPE_CHECKING:
    from understudy.workspace.outlines.work import OutlineWish

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


FilesArgument = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Files to outline, relative to --root or absolute."),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        min=1,
        help="At most so many tokens (4 bytes each) a file; what is cut is counted. Default 8000.",
    ),
]
SymbolOption = Annotated[
    str | None, typer.Option("--symbol", metavar="NAME", help="Only this symbol, as Class.method.")
]
RangeOption = Annotated[
    str | None,
    typer.Option("--range", metavar="FIRST-LAST", help="Only what touches these lines."),
]
DocsOption = Annotated[
    bool, typer.Option("--docs", help="With the first line of each docstring or comment.")
]
FullOption = Annotated[
    bool, typer.Option("--full", help="The text itself, of the symbol or range if one is given.")
]
ReadOption = Annotated[
    bool,
    typer.Option(
        "--read", help="The text of a short file; the outline above 3,000 lines or 100 KB."
    ),
]
BranchOption = Annotated[
    str | None,
    typer.Option("--branch", metavar="BRANCH", help="As this kept branch has the files, as b1."),
]
ShaOption = Annotated[
    str | None,
    typer.Option(
        "--sha", metavar="DIGEST", help="Refuse if the file's SHA-256 no longer begins like this."
    ),
]


def outline(
    files: FilesArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    budget: BudgetOption = None,
    symbol: SymbolOption = None,
    lines: RangeOption = None,
    docs: DocsOption = False,
    full: FullOption = False,
    read: ReadOption = False,
    sha: ShaOption = None,
    branch: BranchOption = None,
) -> None:
    """Print what files declare: full signatures with exact lines, START-END first, bodies left out.

    Read on with what the outline shows: `understudy code outline FILE --symbol Class.method
    --full` prints a body, `--range 120-180` what touches those lines. The first line of an outline
    says whether the file was understood: `complete`, or `PARTIAL` with the lines that were not.

    Exit codes: 0 outlined, 2 bad input, 4 a failure of our own.
    """
    from understudy.faces.answers.outline import outline_json
    from understudy.outline.show.render import DEFAULT_BUDGET
    from understudy.workspace.outlines.outliner import outline_files
    from understudy.workspace.outlines.work import OutlineWish

    with common.answering(output):
        if full and read:
            raise BadInput("conflicting-options", "either --full or --read", "--read")
        form = "full" if full else "read" if read else "outline"
        wish = OutlineWish(form, budget or DEFAULT_BUDGET, symbol, _lines(lines), docs)
        if branch is not None:
            found = [_of_branch(root, name, wish, sha, branch) for name in files]
        else:
            found = [
                answer if isinstance(answer, UnderstudyError) else outline_json(answer)
                for answer in common.run(lambda: outline_files(root, files, wish, sha))
            ]
        errors = [answer for answer in found if isinstance(answer, UnderstudyError)]
        answers = [answer for answer in found if not isinstance(answer, UnderstudyError)]
        _print(answers, errors, output)
        if errors:
            if len(found) == 1:
                raise errors[0]
            _exit_with(errors)


def _of_branch(
    root: Path, name: str, wish: OutlineWish, sha: str | None, branch: str
) -> dict[str, Any] | UnderstudyError:
    """What the folder's host answers; where there is none, we are it for this one question."""
    from understudy.faces.hosting.link import ask_host

    params = {
        "path": name, "branch": branch, "form": wish.form, "symbol": wish.symbol,
        "range": wish.lines, "budget": wish.budget, "docs": wish.docs, "ifSha": sha,
    }  # fmt: skip
    try:
        return common.run(lambda: ask_host(root, "outline", params))
    except UnderstudyError as error:
        return error


def _print(
    answers: list[dict[str, Any]], errors: list[UnderstudyError], output: common.OutputFormat
) -> None:
    """All answers; the errors beside them, if there are any of both."""
    if output is common.OutputFormat.text:
        for answer in answers:
            say(answer["text"], end="")
    elif answers or len(errors) > 1:
        listed = [{"code": e.code, "text": e.text, "where": e.where} for e in errors]
        body = {"files": answers, "errors": listed}
        say(json_line(body))


def _exit_with(errors: list[UnderstudyError]) -> None:
    for error in errors:
        complain(f"{error.code}: {error}")
    is_input = all(isinstance(error, BadInput) for error in errors)
    raise typer.Exit(common.BAD_INPUT if is_input else common.OUR_FAILURE)


def _lines(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BadInput("bad-range", "write FIRST-LAST, lines counted from 1, as 120-180", "--range")
    return int(match[1]), int(match[2] or match[1])
