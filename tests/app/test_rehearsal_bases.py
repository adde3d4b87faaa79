"""Which text of the user's an edit on a live stage is of: never a guess."""

from __future__ import annotations

from dataclasses import replace

from understudy.workspace.rehearsals.bases import (
    CLOCK_NS,
    LOST,
    SOON_NS,
    Version,
    base_among,
    possible,
)

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
