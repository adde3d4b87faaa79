"""Texts that steer a terminal or hide from its user, and a look at what a terminal was given."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.support.terminals import OnPty

HIDING = {
    "up and erase": "\x1b[1A\x1b[2K",
    "carriage return": "shown\rhidden",
    "backspace": "x\b\b\by",
    "delete": "\x7f",
    "bell": "\x07",
    "title": "\x1b]0;title\x07",
    "link": "\x1b]8;;https://evil.example/\x1b\\text\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "string": "\x1bP1$r\x1b\\",
    "C1": "\x9b2K\x9d0;t\x9c",
    "next line": "\x85",
    "right to left": "\u202eevil\u202c \u2066a\u2069",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufeff",
    "tags": "\U000e0041\U000e0042\U000e007f",
    "selectors": "\ufe00\ufe0f\U000e0100",
    "soft hyphen": "a\xadb",
    "fillers": "\u3164\u115f\uffa0\u2800",
    "separators": "\u2028\u2029",
}
ALL = " ".join(HIDING.values())

STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
LEGITIMATE = "legitimate \u2764\ufe0f \U0001f468\u200d\U0001f469"
"""Marks that are a part of what is written, and seen."""
OWN_STATUS = "\r\x1b[K"
"""Our own progress line: it is cleared, then written again."""


@dataclass(frozen=True)
class Told:
    """What a command wrote, by a terminal or by pipes."""

    code: int
    text: str
    errors: str = ""


class Place(Protocol):
    """Where a command is started, and our state for it."""

    @property
    def folder(self) -> Path: ...
    @property
    def state(self) -> Path: ...


def on_terminal(place: Place, *arguments: str | Path) -> Told:
    """All that a command writes to a terminal; the terminal's own line ends are taken back."""
    pty = OnPty([*UNDERSTUDY, *arguments], place.folder, child_environment(place.state))
    seen = pty.finish().decode("utf-8", "surrogateescape")
    return Told(pty.status, seen.replace("\r\n", "\n"))


def in_pipe(place: Place, *arguments: str | Path, stdin: bytes = b"") -> Told:
    """The bytes that a command writes into pipes; undecodable ones as lone surrogates."""
    done = subprocess.run(
        [*UNDERSTUDY, *map(str, arguments)], cwd=place.folder,
        env=child_environment(place.state),
        input=stdin, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    out, err = (data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr))
    return Told(done.returncode, out, err)


def steering(told: str) -> list[str]:
    """What in a text steers or hides, with what stands around it; our own status line does not."""
    plain = told.replace(OWN_STATUS, "").replace(LEGITIMATE, "")
    return [repr(plain[max(m.start() - 30, 0) : m.end() + 10]) for m in STEERS.finditer(plain)]
