"""What is known of a rehearsal's files lies on disk as a whole, whatever a kill or a disk cuts."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
from pathlib import Path

import pytest

from understudy.workspace.rehearsals.ledger import Intent, Known, Ledger, digest_of

ENTRY = Known(digest_of(b"a"), digest_of(b"b"), (1, 2, 3, 4, 5))
INTENT = Intent(digest_of(b"c"), None, digest_of(b"b"))


def loaded(folder: Path) -> Ledger:
    ledger = Ledger(folder)
    ledger.load()
    return ledger


def test_what_was_intended_is_known_until_it_is_noted_or_given_up(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.intend([("a", INTENT), ("b", INTENT), ("c", INTENT)])
    assert loaded(tmp_path).intended == {"a": INTENT, "b": INTENT, "c": INTENT}
    ledger.note([("a", ENTRY)], ["a", "b", "never"])
    for one in (ledger, loaded(tmp_path)):
        assert (one.known, one.intended) == ({"a": ENTRY}, {"c": INTENT})
    size = (tmp_path / "ledger.jsonl").stat().st_size
    ledger.intend([("c", INTENT)])
    ledger.note([], ["a", "b"])
    assert (tmp_path / "ledger.jsonl").stat().st_size == size, "the same again is no news"


def test_the_version_before_passes_over_what_was_intended(tmp_path: Path) -> None:
    """It takes those lines alone that have all of these."""
    ledger = Ledger(tmp_path)
    ledger.intend([("a", INTENT)])
    ledger.note([("a", ENTRY)])
    ledger.note([], ["a"])
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    of_before = {"path", "base", "after", "mark", "baseKnown"}
    assert [of_before <= line.keys() for line in lines] == [False, True]
    assert lines[1].keys() == of_before | {"putNs"}


def test_a_line_of_the_version_before_is_read(tmp_path: Path) -> None:
    told = {"path": "a", "base": None, "after": "b", "mark": [1, 2], "baseKnown": False}
    (tmp_path / "ledger.jsonl").write_text(json.dumps(told) + "\n")
    assert loaded(tmp_path).known == {"a": Known(None, "b", (1, 2), is_base_known=False)}


@pytest.mark.parametrize("cut", [1, 7, 60])
def test_a_line_that_a_kill_has_cut_spoils_no_other(cut: int, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.note([("a", ENTRY), ("b", ENTRY)])
    file = tmp_path / "ledger.jsonl"
    os.truncate(file, file.stat().st_size - cut)
    later = loaded(tmp_path)
    later.note([("c", ENTRY)])
    known = loaded(tmp_path).known
    assert known.keys() >= {"a", "c"}
    assert known["c"] == ENTRY


def test_a_disk_that_takes_a_part_takes_nothing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.note([("a", ENTRY)])
    file = tmp_path / "ledger.jsonl"
    before, limits = file.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            ledger.note([("b", ENTRY), ("c", ENTRY)])
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            ledger.intend([("b", INTENT)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert file.read_bytes() == before
    assert (ledger.known, ledger.intended) == ({"a": ENTRY}, {})
    ledger.note([("b", ENTRY)])
    assert loaded(tmp_path).known == {"a": ENTRY, "b": ENTRY}
