"""`understudy code references …` and its like: one command for each row of the questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import ask_warm
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import say
from understudy.values.code_questions import QUESTIONS, Question
from understudy.values.errors import BadInput

_TARGETS: dict[str, Any] = {
    "place": Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="Class.method or another name, PATH::NAME, PATH:LINE:NAME or PATH:LINE:COLUMN "
            "(from 1, in characters).",
        ),
    ],
    "file": Annotated[str, typer.Argument(metavar="FILE", help="A file, relative to --root.")],
    "words": Annotated[str, typer.Argument(metavar="WORDS", help="Letters of a name.")],
}
_HELP = """Print {help}.

    A name is looked up in the outlines of the folder: if it stands in several places, all of them
    are listed and nothing is asked. {how}

    Exit codes: 0 answered, 1 no such name or no answer, 2 bad input, 3 unknown: no server could
    say, 4 a failure of our own.

    Example: understudy code {name} {example}
    """
_EXAMPLES = {"place": "Class.method", "file": "src/app.py", "words": "label"}
_HOW = {
    "place": "The server of the types answers; the files that can see the name are opened to it.",
    "file": "The server of the types answers.",
    "words": "Our own outlines answer, for every language; --server asks a server instead.",
}
_TARGETS_OF_RENAME = _TARGETS["place"].__metadata__[0]
_TARGETS_OF_MOVE = _TARGETS["file"].__metadata__[0]
_VERDICTS = {"clean": 0, "findings": 1, "unknown": 3}
_EXIT_CODES = {"answered": 0, "nothing": 1, "ambiguous": 1, "no-such-name": 1, "unknown": 3}


def add_questions(app: typer.Typer) -> None:
    """Add a command for each question, and the refactorings."""
    for row in QUESTIONS.values():
        app.command(row.name)(_command(row))
    app.command("rename")(rename)
    app.command("move")(move)
    app.command("act")(act)
    app.command("format")(format_file)
    app.command("imports")(imports)


def _command(row: Question) -> Callable[..., None]:
    def command(
        target: str,
        root: common.RootOption = Path(),
        branch: Annotated[
            str | None,
            typer.Option("--branch", metavar="BRANCH", help="As this branch has the files, as b1."),
        ] = None,
        revision: Annotated[
            str | None,
            typer.Option("--rev", metavar="REV", help="As this git revision has them."),
        ] = None,
        server: Annotated[str | None, typer.Option(metavar="NAME", help="Ask this server.")] = None,
        budget: Annotated[
            int | None,
            typer.Option(
                metavar="TOKENS", min=1, help="At most so many tokens (4 bytes each); default 2000."
            ),
        ] = None,
        timeout: TimeoutOption = None,
        output: common.FormatOption = common.OutputFormat.text,
        trust: common.TrustOption = False,
        no_host: Annotated[
            bool, typer.Option("--no-host", help="Ask no running host, and leave none behind.")
        ] = False,
    ) -> None:
        with common.answering(output):
            params = {
                "question": row.name, "target": target, "branch": branch, "revision": revision,
                "server": server, "budget": budget, "timeout": timeout,
            }  # fmt: skip
            found = _asked(root, params, trust=trust, no_host=no_host)
            if output is common.OutputFormat.json:
                say(json_line(found))
            else:
                from understudy.app.code.answer import DEFAULT_BUDGET
                from understudy.faces.answers.code import code_text

                say(code_text(found, budget or DEFAULT_BUDGET), end="")
            raise typer.Exit(_EXIT_CODES[found["status"]])

    command.__annotations__["target"] = _TARGETS[row.about]
    command.__doc__ = _HELP.format(
        help=row.help, name=row.name, how=_HOW[row.about], example=_EXAMPLES[row.about]
    )
    return command


ToArgument = Annotated[str, typer.Argument(metavar="TO", help="Its new name.")]
PathToArgument = Annotated[str, typer.Argument(metavar="TO", help="Its new path.")]
BranchOption = Annotated[
    str | None,
    typer.Option("--branch", metavar="BRANCH", help="Takes the edits; without it a new one does."),
]
ServerOption = Annotated[str | None, typer.Option(metavar="NAME", help="Ask this server.")]
TimeoutOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 60).")
]


def rename(
    target: Annotated[str, _TARGETS_OF_RENAME],
    to: ToArgument,
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = None,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Rename a symbol everywhere, as edits of a branch, and check them.

    The folder is not touched: `understudy branches accept` takes the branch over.

    Exit codes: 0 renamed and clean, 1 no such name, or findings, 2 bad input, 3 unknown,
    4 a failure of our own.

    Example: understudy code rename Class.method new_name
    """
    _refactor("rename", root, target, to, branch, server, timeout, output)


def move(
    target: Annotated[str, _TARGETS_OF_MOVE],
    to: PathToArgument,
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = None,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Move a file as edits of a branch, mend the imports that name it, and check them.

    Where no server knows how to mend them, the file is moved, and the check says what breaks.

    Exit codes: as `understudy code rename`.

    Example: understudy code move src/app.py src/main.py
    """
    _refactor("move", root, target, to, branch, server, timeout, output)


def act(
    target: Annotated[str, _TARGETS_OF_RENAME],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its title, or how it begins.")],
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = None,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Take what a server offers at a place, as edits of a branch, and check them.

    `understudy code actions PLACE` lists what there is.

    Exit codes: as `understudy code rename`.

    Example: understudy code act src/app.py:12:total "Extract method"
    """
    _refactor("understudy/code/act", root, target, title, branch, server, timeout, output)


def format_file(
    target: Annotated[str, _TARGETS_OF_MOVE],
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = None,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Lay a file out as its server does, as edits of a branch, and check them.

    Exit codes: as `understudy code rename`; 1 where nothing is to be changed.

    Example: understudy code format src/app.py
    """
    _refactor("understudy/code/format", root, target, None, branch, server, timeout, output)


def imports(
    target: Annotated[str, _TARGETS_OF_MOVE],
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    server: ServerOption = None,
    timeout: TimeoutOption = None,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Sort a file's imports as its server does, as edits of a branch, and check them.

    Exit codes: as `understudy code rename`; 1 where nothing is to be changed.

    Example: understudy code imports src/app.py
    """
    _refactor("understudy/code/imports", root, target, None, branch, server, timeout, output)


def _refactor(
    name: str, root: Path, target: str, to: str | None, branch: str | None, server: str | None,
    timeout: float | None, output: common.OutputFormat,
) -> None:  # fmt: skip
    with common.answering(output):
        from understudy.faces.hosting.link import ask_host
        from understudy.workspace.progress import Audience

        named = {} if to is None else {"to": to}
        params = {
            "target": target, **named, "branch": branch, "server": server, "timeout": timeout,
        }  # fmt: skip
        with terminal_progress() as progress:
            found = common.run(lambda: ask_host(root, name, params, Audience(progress)))
        if output is common.OutputFormat.json:
            say(json_line(found))
        else:
            from understudy.faces.answers.refactored import refactored_lines

            say("\n".join(refactored_lines(found)))
            say(found["report"], end="")
        raise typer.Exit(_VERDICTS.get(found["verdict"], _EXIT_CODES[found["status"]]))


def _asked(root: Path, params: dict[str, Any], *, trust: bool, no_host: bool) -> dict[str, Any]:
    """What the folder's host says, a warm one, or (without any) a session of this process."""
    branch = params["branch"]
    if branch is not None and (trust or no_host):
        option = "--trust" if trust else "--no-host"
        text = f"the folder's own host keeps its branches; without {option}"
        raise BadInput("conflicting-options", text, option)
    with terminal_progress() as progress:
        if branch is not None:
            from understudy.faces.hosting.link import ask_host
            from understudy.workspace.progress import Audience

            return common.run(lambda: ask_host(root, "ask", params, Audience(progress)))
        found = None if no_host else ask_warm(root, "ask", params, progress, trusts=trust)
        if found is not None:
            return found
        from understudy.app.code.alone import ask_alone
        from understudy.faces.answers.code import code_json
        from understudy.faces.calls.questions import wish_of
        from understudy.faces.params.code import AskCode
        from understudy.values.structure import structure

        wish = wish_of(structure(params, AskCode, "bad-params", params["question"]))
        verb = lambda: ask_alone(root, wish, trust=trust, progress=progress)  # noqa: E731
        return code_json(common.run(verb))
