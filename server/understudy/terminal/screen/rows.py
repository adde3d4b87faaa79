"""The lines that leave a screen at its top: from then on they never change.

A row that continues the one above is joined to it in the text, as xterm.js marks them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise

from understudy.terminal.screen.cells import RIGHT_HALF, Clusters
from understudy.terminal.secrets.redaction import FULL, MASK_BEGIN, MASK_END, OPEN, Secret

Commit = Callable[[str], None]
Find = Callable[[str], list[Secret]]
"""Says where the secrets of a line are."""

MAX_PENDING = 65_536
"""Characters of one unfinished line that are held; more are committed without its end."""

MAX_AROUND = 8
"""Rows above and below one that are looked at with it, where its line goes on in them."""
MAX_LOOKED = 4096


class Grid:
    """One screen: `height` rows of cells, and for each whether it continues the one above."""

    def __init__(self, height: int) -> None:
        self.rows = [""] * height
        self.continues = [False] * height
        self.x = 0
        self.y = 0
        self.top = 0
        self.bottom = height - 1
        self.base = 0
        """Rows that have left at the top; with `y` it makes the place of a saved cursor."""
        self.saved: tuple[int, int, bool] = (0, 0, False)
        """Column, row counted from the first that ever was, whether letters draw lines."""


class Rows:
    """The grid in use, and the line that is being put together above it."""

    def __init__(self, width: int, height: int, commit: Commit, find: Find | None = None) -> None:
        """With `find`, a secret is hidden in its cells before any of them changes.

        And text that is committed has `FULL` in the place of a line's end behind a row that is full
        to its last column: the word there may go on in the next one.
        """
        self._find = find
        self._looked: set[str] = set()
        """Lines that were looked at as they are."""
        self.width = width
        self.height = height
        self.clusters = Clusters()
        self.grid = Grid(height)
        self.main = self.grid
        self._commit = commit
        self._pending: list[str] = []
        self._n_pending = 0
        self._last_width = width
        """Columns that the last row of `_pending` had, behind what was committed of it before."""
        self._is_committed_in_part = False
        self._cut: tuple[int, int] | None = None
        """Row and column up to which the main screen's text has been committed already."""

    @property
    def is_alternate(self) -> bool:
        """Whether a full-screen program has the screen to itself."""
        return self.grid is not self.main

    def scroll(self, continues: bool = False) -> None:
        """Move the scrolling region up a row."""
        grid = self.grid
        if grid.top == 0:
            self._retire()
        else:
            self._hide(grid.top)
            del grid.rows[grid.top], grid.continues[grid.top]
        grid.rows.insert(grid.bottom, "")
        grid.continues.insert(grid.bottom, continues)

    def commit_text(self, text: str, n_lines: int) -> None:
        """Commit whole lines that were never on the screen, below all that is on it.

        The cursor must stand at the start of a blank row with blank ones below it.
        """
        grid = self.grid
        for _ in range(grid.y):
            self._retire()
            grid.rows.append("")
            grid.continues.append(False)
        if self._find is None or not self._is_cut_by_rows(text):
            self._finish_line()
            self._cut = None
            self._commit(text)
        else:
            self._commit_rows(text)
        grid.base += n_lines
        grid.y = 0

    def settle(self, *, cuts: bool = False) -> None:
        """Commit all text up to the cursor; the rows stay where they are for the program.

        With `cuts` the last line goes on behind the cursor. A secret may be cut in two there, so
        that line ends in a mark.
        """
        grid = self.main
        lines = self._logical_lines(grid.y, grid.x)
        if not self._pending and self._cut is None and not any(lines) and grid.y == 0:
            return
        for index, line in enumerate(lines):
            if index < len(lines) - 1 or line or self._is_committed_in_part:
                is_cut = cuts and index == len(lines) - 1 and self._find is not None
                self._commit(f"{line}{OPEN}\n" if is_cut else line + "\n")
        self._pending.clear()
        self._n_pending = 0
        self._is_committed_in_part = False
        self._cut = (grid.y, grid.x)

    def push_all(self) -> None:
        """Commit what stands on the screen and leave it blank; the cursor stays."""
        grid = self.grid
        last = next((y for y in reversed(range(self.height)) if grid.rows[y]), -1)
        for _ in range(last + 1):
            self.scroll()

    def live(self) -> list[str]:
        """The lines that are not committed yet, without blank ones at the end."""
        return self._logical_lines(self.height, 0)

    def _retire(self) -> None:
        """Take the top row off the screen; its line ends when the next one starts another."""
        grid = self.grid
        if self._cut is not None:
            self._hide(self._cut[0])
        row, continues = grid.rows.pop(0), grid.continues.pop(0)
        grid.base += 1
        if grid is not self.main:
            return
        if self._cut is not None:
            y, x = self._cut
            if y > 0:
                self._cut = (y - 1, x)
                return
            self._cut = None
            row = row[x:]
            continues = False
            if not row:
                return
        else:
            x = 0
        if not continues:
            self._end_line()
        elif self._pending:
            self._pending[-1] = _padded(self._pending[-1], row, self._last_width)
        self._pending.append(row)
        self._last_width = self.width - x
        self._n_pending += len(row)
        if self._n_pending > MAX_PENDING:
            self._commit(self.clusters.text("".join(self._pending)))
            self._pending.clear()
            self._n_pending = 0
            self._is_committed_in_part = True

    def _take_pending(self, following: str) -> str:
        """Take back the part of a line that has left the screen, to lay it out again."""
        if not self._pending:
            return ""
        if FULL in self._pending:  # lines above it, which are held with it
            start = len(self._pending) - self._pending[::-1].index(FULL)
            self._commit(self.clusters.text("".join(self._pending[: start - 1])) + "\n")
            del self._pending[:start]
            self._is_committed_in_part = False
            if not self._pending:
                return ""
        self._pending[-1] = _padded(self._pending[-1], following, self._last_width)
        above = "".join(self._pending)
        self._pending.clear()
        self._n_pending = 0
        return above

    def _end_line(self) -> None:
        """End the line above the screen, or hold it: one that is full may be cut there."""
        if self._pending and self._pending[-1] == FULL:
            return
        if (
            self._find is not None
            and self._pending
            and _is_full(self._pending[-1], self._last_width)
        ):
            self._pending.append(FULL)
            return
        self._finish_line()

    def _finish_line(self) -> None:
        if self._pending or self._is_committed_in_part:
            line = self.clusters.text("".join(self._pending)).rstrip(" ")
            self._pending.clear()
            self._n_pending = 0
            self._is_committed_in_part = False
            self._commit(line + "\n")

    def _logical_lines(self, end_y: int, end_x: int) -> list[str]:
        """Lines from the first uncommitted place up to a place, or to the last that has text."""
        grid = self.main
        cut_y, cut_x = self._cut if self._cut is not None else (0, 0)
        if self._cut is not None:
            self._hide(cut_y)
        parts = list(self._pending)
        width = self._last_width
        lines: list[str] = []
        for y in range(cut_y, min(end_y + 1, self.height)):
            row = grid.rows[y]
            if y == end_y:
                row = row[:end_x] if end_y < self.height else row
            is_start = y == cut_y and self._cut is not None
            if is_start:
                row = row[cut_x:]
            if (grid.continues[y] and not is_start) and parts:
                parts[-1] = _padded(parts[-1], row, width)
            elif (
                parts
                and self._find is not None
                and (parts[-1] == FULL or _is_full(parts[-1], width))
            ):
                parts += [] if parts[-1] == FULL else [FULL]
            elif parts:
                lines.append(self.clusters.text("".join(parts)).rstrip(" "))
                parts = []
            parts.append(row)
            width = self.width - (cut_x if is_start else 0)
        lines.append(self.clusters.text("".join(parts)).rstrip(" "))
        if end_y >= self.height:
            while lines and not lines[-1]:
                lines.pop()
        return lines

    # ---- secrets

    def _hide(self, y: int) -> None:
        """Hide the secrets of the line that a row is part of: a cell of it is about to change."""
        if self._find is None or self.is_alternate:
            return
        grid = self.grid
        first = last = y
        while y - first < MAX_AROUND and first and self._goes_on(first):
            first -= 1
        while last - y < MAX_AROUND and last + 1 < self.height and self._goes_on(last + 1):
            last += 1
        above = self._pending[-1:] if first == 0 and grid.continues[0] else []
        rows = [*above, *grid.rows[first : last + 1]]
        hidden = self._hidden(rows)
        if hidden is not rows:
            if above:
                self._pending[-1] = hidden.pop(0)
            grid.rows[first : last + 1] = hidden

    def _goes_on(self, y: int) -> bool:
        """Whether a row may be part of the line above it."""
        return self.grid.continues[y] or _is_full(self.grid.rows[y - 1], self.width)

    def _hidden(self, rows: list[str]) -> list[str]:
        """The rows with the secrets of their common line hidden in their cells."""
        line = "".join(rows)
        if self._find is None or line in self._looked:
            return rows
        if len(self._looked) > MAX_LOOKED:
            self._looked.clear()
        found = self._find(line)
        if not found:
            self._looked.add(line)
            return rows
        for start, end, kind in found:
            cell = self.clusters.code(f"{MASK_BEGIN}{kind}{MASK_END}")
            line = line[:start] + cell * (end - start) + line[end:]
        ends = [0, *accumulate(map(len, rows))]
        return [line[a:b] for a, b in pairwise(ends)]

    def _is_cut_by_rows(self, text: str) -> bool:
        """Whether a line of a text ends with a row that is full."""
        return any(map(self._fills_rows, text.split("\n")))

    def _fills_rows(self, line: str) -> bool:
        n_cells = len(line) if line.isascii() else len(self.clusters.cells(line))
        return n_cells > 0 and n_cells % self.width == 0 and line[-1] != " "

    def _commit_rows(self, text: str) -> None:
        """Commit whole lines of which some are full; the last is held if it is."""
        self._finish_line()
        self._cut = None
        lines = text.removesuffix("\n").split("\n")
        parts: list[str] = []
        for line in lines[:-1]:
            parts += (line, FULL if self._fills_rows(line) else "\n")
        if self._fills_rows(lines[-1]):
            held = len(parts)
            while held and parts[held - 1] == FULL:
                held -= 2
            self._commit("".join(parts[:held]))
            self._pending = [*parts[held:], lines[-1], FULL]
            self._n_pending = sum(map(len, self._pending))
        else:
            self._commit("".join((*parts, lines[-1], "\n")))

    def _uncut(self, y: int, x: int) -> None:
        """Something above what was committed changes: from that row on it is new text."""
        if self._cut is not None and not self.is_alternate and (y, x) < self._cut:
            self._cut = (y, 0) if (y, 0) != (0, 0) else None


def _is_full(row: str, width: int) -> bool:
    """Whether a row has a character in its last column."""
    return len(row) >= width and row[-1:] != " "


def _padded(row: str, following: str, width: int) -> str:
    """A row that is continued, filled up to the columns that it has."""
    missing = width - len(row)
    if missing <= 0 or (missing == 1 and following[1:2] == RIGHT_HALF):
        return row
    return row.ljust(width)
