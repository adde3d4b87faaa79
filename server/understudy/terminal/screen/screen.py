"""What writing, moving and erasing do to the rows of a screen, as in the editor's terminal."""

from __future__ import annotations

from understudy.terminal.screen.cells import RIGHT_HALF, leading_marks
from understudy.terminal.screen.rows import Commit, Find, Grid, Rows


class Screen(Rows):
    """A screen with its cursor; what a program does is a method each."""

    def __init__(self, width: int, height: int, commit: Commit, find: Find | None = None) -> None:
        super().__init__(width, height, commit, find)
        self.wraps = True
        self.inserts = False
        self.is_joining = False
        """Whether a mark that comes now belongs to the character before it."""

    # ---- writing

    def put(self, text: str) -> None:
        """Write printable characters at the cursor, wrapping as the terminal does."""
        grid, width = self.grid, self.width
        if not self.wraps and len(text) > 1 and grid.x + 2 * len(text) > width:
            for character in text:
                self.put(character)
            return
        if not text.isascii():
            text = self._attach(text)
            if not text:
                return
            text = self.clusters.cells(text)
        elif self._put_within_row(text):
            return
        if len(grid.rows[grid.y]) > grid.x:
            self._hide(grid.y)
        if self._cut is not None:
            self._uncut(grid.y, grid.x)
        row, x = grid.rows[grid.y], grid.x
        if not self.is_joining and row[x : x + 1] == RIGHT_HALF:
            grid.rows[grid.y] = row[: x - 1] + " " + row[x:]
        self.is_joining = True
        if not self.wraps and x + len(text) > width:
            self._put_without_wrapping(text)
        else:
            self._put_wrapping(text)

    def _put_wrapping(self, text: str) -> None:
        grid, width = self.grid, self.width
        at, n_cells = 0, len(text)
        while at < n_cells:
            room = width - grid.x
            if room <= 0 or (room == 1 and text[at + 1 : at + 2] == RIGHT_HALF):
                self._wrap()
                room = width
            end = min(at + room, n_cells)
            if text[end : end + 1] == RIGHT_HALF:
                end -= 1
            self._write(text[at:end])
            at = end

    def _put_within_row(self, text: str) -> bool:
        """Write ASCII where it fits into the row and nothing has to be looked at; or do nothing."""
        grid = self.grid
        row, x = grid.rows[grid.y], grid.x
        end = x + len(text)
        is_new = self._cut is None or (grid.y, x) >= self._cut
        if end > self.width or not is_new or self.inserts or not row.isascii():
            return False
        if len(row) > x and self._find is not None:
            self._hide(grid.y)
            row = grid.rows[grid.y]
        grid.rows[grid.y] = row[:x].ljust(x) + text + row[end:]
        grid.x = end
        self.is_joining = True
        return True

    def _write(self, cells: str) -> None:
        grid = self.grid
        if grid.x == 0 and grid.rows[grid.y]:
            self._hide(grid.y)
        row, x = grid.rows[grid.y], grid.x
        if len(row) < x:
            row = row.ljust(x)
        end = x + len(cells)
        if len(row) == x:
            grid.rows[grid.y] = row + cells
        elif self.inserts:
            row = self._without_half(row, x)
            grid.rows[grid.y] = self._fitted(row[:x] + cells + row[x:])
        else:
            rest = row[end:]
            if rest[:1] == RIGHT_HALF:
                rest = " " + rest[1:]
            grid.rows[grid.y] = row[:x] + cells + rest
        grid.x = end

    def _wrap(self) -> None:
        grid = self.grid
        if grid.x < self.width:
            grid.rows[grid.y] = grid.rows[grid.y][: grid.x]
        grid.x = 0
        grid.y += 1
        if grid.y == grid.bottom + 1:
            grid.y -= 1
            self.scroll(continues=True)
        else:
            grid.y = min(grid.y, self.height - 1)
            grid.continues[grid.y] = True

    def _put_without_wrapping(self, text: str) -> None:
        grid, width = self.grid, self.width
        for at, cell in enumerate(text):
            if cell == RIGHT_HALF:
                continue
            is_wide = text[at + 1 : at + 2] == RIGHT_HALF
            if grid.x + 1 + is_wide > width:
                grid.x = width - 1
                if is_wide:
                    continue
            self._write(cell + RIGHT_HALF if is_wide else cell)

    def _attach(self, text: str) -> str:
        """Put marks at the start of the text onto the cell before the cursor."""
        n_marks = leading_marks(text)
        if not n_marks:
            return text
        grid = self.grid
        row = grid.rows[grid.y]
        at = grid.x - 1
        if row[at : at + 1] == RIGHT_HALF:
            at -= 1
        if not 0 <= at < len(row):
            return text
        for index, mark in enumerate(text[:n_marks]):
            joined = self.clusters.with_mark(row[at], mark)
            if joined is None:
                grid.rows[grid.y] = row
                return text[index:]
            row = row[:at] + joined + row[at + 1 :]
        grid.rows[grid.y] = row
        return text[n_marks:]

    def last_character(self) -> str:
        """What stands before the cursor, with its marks."""
        x = self.grid.x
        row = self.grid.rows[self.grid.y]
        start = x - 2 if row[x - 1 : x] == RIGHT_HALF else x - 1
        return self.clusters.text(row[max(start, 0) : x])

    # ---- moving

    def clamp(self, columns: int | None = None) -> None:
        """Keep the cursor on the screen, in the first `columns`."""
        grid = self.grid
        limit = self.width - 1 if columns is None else columns
        grid.x = min(max(grid.x, 0), limit)
        grid.y = min(max(grid.y, 0), self.height - 1)

    def line_feed(self) -> None:
        """Go down a row; at the end of the scrolling region, scroll."""
        grid = self.grid
        grid.y += 1
        if grid.y == grid.bottom + 1:
            grid.y -= 1
            self.scroll()
        elif grid.y >= self.height:
            grid.y = self.height - 1
        else:
            grid.continues[grid.y] = False
        if grid.x >= self.width:
            grid.x -= 1

    # ---- rows that were changed

    def _without_half(self, row: str, x: int) -> str:
        """The row, with the wide character that column `x` would cut in two blanked."""
        if row[x : x + 1] == RIGHT_HALF:
            return row[: x - 1] + "  " + row[x + 1 :]
        return row

    def _fitted(self, row: str) -> str:
        """The row without what hangs over its right end."""
        if len(row) <= self.width:
            return row
        cut = row[: self.width]
        return cut[:-1] + " " if row[self.width] == RIGHT_HALF else cut

    def erase(self, y: int, start: int, end: int) -> None:
        """Blank the columns from `start` up to `end` of a row."""
        grid = self.grid
        self._hide(y)
        if self._cut is not None:
            self._uncut(y, start)
        row = grid.rows[y]
        if not row.isascii():
            row = self._without_half(self._without_half(row, start), end)
        if end >= len(row):
            grid.rows[y] = row[:start]
        elif start < end:
            grid.rows[y] = row[:start] + " " * (end - start) + row[end:]

    def blank(self, y: int) -> None:
        """Empty a row; it no longer continues the one above."""
        self._hide(y)
        if self._cut is not None:
            self._uncut(y, 0)
        self.grid.rows[y] = ""
        self.grid.continues[y] = False

    def shift_cells(self, count: int) -> None:
        """Insert `count` blanks at the cursor, or delete as many cells when negative."""
        grid = self.grid
        self._hide(grid.y)
        if self._cut is not None:
            self._uncut(grid.y, grid.x)
        x = grid.x
        row = self._without_half(grid.rows[grid.y], x)
        if count < 0:
            kept = row[x - count :]
            if kept[:1] == RIGHT_HALF:
                kept = " " + kept[1:]
            grid.rows[grid.y] = row[:x] + kept
        elif x < len(row):
            count = min(count, self.width - x)
            grid.rows[grid.y] = self._fitted(row[:x] + " " * count + row[x:])

    def move_rows(self, first: int, last: int, count: int) -> None:
        """Move rows `first` to `last` up by `count` (down when negative); blank ones follow."""
        grid = self.grid
        if self._cut is not None:
            self._uncut(first, 0)
        self._hide(first)
        n_moved = min(abs(count), last - first + 1)
        for _ in range(n_moved):
            leaving, coming = (first, last) if count > 0 else (last, first)
            self._hide(leaving)
            del grid.rows[leaving], grid.continues[leaving]
            grid.rows.insert(coming, "")
            grid.continues.insert(coming, False)

    def resize(self, width: int, height: int) -> None:
        """Take another size: whole lines are laid out again, the cursor stays in its text."""
        grid = self.main
        lines: list[str] = []
        place = (0, 0)
        for y, row in enumerate(grid.rows):
            if y and grid.continues[y] and lines:
                offset = len(lines[-1])
                lines[-1] += row
            else:
                above = self._take_pending(row) if y == 0 and grid.continues[0] else ""
                offset = len(above)
                lines.append(above + row)
            if y == grid.y:
                place = (len(lines) - 1, offset + grid.x)
        while len(lines) > place[0] + 1 and not lines[-1]:
            lines.pop()
        cut, self._cut = self._cut, None
        was_alternate = self.is_alternate
        fresh = Grid(height)
        fresh.base = grid.base
        self.width, self.height, self.main, self.grid = width, height, fresh, fresh
        cursor = (0, 0)
        for index, line in enumerate(lines):
            if index:
                fresh.x = 0
                self.line_feed()
            start = fresh.base + fresh.y
            rest = line
            while len(rest) > width:
                end = width - 1 if rest[width] == RIGHT_HALF else width
                self._write(rest[:end])
                self._wrap()
                rest = rest[end:]
            self._write(rest)
            if index == place[0]:
                cursor = (place[1] % width, start + place[1] // width)
        fresh.x, fresh.y = cursor[0], cursor[1] - fresh.base
        self.clamp()
        if cut is not None:
            self._cut = (min(cut[0], fresh.y), cut[1] if cut[0] == grid.y else 0)
        if was_alternate:
            self.grid = Grid(height)
