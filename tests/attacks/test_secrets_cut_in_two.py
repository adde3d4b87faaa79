"""A secret that a cursor movement or the end of a row cuts in two leaves no part in a record."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.secret_values import Format, formats
from understudy.terminal.log.file import LogFile
from understudy.terminal.log.header import SIZE, Header
from understudy.terminal.log.session import SessionLog
from understudy.terminal.marks import Begun, Ended
from understudy.terminal.screen.transcript import Transcript

WIDTH, ROWS = 60, 12
HEADER = Header(1, "/", "", "idle", None, None, None, "full")
END = "\r\n| end |\r\n"
PREFIXED = {kind.name: kind for kind in formats() if kind.is_prefixed}
KINDS = [
    PREFIXED[name]
    for name in (
        "github-pat", "github-fine-grained", "aws-access-key", "anthropic", "jwt", "stripe-test",
        "slack-bot", "gitlab-pat", "npm", "vault-service", "google-api", "sendgrid",
    )
]  # fmt: skip


def rows(text: str, between: Callable[[int], str]) -> str:
    """The text in full rows, each behind what `between` gives for its number."""
    parts = [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]
    return "".join(between(number) + part for number, part in enumerate(parts))


def new_line(number: int) -> str:
    return "\r\n" if number else ""


def shifted(value: str) -> str:
    return "x" * (WIDTH - 10) + " " + value


CUTS: dict[str, Callable[[str], str]] = {
    "whole": lambda v: f"token {v}",
    "soft wrap": shifted,
    "rows full to the end": lambda v: rows(shifted(v), new_line),
    "rows placed one by one": lambda v: rows(shifted(v), lambda n: f"\x1b[{n + 1};1H"),
    "rows that scrolled away": lambda v: "a\r\n" * 99 + rows(shifted(v), new_line) + "\r\nb" * 99,
    "many plain lines around": lambda v: (
        "a plain line\r\n" * 99 + rows(shifted(v), new_line) + "\r\na plain line" * 99
    ),
    "drawn over from the start": lambda v: f"{v}\rdone, all is well",
    "its beginning drawn over": lambda v: f"{v}\rok",
    "its end drawn over": lambda v: v + "\b" * 10 + "~~~~~",
    "characters put into it": lambda v: v + "\r\x1b[8C\x1b[4h<<<>>>\x1b[4l",
    "blanks put into it": lambda v: v + "\r\x1b[8C\x1b[4@",
    "a part erased": lambda v: v + "\r\x1b[8C\x1b[4X",
    "a part taken out": lambda v: v + "\r\x1b[8C\x1b[4P",
    "its beginning erased": lambda v: v + "\r\x1b[8C\x1b[1K",
    "the line below drawn first": lambda v: f"{v}\r\n\x1b[1A\x1b[12C...",
    "colours inside": lambda v: f"{v[:9]}\x1b[31m{v[9:]}\x1b[0m",
    "its end printed first": lambda v: (
        f"\x1b[3;11H{v[10:]}\x1b[3;1H{v[:10]}\x1b[5;1H" if len(v) <= WIDTH else ""
    ),
    "a status line between": lambda v: f"{v[:10]}\x1b7\x1b[12;1Hstatus\x1b8{v[10:]}",
    "a line put between its rows": lambda v: shifted(v) + "\x1b[1A\x1b[L",
    "one of its rows scrolled out": lambda v: shifted(v) + "\x1b[2;5r\x1b[5;1H\n\n\x1b[r\x1b[12;1H",
    "the screen cleared": lambda v: f"{v}\x1b[H\x1b[2J",
    "a full-screen program": lambda v: (
        f"{v[: len(v) // 2]}\x1b[?1049h vi \x1b[?1049l{v[len(v) // 2 :]}"
    ),
}


def record(folder: Path, stream: str, chunk: int) -> list[str]:
    """What the file says of the stream: after every chunk, and at the end."""
    log = LogFile(folder, "1", HEADER)
    session = SessionLog(log, has_marks=True)
    session.transcript = Transcript(
        WIDTH, ROWS, session.write, on_alternate=session.on_alternate, find=log.find
    )
    session.mark(Begun("/", "x", 0))
    seen: list[str] = []
    for at in range(0, len(stream), chunk):
        session.feed(stream[at : at + chunk].encode())
        session.show()
        seen.append(log.path.read_text()[SIZE:])
    session.mark(Ended(0, ""))
    session.finish(0)
    log.close()
    return [*seen, log.path.read_text()[SIZE:]]


def left(value: str, text: str) -> list[str]:
    """Parts of the value that the text has, without how all of its kind begin."""
    part = value[12:]
    return [part[at : at + 6] for at in range(len(part) - 5) if part[at : at + 6] in text]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_no_part_is_left(tmp_path: Path, kind: Format, cut: str) -> None:
    value = kind.value(random.Random(f"{kind.name} {cut}"))
    for chunk in (7, 100_000):
        folder = tmp_path / str(chunk)
        folder.mkdir()
        seen = record(folder, CUTS[cut](value) + END, chunk)
        assert "| end |" in seen[-1]
        assert not left(value, seen[-1])


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_half_of_a_secret_is_not_shown_while_the_rest_is_on_its_way(
    tmp_path: Path, kind: Format
) -> None:
    value = kind.value(random.Random(kind.name))
    for text in record(tmp_path, f"the key: {value}{END}", 5):
        assert not left(value, text)


def test_the_rows_around_stay(tmp_path: Path) -> None:
    value = PREFIXED["github-pat"].value(random.Random(1))
    stream = "first line\r\n" + rows(shifted(value), new_line) + " last words" + END
    text = record(tmp_path, stream, 100_000)[-1]
    lines = text.splitlines()[1:-1]
    assert lines[0] == "first line"
    assert lines[1].startswith("x" * (WIDTH - 10) + " [REDACTED:github:")
    assert lines[2].endswith(" last words")
    assert lines[3] == "| end |"


def test_full_rows_of_ordinary_text_are_kept_to_the_character(tmp_path: Path) -> None:
    lines = ["".join(random.Random(n).choices("abcdef ", k=WIDTH - 1)) + "." for n in range(400)]
    text = record(tmp_path, "\r\n".join(lines) + END, 997)[-1]
    assert text.splitlines()[1:-1] == [*lines, "| end |"]
