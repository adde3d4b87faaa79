"""What a branch is called: what its agent, its patch or its files say that it is for."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.branch_cases import rename, write
from tests.support.workspace import workspace
from understudy.disk.journal.file import open_database
from understudy.disk.journal.rows import read_archived
from understudy.edits.model import parse_edits
from understudy.edits.subject import subject_of
from understudy.shadow.called import MAX_TITLE, as_title
from understudy.values.errors import BadInput
from understudy.values.printable import printable
from understudy.workspace.branches.parts import Wanted

MAIL = """\
From 83f1c1d Mon Sep 17 00:00:00 2001
From: A Person <a@example.org>
Date: Mon, 2 Nov 2026 10:00:00 +0000
Subject: [PATCH 2/3] Round prices
 {rest}

Subject: is in the body, too

---
 a.py | 1 +
"""
SHOWN = """\
commit 83f1c1d2aa
Author: A Person <a@example.org>
Date:   Mon Nov 2 10:00:00 2026 +0000

    Round  prices

    Because.

diff --git a/a.py b/a.py
"""


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (MAIL.format(rest="before tax"), "Round prices before tax"),
        (
            MAIL.format(rest="=?UTF-8?q?f=C3=BCr?= all").replace("\n", "\r\n"),
            "Round prices für all",
        ),
        (MAIL.format(rest="=?nonsense?q?x?="), "Round prices =?nonsense?q?x?="),
        (MAIL.format(rest="=?ü?q?x?="), "Round prices =?ü?q?x?="),
        (SHOWN, "Round prices"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+Subject: y\n", ""),
        ("Subject:\n", ""),
    ],
)
def test_the_subject_of_a_patch(text: str, subject: str) -> None:
    edits = [write("b.py", "Subject: z\n"), {"kind": "diff", "text": text}]
    assert subject_of(parse_edits(edits)) == subject


def test_words_become_one_line_of_a_title() -> None:
    assert as_title(" two\nlines\t of \x1b[31mit\u2028") == r"two lines of \x1b[31mit"
    cut = as_title("x" * 300)
    assert (len(cut), cut[-1]) == (MAX_TITLE, "…")
    assert as_title("\ue000").isprintable()
    hostile = ("\ud800", "\u202egnp.exe", "\u200d", "x\ty", "\x00\x9b2J", "a\u3164", "::error::x")
    for words in (*hostile, "\u202e" * 1_000_000, " " * 1_000_000 + "late"):
        title = as_title(words)
        assert title.isprintable()
        assert len(title) <= MAX_TITLE
        assert title == printable(title), "no face has to escape it once more"


async def names(space: Any, edits: list[dict[str, Any]], title: str = "") -> tuple[str, int]:
    book = await space.book()
    branch = (await book.create(title)).id
    await book.edit(branch, edits, space.base)
    before = {one.id: one for one in book.summaries()}[branch]
    found = {one.id: one for one in (await space.book()).summaries()}[branch]
    assert found == before, "after a restart it is called the same"
    return found.called, found.n_files


async def test_a_branch_without_a_title_is_called_by_its_main_file(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": "a\n" * 9, "p/b.py": "b\n"}) as space:
        edits = [write("a.py", "a\n" * 8), write("p/b.py", "b\n" * 9)]
        assert await names(space, edits) == ("b.py and 1 more", 2)
        assert await names(space, [rename("a.py", "z.py")]) == ("z.py", 1)
        assert await names(space, [rename("a.py", "z.py"), write("a.py", "x")]) == (
            "z.py and 1 more",
            2,
        )
        assert await names(space, edits, "an agent's edits") == ("b.py and 1 more", 2)
        assert await names(space, edits, "   ") == ("b.py and 1 more", 2)
        assert await names(space, edits, "Mend b") == ("Mend b", 2)
        assert (await (await space.book()).create("")).title == ""
        assert (await space.book()).summaries()[-1].called == ""


async def test_a_part_of_a_branch_is_called_by_it_and_can_come_back(tmp_path: Path) -> None:
    """Whatever its files are called, and however long: a title that its like may have, too."""
    async with workspace(tmp_path, {"a.py": "a\n"}) as space:
        book = await space.book()
        branch = (await book.create("")).id
        path = "t\tab \u2764\ufe0f\u200d\U0001f525" + "n" * 150
        await book.edit(branch, [write(path, "much\n" * 9), write("b.py", "b\n")], space.base)
        parted = await book.reject(branch, space.base, Wanted((path,)))
        assert parted.archived is not None
        book = await space.book()
        assert (await book.restore(parted.archived)).title.startswith(f"discarded from {branch}: t")
        assert (await book.fork(parted.archived)).title.isprintable()


async def test_a_renamed_branch_keeps_its_content_and_its_name(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": "a\n"}) as space:
        book = await space.book()
        branch = (await book.create("old")).id
        edited = (await book.edit(branch, [rename("a.py", "b.py")], space.base)).branch
        renamed = await book.rename(branch, "new")
        assert (renamed.title, renamed.stamp) == ("new", edited.stamp)
        for bad in ("two\nlines", "x" * 201):
            with pytest.raises(BadInput, match="a title is one line"):
                await book.rename(branch, bad)
        with pytest.raises(BadInput, match="no such branch"):
            await book.rename("b9", "x")
        book = await space.book()
        assert (await book.get(branch)).title == "new"
        await book.discard(branch)
        (archived,) = (await space.book()).summaries(archived=True)
        assert (archived.called, archived.n_files) == ("new", 1)


def test_many_moved_files_of_the_archive_are_counted_at_once(tmp_path: Path) -> None:
    """Each start counts them: by no more work than there are files."""

    def steps_for(n: int) -> int:
        steps = list[int]()
        with closing(open_database(tmp_path / f"{n}.db")) as database:
            database.execute(_ARCHIVED)
            gone = [("b1", f"d{at}", None) for at in range(n)]
            made = [("b1", f"n{at}", f"d{at}") for at in range(n)]
            database.executemany(_FILE, [*gone, *made])
            database.set_progress_handler(lambda: steps.append(1), 10)
            assert [row[5] for row in read_archived(database)] == [n]
        return len(steps)

    assert steps_for(400) < 3 * steps_for(200)


_ARCHIVED = """
INSERT INTO branches (id, number, title, created, used, revision, archived, ended)
VALUES ('b1', 1, X'', 0, 0, 1, 1, 'discarded')
"""
_FILE = "INSERT INTO files (branch, path, origin) VALUES (?, ?, ?)"
