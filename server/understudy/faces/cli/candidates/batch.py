"""`understudy batch`: patches of many repositories and revisions, judged a row each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.check import ScopeOption, SeverityOption
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput
from understudy.values.json_input import read_json
from understudy.values.version import __version__

if TYPE_CHECKING:
    from understudy.app.batch.batch import BatchSummary

_TIMEOUT_S = 300.0
_MOST_NAMED = 20


RowsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        readable=False,
        help="Predictions of SWE-bench: .jsonl, .json, .parquet, or a folder of them.",
    ),
]
OutOption = Annotated[
    Path,
    typer.Option("-o", "--out", metavar="OUT", help="A row each: .jsonl, or .parquet; taken up."),
]
MirrorsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="MIRRORS.json",
        readable=False,
        help='{"repository": "git repository on this machine"}; those are only read.',
    ),
]
TimeoutOption = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="Time limit of each row, in seconds.")
]
SeatsOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Hosts side by side (default: what fits)."),
]
TestTimeoutOption = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="Time limit of each run of the tests.")
]
EngineOption = Annotated[
    str | None,
    typer.Option("--on", metavar="ENGINE", help="ray (a cluster of its own), or ray://HOST:PORT."),
]
CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- TESTS...]", show_default=False, help="What runs the tests."),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Trust all these repositories: their tools may run.")
]


def batch(
    rows: RowsArgument,
    out: OutOption,
    mirrors: MirrorsOption = None,
    output: common.FormatOption = common.OutputFormat.text,
    scope: ScopeOption = None,
    severity: SeverityOption = None,
    timeout: TimeoutOption = _TIMEOUT_S,
    seats: SeatsOption = None,
    trust: TrustOption = False,
    test_timeout: TestTimeoutOption = 600.0,
    engine: EngineOption = None,
    command: CommandArgument = None,
) -> None:
    """Judge the patch of each row against its repository at its revision; write a flat row each.

    A row has repo, base_commit and model_patch, and instance_id, model_name_or_path or id;
    FAIL_TO_PASS, PASS_TO_PASS and test_patch for its tests. What OUT has already is not judged
    again, so a batch that was ended goes on where it was.

    Exit codes: 0 every row has an answer (refused is one), 2 bad input, 3 some failed,
    4 a failure of our own, 130 interrupted.

    Example: understudy batch preds.jsonl -o judged.jsonl --mirrors mirrors.json
    """
    with common.answering(output):
        from understudy.app.batch.batch import BatchQuestion
        from understudy.app.batch.batch import batch as judge
        from understudy.app.batch.seat import SeatTerms

        terms = SeatTerms(
            scope.value if scope else None, severity.value if severity else None, timeout, trust,
            tuple(command or ()), test_timeout,
        )  # fmt: skip
        question = BatchQuestion(rows, out, _mirrors(mirrors), terms, __version__, seats, engine)
        with terminal_progress() as progress:
            found = common.run(lambda: judge(question, progress))
        _tell(found, output)
        failed = found.missing or found.verdicts.get("failed", 0)
    raise typer.Exit(common.UNKNOWN if failed else common.CLEAN)


def _tell(found: BatchSummary, output: common.OutputFormat) -> None:
    _name("this id was taken by a row before, so it is called", found.renamed)
    _name("cannot be judged:", found.bad)
    if output is common.OutputFormat.json:
        say(json_line(_summary_json(found)))
        return
    verdicts = ", ".join(f"{n} {name}" for name, n in sorted(found.verdicts.items()))
    again = f", {found.found} of them from before" if found.found else ""
    say(f"{found.rows} rows{again}: {verdicts}")
    if found.mended:
        complain("the last line was cut off, and its row judged again")
    if found.seats_lost:
        complain(f"{found.seats_lost} seats were lost and begun again")


def _name(what: str, names: tuple[str, ...]) -> None:
    for name in names[:_MOST_NAMED]:
        complain(f"{what} {name}")
    if len(names) > _MOST_NAMED:
        complain(f"{what} {len(names) - _MOST_NAMED} more")


def _summary_json(found: BatchSummary) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "found": found.found,
        "judged": found.judged,
        "missing": found.missing,
        "verdicts": dict(sorted(found.verdicts.items())),
        "renamed": list(found.renamed),
        "bad": list(found.bad),
        "mended": found.mended,
        "seats_lost": found.seats_lost,
        "seconds": round(found.seconds, 3),
    }


def _mirrors(file: Path | None) -> dict[str, Path]:
    """Where each repository is mirrored; a relative path begins at the file."""
    if file is None:
        return {}  # every row says that it has none
    try:
        raw = read_json(file.read_bytes(), str(file))
    except OSError as error:
        raise BadInput("no-such-file", f"cannot read it: {error.strerror}", str(file)) from error
    named = cast("dict[str, object]", raw) if isinstance(raw, dict) else {}
    if not named or not all(isinstance(place, str) and place for place in named.values()):
        text = 'expected {"repository": "path of a git repository"}'
        raise BadInput("bad-mirrors", text, str(file))
    return {name: (file.parent / str(place)).absolute() for name, place in named.items()}
