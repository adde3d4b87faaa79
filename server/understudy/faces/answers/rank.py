"""A ranking as JSON, as rows of JSON, as a table for a terminal and as one for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from understudy.app.rank.candidate import RankedPatch, RunOfTests
from understudy.app.rank.rank import Ranking
from understudy.faces.answers.check import check_json
from understudy.values.printable import printable

SCHEMA = 1
_WIDTH = 100
_LONGEST_ID = 34


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """The whole ranking (docs/reference/rank.md), best first."""
    base = ranking.base_tests
    return {
        "schema": SCHEMA,
        "candidates": [_row(one, n) for n, one in enumerate(ranking.candidates, 1)],
        "base_tests": None if base is None else {"passed": base[0], "failed": base[1]},
        "tests_run": ranking.n_tests_run,
        "elapsed_ms": round(ranking.elapsed_ms, 1),
    }


def _row(one: RankedPatch, number: int) -> dict[str, Any]:
    checked = None if one.checked is None else check_json(one.checked)
    files: list[dict[str, Any]] = [] if checked is None else checked["files"]
    reasons = sorted({file["reason"]["code"] for file in files if file["reason"] is not None})
    refused = one.refused
    return {
        "id": one.id,
        "rank": number,
        "verdict": one.verdict,
        "why": one.why,
        "same_as": one.same_as,
        "same": one.sameness,
        "votes": one.votes,
        "introduced": one.n_introduced,
        "milder": one.n_milder,
        "fixed": 0 if checked is None else len(checked["fixed"]),
        "hidden": 0 if checked is None else len(checked["hidden"]),
        "silenced": 0 if checked is None else len(checked["silenced"]),
        "unknown": one.n_unknown,
        "reasons": reasons,
        "lines": one.lines,
        "stamp": None if checked is None else checked["stamp"],
        "findings": [] if checked is None else checked["introduced"],
        "refused": None
        if refused is None
        else {"code": refused.code, "text": refused.text, "where": refused.where},
        "tests": None if one.tests is None else _tests_json(one.tests),
        "seconds": round(one.seconds, 3),
    }


def _tests_json(tests: RunOfTests) -> dict[str, Any]:
    return {
        "ended": tests.has_ended,
        "stopped": tests.stopped,
        "status": tests.status,
        "limit": tests.limit,
        "broken": list(tests.broken),
        "mended": list(tests.mended),
        "passed": tests.passed,
        "failed": tests.failed,
        "files": None if tests.files is None else list(tests.files),
        "output": tests.output,
        "seconds": round(tests.seconds, 3),
    }


def ranking_text(ranking: dict[str, Any]) -> str:
    """A table of at most 100 columns, and below it what refused or broke each candidate."""
    rows = [_HEAD, *(_cells(row) for row in ranking["candidates"])]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = [_line(row, widths) for row in rows]
    return "".join(f"{line}\n" for line in (*lines, "", _summary(ranking)))


def ranking_markdown(ranking: dict[str, Any]) -> str:
    """The table for a pull request."""
    rows = [_HEAD, ("---",) * len(_HEAD), *(_cells(row, None) for row in ranking["candidates"])]
    escaped = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    return "".join(
        f"{line}\n" for line in (*(f"| {row} |" for row in escaped), "", _summary(ranking))
    )


_HEAD = ("#", "candidate", "verdict", "broken", "mended", "new", "mild", "lines", "why")


def _cells(row: dict[str, Any], longest: int | None = _LONGEST_ID) -> tuple[str, ...]:
    name, tests = printable(row["id"]), row["tests"]
    if longest is not None and len(name) > longest:
        name = f"...{name[3 - longest :]}"
    broken = mended = "-"
    if tests is not None and tests["ended"]:
        broken, mended = str(len(tests["broken"])), str(len(tests["mended"]))
    judged = ("-", "-", "-")
    if row["refused"] is None:
        judged = str(row["introduced"]), str(row["milder"]), str(row["lines"])
    return (str(row["rank"]), name, row["verdict"], broken, mended, *judged, printable(row["why"]))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    *cells, why = row
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=False))
    line = "  ".join((*padded, why)).rstrip()
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."


def _summary(ranking: dict[str, Any]) -> str:
    return ", ".join(_parts(ranking))


def _parts(ranking: dict[str, Any]) -> Iterator[str]:
    rows: list[dict[str, Any]] = ranking["candidates"]
    yield f"{len(rows)} candidate{'' if len(rows) == 1 else 's'}"
    if n_same := sum(row["same_as"] is not None for row in rows):
        yield f"{n_same} that say the same as another"
    if n_refused := sum(row["refused"] is not None for row in rows):
        yield f"{n_refused} refused"
    if ranking["base_tests"] is not None:
        base = ranking["base_tests"]
        yield f"tests without any: {base['passed']} passed, {base['failed']} failed"
