"""The text of random streams is what the editor's own terminal shows."""

from __future__ import annotations

import random
import sys
import unicodedata

import pytest

from tests.support import terminal_fuzz, xterm
from understudy.terminal.screen.cells import Clusters, width_of
from understudy.terminal.screen.transcript import Transcript

N_FUZZED = 1000
GOAL = 0.95


def test_fuzzed_streams() -> None:
    streams = [(terminal_fuzz.stream(seed), 20, 6) for seed in range(N_FUZZED)]
    expected = xterm.shown(streams)
    equal = 0
    for seed, ((text, columns, rows), lines) in enumerate(zip(streams, expected, strict=True)):
        rng = random.Random(seed)
        sizes = [1, 3, 7, 50, 1000]
        got = xterm.ours(text.encode(), columns, rows, lambda r=rng, s=sizes: r.choice(s))
        equal += got == lines
    assert equal / N_FUZZED >= GOAL, f"{equal} of {N_FUZZED} streams are equal"


@pytest.mark.parametrize("seed", range(40))
def test_every_chunking_gives_the_same_text(seed: int) -> None:
    data = "".join(terminal_fuzz.stream(seed * 100 + part) for part in range(8)).encode()
    texts = {
        name: xterm.ours(data, 40, 10, next_size)
        for name, next_size in xterm.chunkings(seed).items()
    }
    assert all(text == texts["1"] for text in texts.values()), texts


@pytest.mark.parametrize("opening", ["\x9d", "\x90", "\x9b", "\x1b]", "\x1bP", "\x1b["])
def test_openings_without_an_end_are_read_once(opening: str) -> None:
    """Reading on from each of them to the end of the text would take minutes."""
    data = f"\x1b[mbefore\r\n{opening * 130_000}\x07\x9cbehind\r\n".encode()
    assert xterm.ours(data, 40, 10, lambda: len(data)) == ["before", "behind"]


def test_widths_are_those_of_unicode_11() -> None:
    characters = [chr(code) for code in range(0x20, 0x1FFFF) if _is_sure(code)]
    streams = [("".join(f"{c}x\r\n" for c in characters[at : at + 500]), 10, 5)
               for at in range(0, len(characters), 500)]  # fmt: skip
    shown = xterm.shown([(f"\x1b[?7l{text}", columns, rows) for text, columns, rows in streams])
    assert sum(map(len, shown)) == len(characters)
    probes = [f"{c}\x1b[3G|" for c in characters]
    places = xterm.shown([("\r\n".join(probes), 10, 5)])[0]
    wrong = [
        f"{ord(c):x}" for c, line in zip(characters, places, strict=True)
        if line != xterm.ours(f"{c}\x1b[3G|".encode(), 10, 5, lambda: 99)[0]
    ]  # fmt: skip
    assert not wrong


def _is_sure(code: int) -> bool:
    """Whether the character has been in Unicode since long before version 11, and is printable."""
    character = chr(code)
    return (
        unicodedata.ucd_3_2_0.category(character) not in ("Cc", "Cn", "Cs", "Co", "Cf", "Mn", "Me")
        and code not in (0xAD,)
        and unicodedata.ucd_3_2_0.east_asian_width(character)
        == unicodedata.east_asian_width(character)
    )


def test_what_needs_no_care_is_one_column_wide() -> None:
    clusters = Clusters()
    for code in range(0xA0, sys.maxunicode + 1):
        character = chr(code)
        if not 0xD800 <= code <= 0xDFFF and unicodedata.category(character) not in ("Cn", "Co"):
            n_cells = len(clusters.cells("a" + character))
            assert n_cells == 1 + width_of(character), hex(code)


def test_private_characters_of_a_program_come_out_as_they_went_in() -> None:
    text = "\U000f0000 \uffff \U0010fffd a\u0301\u0302 \U000f0001"
    assert xterm.ours(text.encode(), 80, 5, lambda: 3) == [text]


def test_what_follows_a_command_does_not_change_what_was_committed() -> None:
    committed: list[str] = []
    transcript = Transcript(20, 5, committed.append)
    transcript.feed(b"$ printf foo\r\nfoo")
    transcript.settle()
    assert "".join(committed) == "$ printf foo\nfoo\n"
    transcript.feed(b"$ next\r\nmore\r\n")
    transcript.finish()
    assert "".join(committed) == "$ printf foo\nfoo\n$ next\nmore\n"


@pytest.mark.parametrize("n_before", [12, 20, 25, 100])
def test_a_line_that_wraps_behind_a_mark_is_not_filled_with_blanks(n_before: int) -> None:
    committed: list[str] = []
    transcript = Transcript(20, 5, committed.append)
    transcript.feed(b"a" * n_before)
    transcript.settle()
    transcript.feed(b"b" * 30)
    assert transcript.live() == ["b" * 30]
    transcript.feed(b"b" * 500)
    transcript.finish()
    assert "".join(committed) == "a" * n_before + "\n" + "b" * 530 + "\n"


def test_text_above_the_last_command_that_is_redrawn_is_told_again() -> None:
    committed: list[str] = []
    transcript = Transcript(20, 5, committed.append)
    transcript.feed(b"one\r\ntwo\r\n")
    transcript.settle()
    transcript.feed(b"\x1b[2Anew\x1b[2B\r")
    transcript.finish()
    assert "".join(committed) == "one\ntwo\nnew\ntwo\n"


def test_a_resize_storm_loses_no_text() -> None:
    committed: list[str] = []
    transcript = Transcript(80, 24, committed.append)
    rng = random.Random(1)
    words = [f"word{number:04}" for number in range(2000)]
    for at in range(0, len(words), 10):
        transcript.feed((" ".join(words[at : at + 10]) + " 日本\r\n").encode())
        transcript.resize(rng.randint(2, 200), rng.randint(1, 60))
    transcript.finish()
    text = "".join(committed)
    assert [word for word in words if word not in text] == []
    assert text.count("日本") == 200
