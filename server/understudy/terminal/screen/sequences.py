"""What control characters and escape sequences do to a screen.

Source: ECMA-48, DEC STD 070, and xterm.js 6 where they leave a choice.
"""

from __future__ import annotations

from collections.abc import Callable

from understudy.terminal.screen.rows import Grid
from understudy.terminal.screen.screen import Screen
from understudy.terminal.screen.tokens import Parameters, parameters

MAX_REPEATS = 65_536
_ALTERNATE = (47, 1047, 1049)
_DRAWING = str.maketrans(
    "`abcdefghijklmnopqrstuvwxyz{|}~",
    "\u25c6\u2592\u2409\u240c\u240d\u240a\u00b0\u00b1\u2424\u240b\u2518\u2510\u250c\u2514\u253c"
    "\u23ba\u23bb\u2500\u23bc\u23bd\u251c\u2524\u2534\u252c\u2502\u2264\u2265\u03c0\u2260\u00a3\u00b7",
)
"""The line drawing characters of DEC terminals."""


class Sequences:
    """The state that only sequences know (modes, tab stops, character sets), and their effects."""

    def __init__(self, screen: Screen, on_alternate: Callable[[bool], None]) -> None:
        self.screen = screen
        self._on_alternate = on_alternate
        self._stops = set(range(0, 1024, 8))
        self._is_origin = False
        self._feeds_return = False
        self._sets = {"(": False, ")": False}
        self._shifted = False
        self.draws = False
        """Whether letters stand for lines now."""

        self._escapes = self._escape_table()
        self._effects = self._effect_table()

    @property
    def is_plain(self) -> bool:
        """Whether text and line ends act as in a terminal that was just opened."""
        screen = self.screen
        grid = screen.grid
        return (
            not screen.is_alternate
            and grid.top == 0
            and grid.bottom == screen.height - 1
            and screen.wraps
            and not screen.inserts
            and not self.draws
            and not self._feeds_return
        )

    def text(self, text: str) -> None:
        """Write characters."""
        if self.draws:
            text = text.translate(_DRAWING)
        self.screen.put(text)

    def control(self, character: str) -> None:
        """Act on a control character."""
        screen = self.screen
        grid = screen.grid
        screen.is_joining = False
        if character == "\r\n":
            grid.x = 0
            screen.line_feed()
        elif character in "\n\x0b\x0c":
            if self._feeds_return:
                grid.x = 0
            screen.line_feed()
        elif character == "\r":
            grid.x = 0
        elif character == "\b":
            screen.clamp()
            grid.x = max(grid.x - 1, 0)
        elif character == "\t":
            self._tab(1)
        elif character in "\x0e\x0f":
            self._shifted = character == "\x0e"
            self.draws = self._sets[")" if self._shifted else "("]
        elif character in "\x84\x85\x88":
            self.escape("", "DEH"["\x84\x85\x88".index(character)])

    def escape(self, between: str, final: str) -> None:
        """Act on an escape sequence: the characters between, and the last one."""
        screen = self.screen
        screen.is_joining = False
        if between in self._sets:
            self._sets[between] = final == "0"
            if (between == ")") == self._shifted:
                self.draws = final == "0"
        elif between == "#" and final == "8":
            self._fill()
        elif not between and final in self._escapes:
            self._escapes[final]()

    def sequence(self, prefix: str, digits: str, between: str, final: str) -> None:
        """Act on a control sequence (CSI)."""
        screen = self.screen
        was_joining, screen.is_joining = screen.is_joining, False
        if final == "m":
            return
        numbers = parameters(digits)
        if final in "hl" and not between:
            if prefix in ("", "?"):
                for number in numbers:
                    self._mode(prefix == "?", number, final == "h")
        elif between == "!" and final == "p" and not prefix:
            self._soft_reset()
        elif between or prefix not in ("", "?" if final in "JK" else ""):
            return
        elif final == "b":
            if was_joining:
                screen.put(screen.last_character() * min(numbers[0] or 1, MAX_REPEATS))
        elif final in self._effects:
            self._effects[final](numbers)

    # ---- the cursor

    def _move(self, right: int, down: int) -> None:
        self.screen.clamp()
        self._bound()
        grid = self.screen.grid
        self._place(grid.x + right, grid.y + down)

    def _place(self, x: int, y: int) -> None:
        grid = self.screen.grid
        # xterm.js adds the region's top to relative moves, too.
        grid.x, grid.y = x, y + grid.top if self._is_origin else y
        self.screen.clamp()
        self._bound()

    def _bound(self) -> None:
        if self._is_origin:
            grid = self.screen.grid
            grid.y = min(max(grid.y, grid.top), grid.bottom)

    def _up(self, numbers: Parameters) -> None:
        grid = self.screen.grid
        count = numbers[0] or 1
        self._move(0, -min(grid.y - grid.top, count) if grid.y >= grid.top else -count)

    def _down(self, numbers: Parameters) -> None:
        grid = self.screen.grid
        count = numbers[0] or 1
        self._move(0, min(grid.bottom - grid.y, count) if grid.y <= grid.bottom else count)

    def _line_down(self, numbers: Parameters) -> None:
        self._down(numbers)
        self.screen.grid.x = 0

    def _line_up(self, numbers: Parameters) -> None:
        self._up(numbers)
        self.screen.grid.x = 0

    def _position(self, numbers: Parameters) -> None:
        column = (numbers[1] or 1) if len(numbers) > 1 else 1
        self._place(column - 1, (numbers[0] or 1) - 1)

    def _tab(self, count: int) -> None:
        screen = self.screen
        grid = screen.grid
        if grid.x >= screen.width:
            return
        for _ in range(min(count, screen.width)):
            following = (x for x in range(grid.x + 1, screen.width) if x in self._stops)
            grid.x = next(following, screen.width - 1)

    def _back_tab(self, numbers: Parameters) -> None:
        grid = self.screen.grid
        if grid.x >= self.screen.width:
            return
        for _ in range(min(numbers[0] or 1, self.screen.width)):
            grid.x = next((x for x in range(grid.x - 1, 0, -1) if x in self._stops), 0)

    def _clear_stops(self, numbers: Parameters) -> None:
        if numbers[0] == 0:
            self._stops.discard(self.screen.grid.x)
        elif numbers[0] == 3:
            self._stops.clear()

    def _save(self) -> None:
        grid = self.screen.grid
        grid.saved = (grid.x, grid.base + grid.y, self.draws)

    def _restore(self) -> None:
        grid = self.screen.grid
        grid.x, grid.y = grid.saved[0], max(grid.saved[1] - grid.base, 0)
        self.draws = grid.saved[2]
        self.screen.clamp()
        self._bound()

    def _set_stop(self) -> None:
        self._stops.add(self.screen.grid.x)

    def _index(self) -> None:
        screen = self.screen
        screen.clamp()
        grid = screen.grid
        if grid.y == grid.bottom:
            screen.scroll()
        else:
            grid.y = min(grid.y + 1, screen.height - 1)
        self._bound()

    def _next_line(self) -> None:
        self.screen.grid.x = 0
        self._index()

    def _reverse_index(self) -> None:
        screen = self.screen
        screen.clamp()
        grid = screen.grid
        if grid.y == grid.top:
            screen.move_rows(grid.top, grid.bottom, -1)
        else:
            grid.y = max(grid.y - 1, 0)

    # ---- erasing and moving text

    def _erase_display(self, numbers: Parameters) -> None:
        screen = self.screen
        screen.clamp(screen.width)
        grid = screen.grid
        if numbers[0] == 0:
            screen.erase(grid.y, grid.x, screen.width)
            if grid.x == 0:
                grid.continues[grid.y] = False
            for y in range(grid.y + 1, screen.height):
                screen.blank(y)
        elif numbers[0] == 1:
            screen.erase(grid.y, 0, grid.x + 1)
            grid.continues[grid.y] = False
            for y in range(grid.y):
                screen.blank(y)
        elif numbers[0] == 2:
            screen.push_all()

    def _erase_line(self, numbers: Parameters) -> None:
        screen = self.screen
        screen.clamp(screen.width)
        grid = screen.grid
        if numbers[0] == 0:
            screen.erase(grid.y, grid.x, screen.width)
        elif numbers[0] == 1:
            screen.erase(grid.y, 0, grid.x + 1)
        elif numbers[0] == 2:
            screen.erase(grid.y, 0, screen.width)
        if numbers[0] == 2 or (numbers[0] == 0 and grid.x == 0):
            grid.continues[grid.y] = False

    def _erase_cells(self, numbers: Parameters) -> None:
        screen = self.screen
        screen.clamp()
        x = screen.grid.x
        screen.erase(screen.grid.y, x, min(x + (numbers[0] or 1), screen.width))

    def _shift_cells(self, count: int) -> None:
        self.screen.clamp()
        self.screen.shift_cells(count)

    def _shift_lines(self, count: int) -> None:
        screen = self.screen
        screen.clamp()
        grid = screen.grid
        if grid.top <= grid.y <= grid.bottom:
            screen.move_rows(grid.y, grid.bottom, count)
            grid.x = 0

    def _shift_region(self, count: int) -> None:
        grid = self.screen.grid
        self.screen.move_rows(grid.top, grid.bottom, count)

    def _region(self, numbers: Parameters) -> None:
        grid, height = self.screen.grid, self.screen.height
        top = numbers[0] or 1
        bottom = numbers[1] if len(numbers) > 1 else 0
        if bottom > height or bottom == 0:
            bottom = height
        if bottom > top:
            grid.top, grid.bottom = top - 1, bottom - 1
            self._place(0, 0)

    # ---- modes

    def _mode(self, is_private: bool, number: int, is_on: bool) -> None:
        screen = self.screen
        if not is_private:
            if number == 4:
                screen.inserts = is_on
            elif number == 20:
                self._feeds_return = is_on
        elif number == 6:
            self._is_origin = is_on
            self._place(0, 0)
        elif number == 7:
            screen.wraps = is_on
        elif number == 1048:
            (self._save if is_on else self._restore)()
        elif number in _ALTERNATE:
            self._alternate(number, is_on)

    def _alternate(self, number: int, is_on: bool) -> None:
        screen = self.screen
        if number == 1049 and is_on:
            self._save()
        if is_on != screen.is_alternate:
            before = screen.grid
            screen.grid = Grid(screen.height) if is_on else screen.main
            screen.grid.x, screen.grid.y = before.x, before.y
            self._on_alternate(is_on)
        if number == 1049 and not is_on:
            self._restore()

    def _soft_reset(self) -> None:
        screen = self.screen
        grid = screen.grid
        grid.top, grid.bottom = 0, screen.height - 1
        self.draws = False
        grid.saved = (0, grid.base, False)
        screen.wraps, screen.inserts = True, False
        self._is_origin = self._shifted = False
        self._sets = {"(": False, ")": False}

    def _full_reset(self) -> None:
        screen = self.screen
        if screen.is_alternate:
            self._alternate(1047, False)
        self._soft_reset()
        screen.push_all()
        screen.grid.x = screen.grid.y = 0
        self._stops = set(range(0, 1024, 8))
        self._feeds_return = False

    def _fill(self) -> None:
        screen = self.screen
        for y in range(screen.height):
            screen.blank(y)
            screen.grid.rows[y] = "E" * screen.width
        self._place(0, 0)

    # ---- which is which

    def _escape_table(self) -> dict[str, Callable[[], None]]:
        return {
            "7": self._save,
            "8": self._restore,
            "D": self._index,
            "E": self._next_line,
            "H": self._set_stop,
            "M": self._reverse_index,
            "c": self._full_reset,
        }

    def _effect_table(self) -> dict[str, Callable[[Parameters], None]]:
        return {
            "@": lambda n: self._shift_cells(n[0] or 1),
            "A": self._up,
            "B": self._down,
            "C": lambda n: self._move(n[0] or 1, 0),
            "D": lambda n: self._move(-(n[0] or 1), 0),
            "E": self._line_down,
            "F": self._line_up,
            "G": lambda n: self._place((n[0] or 1) - 1, self.screen.grid.y),
            "H": self._position,
            "I": lambda n: self._tab(n[0] or 1),
            "J": self._erase_display,
            "K": self._erase_line,
            "L": lambda n: self._shift_lines(-(n[0] or 1)),
            "M": lambda n: self._shift_lines(n[0] or 1),
            "P": lambda n: self._shift_cells(-(n[0] or 1)),
            "S": lambda n: self._shift_region(n[0] or 1),
            "T": lambda n: self._shift_region(-(n[0] or 1)),
            "X": self._erase_cells,
            "Z": self._back_tab,
            "`": lambda n: self._place((n[0] or 1) - 1, self.screen.grid.y),
            "a": lambda n: self._move(n[0] or 1, 0),
            "d": lambda n: self._place(self.screen.grid.x, (n[0] or 1) - 1),
            "e": lambda n: self._move(0, n[0] or 1),
            "f": self._position,
            "g": self._clear_stops,
            "r": self._region,
            "s": lambda _: self._save(),
            "u": lambda _: self._restore(),
        }
