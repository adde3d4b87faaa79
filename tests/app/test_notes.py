"""Facts that agents note down: kept for every session, and stale when their code has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.app.context.notes import add_note, forget_note, noted, notes_text
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.workspace.context_place import ContextPlace

TEXT = "import os\n\n\ndef load(path):\n    return os.path.abspath(path)\n"


def lines(place: ContextPlace, root: Root) -> list[str]:
    return [line for _, line, _ in noted(place, root)]


def test_notes_live_and_go_stale(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    file = folder / "a.py"
    file.write_text(TEXT)
    place, root = ContextPlace(tmp_path / "c", tmp_path / "u"), Root.open(folder)
    assert notes_text(place, root) == ["0 notes"]
    add_note(place, root, "load gives\nabsolute paths", "an agent", "a.py", (4, 5))
    add_note(place, root, "tests need a database", "the user", None, None)
    add_note(place, root, "old style", "an agent", "a.py", None)
    assert add_note(place, root, "old style", "someone", "a.py", None).number == 3, "said once"
    other = ContextPlace(tmp_path / "c", tmp_path / "u")
    assert lines(other, root) == [
        "1. load gives absolute paths (a.py:4-5) [an agent]",
        "2. tests need a database [the user]",
        "3. old style (a.py) [an agent]",
    ]
    file.write_text(f"# new first line\n{TEXT}")
    assert lines(place, root)[0] == "1. load gives absolute paths (a.py:5-6) [an agent]", "moved"
    file.write_text(TEXT.replace("abspath", "realpath"))
    assert notes_text(place, root) == [
        "3 notes, 1 stale: look before you rely on them",
        "2. tests need a database [the user]",
        "3. old style (a.py) [an agent]",
        "1. load gives absolute paths (a.py) [an agent; STALE: its code has changed]",
    ]
    file.unlink()
    assert sum("STALE: the file is gone" in line for line in lines(place, root)) == 2
    forget_note(place, 1)
    told = "a line\u2028of one\x85note\u2029is a line"
    odd = add_note(place, root, told, "an agent", None, None)
    assert [note.text for note, _, _ in noted(place, root) if note.number == odd.number] == [told]
    forget_note(place, odd.number)
    assert [note.number for note, _, _ in noted(place, root)] == [2, 3]
    kept = tmp_path / "c" / "notes" / "notes.jsonl"
    assert kept.stat().st_mode & 0o777 == 0o600
    before = kept.read_bytes()
    for text, path, where, code in (
        ("", None, None, "bad-note"), ("x" * 2001, None, None, "bad-note"),
        ("x", None, (1, 2), "bad-note"), ("x", "b.py", None, "no-such-file"),
        ("x", "../b.py", None, "outside-root"),
    ):  # fmt: skip
        with pytest.raises(BadInput) as caught:
            add_note(place, root, text, "an agent", path, where)
        assert caught.value.code == code
    file.write_text(TEXT)
    with pytest.raises(BadInput) as caught:
        add_note(place, root, "x", "an agent", "a.py", (4, 50))
    assert caught.value.code == "bad-range"
    with pytest.raises(BadInput):
        forget_note(place, 77)
    assert kept.read_bytes() == before
    kept.write_bytes(before + b"{half")
    with pytest.raises(BadInput) as caught:
        noted(place, root)
    assert caught.value.code == "bad-notes"
    assert "line 3" in str(caught.value)
