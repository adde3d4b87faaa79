"""`understudy code references …` and its like: one command for each row of the questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from understudy.app.code.questions import QUESTIONS, Question
from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import ask_warm
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import say
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
_EXIT_CODES = {"answered": 0, "nothing": 1, "ambiguous": 1, "no-such-name": 1, "unknown": 3}


def add_questions(app: typer.Typer) -> None:
    """Add a command for each question."""
    for row in QUESTIONS.values():
        app.command(row.name)(_command(row))


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
        timeout: Annotated[
            float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 60).")
        ] = None,
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
        from understudy.faces.params.requests import AskCode
        from understudy.values.structure import structure

        wish = wish_of(structure(params, AskCode, "bad-params", params["question"]))
        verb = lambda: ask_alone(root, wish, trust=trust, progress=progress)  # noqa: E731
        return code_json(common.run(verb))
