"""How a checking command is called, and what it printed and how it ended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from understudy.checkers.cargo import read_cargo
from understudy.checkers.first_error import first_error, joined
from understudy.checkers.go_vet import read_go_vet
from understudy.checkers.model import OutputReading
from understudy.checkers.mypy import read_mypy
from understudy.checkers.patterns import read_lines
from understudy.checkers.profile import FILES, PYTHON, Checker
from understudy.langserver.spec import ServerSpec
from understudy.values.verdicts import Reason

OUTPUT_CAP = 64 * 1024 * 1024
"""Bytes of output that are read; a command that prints more proves nothing."""


@dataclass
class Printed:
    """What a command printed and how it ended."""

    status: int = 0
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def take(self, into: bytearray, data: bytes) -> None:
        """Keep output up to the cap."""
        room = max(OUTPUT_CAP - len(into), 0)
        into += data[:room]
        self.dropped += len(data) - len(data[:room])

    @property
    def words(self) -> str:
        """The first error of what it said on stderr, whole."""
        return first_error(self.stderr.decode("utf-8", "replace")) or "it said nothing"


def filled(spec: ServerSpec, folder: str, files: Sequence[str]) -> tuple[str, ...]:
    """The command with its placeholders filled; one about an interpreter goes if there is none."""
    python = spec.settings.get("python", {}).get("pythonPath")
    words: list[str] = []
    for word in spec.command:
        if word == FILES:
            words += (os.path.relpath(path, folder) for path in files)
        elif PYTHON not in word:
            words.append(word)
        elif python:
            words.append(word.replace(PYTHON, str(python)))
    return tuple(words)


def read_output(checker: Checker, printed: Printed, where: str) -> OutputReading:
    """What both streams say, by the form of the profile; it ran in the folder `where`."""
    stdout = printed.stdout.decode("utf-8", "surrogateescape")
    stderr = printed.stderr.decode("utf-8", "surrogateescape")
    if checker.output == "cargo":
        return read_cargo(stdout, where)
    if checker.output == "go-vet":
        return read_go_vet(stdout, stderr)
    if checker.output == "mypy":
        return read_mypy(stdout, stderr)
    assert checker.patterns is not None
    return read_lines(stdout + stderr, checker.patterns)


def refusal_of(name: str, reading: OutputReading, printed: Printed) -> Reason | None:
    """Why an output proves nothing at all, if so."""
    if reading.problem is not None:
        return Reason("unproven", f"{name}: {reading.problem}: {printed.words}")
    if reading.unread:
        shown = joined(reading.unread)
        return Reason("unproven", f"{name} printed what nobody here understands: {shown}")
    return None
