"""The lines that leave a screen at its top: from then on they never change.

A row that continues the one above is joined to it in the text, as xterm.js marks them.
"""

from __future__ import annotations

from collections.abc import Callable

from understudy.terminal.cells import RIGHT_HALF, Clusters

Commit = Callable[[str], None]

MAX_PENDING = 65_536
"""Characters of one unfinished line that are held; more are committed without its end."""


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

    def __init__(self, width: int, height: int, commit: Commit) -> None:
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
        self._finish_line()
        self._cut = None
        self._commit(text)
        grid.base += n_lines
        grid.y = 0

    def settle(self) -> None:
        """Commit all text up to the cursor; the rows stay where they are for the program."""
        grid = self.main
        lines = self._logical_lines(grid.y, grid.x)
        if not self._pending and self._cut is None and not any(lines) and grid.y == 0:
            return
        for index, line in enumerate(lines):
            if index < len(lines) - 1 or line or self._is_committed_in_part:
                self._commit(line + "\n")
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
            self._finish_line()
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
        self._pending[-1] = _padded(self._pending[-1], following, self._last_width)
        above = "".join(self._pending)
        self._pending.clear()
        self._n_pending = 0
        return above

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

    def _uncut(self, y: int, x: int) -> None:
        """Something above what was committed changes: from that row on it is new text."""
        if self._cut is not None and not self.is_alternate and (y, x) < self._cut:
            self._cut = (y, 0) if (y, 0) != (0, 0) else None


def _padded(row: str, following: str, width: int) -> str:
    """A row that is continued, filled up to the columns that it has."""
    missing = width - len(row)
    if missing <= 0 or (missing == 1 and following[1:2] == RIGHT_HALF):
        return row
    return row.ljust(width)
