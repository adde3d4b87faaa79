"""Lots of a batch: who judges what next, and whose fault it is when a seat is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from understudy.app.batch.batch import BatchQuestion, batch
from understudy.app.batch.local import LocalSeat
from understudy.app.batch.output import OutFile
from understudy.app.batch.queue import LOT_SIZE, MOST_TRIES, LotQueue, Place
from understudy.app.batch.rows import BatchRow, read_rows
from understudy.app.batch.seat import SeatTerms
from understudy.values.errors import BadInput, Refused

TERMS = {"understudy": "1", "scope": "default", "severity": "default", "tests": "none"}


def row(number: int, repo: str = "a", revision: str = "1") -> BatchRow:
    return BatchRow(f"{repo}{revision}-{number}", "", "", repo, revision, f"patch {number:04}")


def test_every_row_goes_out_once_and_a_seat_keeps_its_revision() -> None:
    rows = [row(n, repo, revision) for repo in "ab" for revision in "12" for n in range(40)]
    queue, judged, opened = LotQueue.of(rows), list[str](), 0
    seats: dict[int, tuple[str, str] | None] = {0: None, 1: None}
    while len(queue):
        for seat, at in seats.items():
            taken = queue.take(at)
            if taken is not None:
                opened += taken[0] != at
                seats[seat] = taken[0]
                judged += [one.id for one in taken[1]]
                assert len(taken[1]) <= LOT_SIZE
                assert {(one.repo, one.revision) for one in taken[1]} == {taken[0]}
    assert sorted(judged) == sorted(one.id for one in rows)
    assert opened == 4, "each revision is opened once"


def test_two_seats_share_what_is_left_of_the_last_revision() -> None:
    queue = LotQueue.of(row(n) for n in range(10))
    first, second = queue.take(None), queue.take(None)
    assert first is not None
    assert second is not None
    assert 3 <= len(first[1]) <= 7


def test_a_line_with_seats_is_left_to_them_where_a_start_costs_more() -> None:
    queue = LotQueue.of(row(n, repo) for repo in "ab" for n in range(40))
    queue.timed(1.0, 30.0)
    assert queue.start_rows == 30.0
    (first, lot), (second, _) = queue.take(None) or ("", []), queue.take(None) or ("", [])
    assert {first, second} == {("a", "1"), ("b", "1")}
    assert queue.take(None) is None, "half of what is left is less than a start"
    queue.timed(1.0, None)
    assert queue.start_rows == 30.0
    assert queue.lost(("a", "1"), lot) is None
    again = queue.take(None)
    assert again is not None
    assert again[0] == ("a", "1"), "nobody sits there any more"
    judged = [one.id for one in again[1]]
    while (taken := queue.take(("a", "1"))) is not None and taken[0] == ("a", "1"):
        judged += [one.id for one in taken[1]]
    assert len(judged) == len(set(judged)) == 40


def test_the_first_row_without_an_answer_is_suspected_and_never_its_neighbours() -> None:
    rows = [row(n) for n in range(5)]
    poison, queue, judged, given_up = rows[2].id, LotQueue.of(rows), list[str](), list[str]()
    at = None
    while (taken := queue.take(at)) is not None:
        at, lot = taken
        names = [one.id for one in lot]
        good = lot[: names.index(poison)] if poison in names else lot
        judged += [one.id for one in good]
        if len(good) < len(lot):
            lost = queue.lost(at, lot[len(good) :])
            at = None
            given_up += [] if lost is None else [lost.id]
    assert given_up == [poison]
    assert queue.tries == {poison: MOST_TRIES}
    assert sorted(judged) == sorted(one.id for one in rows if one.id != poison)


@dataclass
class AtOnce:
    """Two seats: that of `long` ends its first lot in the moment after `short` has no rows left."""

    n_seats: int = 2
    n_short: int = 13
    is_open: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    def seat(self, number: int, terms: SeatTerms) -> AtOnce:
        """Both are alike."""
        return self

    async def open(self) -> None:
        """Ready at any time."""

    async def judge(
        self, place: Place, mirror: Path, rows: Sequence[BatchRow]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Rows take no time, a start does: a line that has a seat is left to it."""
        for one in rows:
            yield {"id": one.id, "verdict": "clean", "seconds": 1e-9}
        if place[0] == "long":
            self.is_open.set()
            await self.is_over.wait()
        elif self.n_short > len(rows):
            self.n_short -= len(rows)
        else:
            await self.is_open.wait()
            self.is_over.set()

    async def close(self) -> None:
        """Nothing was started."""


async def test_no_row_is_left_where_two_seats_end_their_lots_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(n, repo) for repo, size in (("long", 40), ("short", 13)) for n in range(size)]
    file = tmp_path / "in.jsonl"
    told = ({"id": r.id, "repo": r.repo, "base_commit": "1", "model_patch": r.patch} for r in rows)
    file.write_text("".join(f"{json.dumps(one)}\n" for one in told))
    (tmp_path / "objects").mkdir()
    seats = AtOnce()
    monkeypatch.setattr("understudy.app.batch.batch.LocalEngine", lambda _: seats)
    question = BatchQuestion(
        file, tmp_path / "out.jsonl", {"long": tmp_path, "short": tmp_path},
        SeatTerms(None, None, 60, trust=False), "1",
    )  # fmt: skip
    done = await batch(question)
    assert (seats.is_over.is_set(), done.judged, done.missing) == (True, 53, 0)


def test_ids(tmp_path: Path) -> None:
    one = {"instance_id": "i", "repo": "r", "base_commit": "c", "model_patch": "p"}
    rows = [
        one,
        {**one, "model_name_or_path": "m"},
        one,
        {**one, "id": "i#2"},
        {"id": "own", **one},
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    given = read_rows(file)
    assert [row.id for row in given.rows] == ["i", "i/m", "i#2", "i#2#2", "own"]
    assert given.renamed == ("i#2", "i#2#2")


def test_a_folder_of_files(tmp_path: Path) -> None:
    one = {"instance_id": "i", "repo": "r", "base_commit": "c", "model_patch": "p"}
    with pytest.raises(BadInput, match="no row"):
        read_rows(tmp_path)
    (tmp_path / "b.jsonl").write_text(f"{json.dumps(one)}\n[\n")
    (tmp_path / "a.json").write_text(json.dumps({"x": one, "y": {**one, "FAIL_TO_PASS": "[1]"}}))
    (tmp_path / "notes.txt").write_text("no rows")
    (tmp_path / "deeper.jsonl").mkdir()
    given = read_rows(tmp_path)
    assert [row.id for row in given.rows] == ["i", "i#2", "i#3", "b.jsonl:2"]
    codes = [None if row.bad is None else row.bad.code for row in given.rows]
    assert codes == [None, "bad-tests", None, "not-json"]


def test_ten_thousand_equal_patches_stay_apart(tmp_path: Path) -> None:
    one = {"instance_id": "i", "repo": "r", "base_commit": "c", "model_patch": "p"}
    file = tmp_path / "in.jsonl"
    file.write_text(f"{json.dumps(one)}\n" * 10_000)
    given = read_rows(file)
    assert len({row.id for row in given.rows}) == len(given.rows) == 10_000
    assert len(LotQueue.of(given.rows)) == 10_000


def test_a_row_is_written_once_and_one_batch_at_a_time(tmp_path: Path) -> None:
    place = tmp_path / "out.jsonl"
    out = OutFile(place, TERMS)
    with pytest.raises(Refused, match="another batch"):
        OutFile(place, TERMS)
    out.write({"id": "a", "verdict": "clean"})
    out.write({"id": "a", "verdict": "findings"})
    out.close()
    whole = place.read_bytes()
    for cut in range(1, len(whole)):
        place.write_bytes(whole + whole.replace(b'"a"', b'"b"')[:cut])
        again = OutFile(place, TERMS)
        assert (again.done, again.n_mended, again.verdicts) == ({"a"}, 1, {"clean": 1})
        again.close()
        assert place.read_bytes() == whole
    with pytest.raises(BadInput, match="judged with scope default, not edited"):
        OutFile(place, {**TERMS, "scope": "edited"})
    place.write_text("{}\n")
    with pytest.raises(BadInput, match="no row of schema"):
        OutFile(place, TERMS)
    assert place.read_text() == "{}\n"


def test_last_words_have_no_secrets(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    (tmp_path / "seat.log").write_text(f"Traceback\nKilled by {token}\n")
    seat = LocalSeat(tmp_path, SeatTerms(None, None, 1.0, trust=False), lambda _, __: None)
    words = seat._last_words()
    assert words.startswith("Traceback Killed by")
    assert token not in words
