"""Which text of the user's an edit on a live stage is of: never a guess."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event

from tests.support.live_stages import until_older
from understudy.stage.live import NEVER_NS
from understudy.values.paths import Root
from understudy.workspace.rehearsals.bases import (
    CLOCK_NS,
    LOST,
    SOON_NS,
    Version,
    base_among,
    let_go,
    possible,
)
from understudy.workspace.rehearsals.user_files import UserFiles

S = 1_000_000_000
OLD = Version(b"one\ntwo\nthree\n", b"inode 1", 1 * S, shown_ns=2 * S)
SAVED_BY_RENAME = Version(b"ONE\ntwo\nthree\n", b"inode 2", 5 * S)
NEW = b"ONE\ntwo\nthree\n"
SAVED_IN_PLACE = replace(SAVED_BY_RENAME, source=b"inode 1")


def test_nothing_newer_than_what_was_copied() -> None:
    versions = [OLD, SAVED_BY_RENAME]
    assert possible(versions, b"inode 1", 9 * S, 9 * S) == (OLD,)
    assert possible(versions, b"inode 2", 9 * S, 9 * S) == (OLD, SAVED_BY_RENAME)
    assert possible(versions, b"inode 3", 9 * S, 9 * S) == (OLD, SAVED_BY_RENAME)


def test_a_save_in_place_is_told_by_the_time() -> None:
    versions = [OLD, SAVED_IN_PLACE]
    assert possible(versions, b"inode 1", 4 * S, 9 * S) == (OLD,)
    assert possible(versions, b"inode 1", 5 * S - CLOCK_NS // 2, 9 * S) == (OLD, SAVED_IN_PLACE)


def test_what_was_shown_a_while_ago_was_seen() -> None:
    shown = [OLD, replace(SAVED_BY_RENAME, shown_ns=7 * S)]
    for source in (b"", b"inode 2", None):
        assert possible(shown, source, 9 * S, 9 * S) == tuple(shown)
        assert possible(shown, source, 9 * S, 8 * S + SOON_NS) == (shown[1],)
    assert possible(shown, b"inode 1", 4 * S, 8 * S + SOON_NS) == (OLD,)


def test_what_came_later_is_no_base() -> None:
    assert possible([OLD, SAVED_BY_RENAME], b"", 3 * S, 4 * S) == (OLD,)


def test_before_a_save_is_shown_nobody_has_seen_it_on_a_snapshot() -> None:
    gone = Version(None, None, 0)
    for source in (b"", b"inode 1", None):
        assert possible([OLD, SAVED_BY_RENAME, gone], source, 9 * S, 9 * S, NEVER_NS) == (OLD,)
    shown = replace(gone, shown_ns=8 * S)
    found = possible([OLD, SAVED_BY_RENAME, shown], b"", 9 * S, 9 * S, NEVER_NS)
    assert found == (OLD, shown)


LARGE = "x" * 200_000


def saved_often(folder: Path, times: int) -> UserFiles:
    """What is known of a file whose second text alone was shown, of so many that came after."""
    (folder / "a.txt").write_text(LARGE)
    until_older(folder)
    files = UserFiles(Root.open(folder))
    files.pin(Event())
    for number in range(times):
        (folder / "a.txt~").write_text(f"{number}\n{LARGE}")
        (folder / "a.txt~").replace(folder / "a.txt")
        files.moved()
        if number == 0:
            files.showed("a.txt", (folder / "a.txt").read_bytes())
    return files


def test_the_text_that_was_shown_last_is_kept_however_often_is_saved(tmp_path: Path) -> None:
    files = saved_often(tmp_path, 20)
    versions = files.versions("a.txt")
    files.close()
    shown = f"0\n{LARGE}".encode()
    found = possible(versions, b"", time.time_ns(), time.time_ns(), NEVER_NS)
    # A snapshot has shown these two: an edit of the first, or of the second, is never told apart
    # wrongly, since both are there.
    assert [one.data == text for one, text in zip(found, (LARGE.encode(), shown), strict=True)] == [
        True, True
    ]  # fmt: skip
    texts = [one.data for one in versions if isinstance(one.data, bytes)]
    assert len(texts) < 12, "an hour of saves takes no room"


def test_of_a_text_that_was_let_go_nobody_guesses(tmp_path: Path) -> None:
    files = saved_often(tmp_path, 20)
    versions = files.versions("a.txt")
    files.close()
    edit = f"9\n{LARGE}more\n".encode()  # of the tenth, which an overlay may have shown
    found = possible(versions, b"", time.time_ns(), time.time_ns())
    assert len(found) == len(versions) == 21
    assert base_among(found, edit, versions[-1].data) == (None, False)


def test_small_texts_are_all_kept(tmp_path: Path) -> None:
    versions = [replace(OLD, data=b"%d" % number, shown_ns=None) for number in range(300)]
    let_go(versions)
    assert LOST not in [one.data for one in versions]


def test_a_text_that_came_back_is_the_newest() -> None:
    versions = (OLD, SAVED_BY_RENAME, replace(OLD, source=b"inode 3", from_ns=6 * S))
    assert base_among(versions, b"one\ntwo\nthree\nmore\n", OLD.data) == (OLD.data, True)


def test_who_has_all_of_a_new_file_has_seen_it() -> None:
    none = Version(None, None, 0, 1 * S)
    now = NEW
    assert base_among((none, SAVED_BY_RENAME), b"ONE\ntwo\nmore\nthree\n", now) == (now, True)
    assert base_among((none, SAVED_BY_RENAME), b"quite another\n", now) == (None, False)


def test_what_could_be_either_is_known_where_both_merge_to_the_same() -> None:
    both = (OLD, SAVED_BY_RENAME)
    now = NEW
    assert base_among(both, b"ONE\ntwo\n3\n", now) == (NEW, True)
    reverted = b"one\ntwo\n3\n"  # an edit of the old text, or one that takes the save back
    assert base_among(both, reverted, now) == (None, False)


def test_a_text_that_nobody_has_read_is_no_base() -> None:
    assert base_among((replace(OLD, data=LOST), SAVED_BY_RENAME), b"x\n", b"x\n") == (None, False)
    assert base_among((), b"x\n", b"x\n") == (None, False)
    assert base_among((OLD, replace(OLD, source=None)), b"x\n", b"y\n") == (OLD.data, True)


def test_what_is_no_text_is_not_merged() -> None:
    binary = replace(SAVED_BY_RENAME, data=b"\0")
    assert base_among((OLD, binary), b"x\n", b"\0") == (None, False)
