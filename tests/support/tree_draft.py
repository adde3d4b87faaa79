"""A project's files under edit: written, deleted, renamed; it notes what an agent would send."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from tests.support.edits import Draft, EditKind, GeneratedEdit


class TreeDraft:
    """Files by path; remembers where each file and each line of it comes from."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._before = files
        self._now: dict[str, Draft] = {path: Draft(text) for path, text in files.items()}
        self._came = {path: path for path in files}
        self._touched: dict[str, None] = {}
        self._steps: list[dict[str, str]] = []

    def text(self, path: str) -> str:
        """What the file holds by now."""
        return self._now[path].text

    def write(self, path: str, text: str) -> None:
        """Create a file, or give it another text."""
        former = self._now.get(path)
        draft = Draft("" if former is None else former.before)
        draft.lines, draft.origins = _matched(former or draft, text)
        self._now[path] = draft
        self._note(path, {"kind": "write", "path": path, "text": text})

    def delete(self, path: str) -> None:
        """Delete a file."""
        del self._now[path]
        self._came.pop(path, None)
        self._note(path, {"kind": "delete", "path": path})

    def rename(self, path: str, to: str) -> None:
        """Rename a file to a path where there is none."""
        assert to not in self._now
        self._now[to] = self._now.pop(path)
        came = self._came.pop(path, None)
        if came is not None:
            self._came[to] = came
        self._note(path, {"kind": "rename", "path": path, "to": to})
        self._touched[to] = None

    def rename_folder(self, folder: str, to: str) -> None:
        """Rename all files of a folder."""
        for path in [path for path in self._now if path.startswith(f"{folder}/")]:
            self.rename(path, f"{to}{path.removeprefix(folder)}")

    def change(self, path: str, change: Callable[[Draft], None]) -> None:
        """Edit one file in place."""
        draft = self._now[path]
        former = draft.text
        change(draft)
        if draft.text != former:
            self._note(path, {"kind": "write", "path": path, "text": draft.text})

    def substitute(self, pattern: str, new: str, paths: set[str] | None = None) -> None:
        """Replace what a pattern finds, in these files or in all."""
        for path in sorted(self._now):
            if paths is None or path in paths:
                self.change(path, lambda draft: draft.substitute(pattern, new))

    def edit(self, kind: EditKind, label: str) -> GeneratedEdit:
        """All of it as one edit; what ended as it was is left out."""
        files = {path: self._text(path) for path in self._touched}
        changed = {path: text for path, text in files.items() if text != self._before.get(path)}
        homes = {path: self._home(path) for path, text in changed.items() if text is not None}
        return GeneratedEdit(
            kind,
            label,
            changed,
            {path: self._before.get(path) for path in changed},
            {path: self._origins(path, home) for path, home in homes.items()},
            {path: home for path, home in homes.items() if home not in (None, path)},
            tuple(self._steps),
        )

    def _home(self, path: str) -> str | None:
        """Where the file was before; a rename is one only if nothing is left at the old path."""
        came = self._came.get(path)
        if came is not None and came != path and came not in self._now:
            return came
        return path if path in self._before else None

    def _origins(self, path: str, home: str | None) -> list[int | None]:
        draft = self._now[path]
        if home is None:
            return [None] * len(draft.lines)
        if self._came.get(path) == home:
            return draft.origins
        return _matched(Draft(self._before[home]), draft.text)[1]

    def _text(self, path: str) -> str | None:
        draft = self._now.get(path)
        return None if draft is None else draft.text

    def _note(self, path: str, step: dict[str, str]) -> None:
        self._touched[path] = None
        self._steps.append(step)


def _matched(former: Draft, text: str) -> tuple[list[str], list[int | None]]:
    """The new text's lines, and for each the line that it was before the edit."""
    lines = text.splitlines(keepends=True)
    origins: list[int | None] = [None] * len(lines)
    matcher = difflib.SequenceMatcher(None, former.lines, lines, autojunk=False)
    for old, new, size in matcher.get_matching_blocks():
        origins[new : new + size] = former.origins[old : old + size]
    return lines, origins


Scenario = tuple[EditKind, str, Callable[[TreeDraft], None]]
"""One edit of files: its kind, what it is about, and the change."""
