"""Random streams for terminals: text, sequences, wide characters, and plain lines between."""

from __future__ import annotations

import random

WORDS = [
    "日本",
    "漢字テスト",
    "é",
    "✓",
    "e\u0301",
    "👍🏽",
    "→",
    "한국어",
    "█▉▊",
    "👩\u200d💻",
    "❤\ufe0f",
]
ENDS = ["\r\n", "\r\n", "\n", "\r", "\b", "\t", "\r\r\n"]
NUMBERS = ["", "1", "2", "3", "5", "0", "2;3", "4;10", "3;5"]
OTHERS = [
    *("\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bE", "\x1bH", "\x1b[?7l", "\x1b[?7h", "\x1b[4h"),
    *("\x1b[4l", "\x1b[?1049h", "\x1b[?1049l", "\x1b]0;title\x07", "\x1b(0", "\x1b(B"),
    *("\x1b[?6h", "\x1b[?6l", "\x1b]8;;http://x/\x1b\\", "\x1bP1$r\x1b\\", "\x1b[!p", "\x07"),
    *("\x1b[\n2C", "\x1b[>4;2m", "\x1b[22;0;0t", "\x1b[38;5;1", "\x0e", "\x0f"),
]


def stream(seed: int) -> str:
    """A stream that is the same for the same seed."""
    rng = random.Random(seed)
    parts = [_part(rng) for _ in range(rng.randint(20, 120))]
    return "".join(parts)


def _part(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.35:
        return "".join(rng.choice("abcdefghij  xyz") for _ in range(rng.randint(1, 30)))
    if kind < 0.42:
        return rng.choice(WORDS)
    if kind < 0.6:
        return rng.choice(ENDS)
    if kind < 0.93:
        return f"\x1b[{rng.choice(NUMBERS)}{rng.choice('ABCDEFGHJKLMPSTX@dfrsubm`aeIZ')}"
    if kind < 0.99:
        return rng.choice(OTHERS)
    return "".join(_plain_line(rng) for _ in range(rng.randint(20, 60)))


def _plain_line(rng: random.Random) -> str:
    words = ("error", "warning: ", "x" * 25, "日本", "\t", "\x1b[31mred\x1b[0m", "tail   ", "")
    return " ".join(rng.choice(words) for _ in range(rng.randint(0, 5))) + "\r\n"
