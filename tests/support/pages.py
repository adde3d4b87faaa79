"""Reads a page of the documents and follows it: saves its files, runs its console blocks.

In a block of the language `console`, a line that begins with `$ ` is a command, `> ` goes on with
it, and what follows is what the terminal shows. A block behind a line that ends with
"save this as `PATH`:" is a file.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers import environment

DEADLINE_S = 900
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SAVED = re.compile(r"save this as `([^`]+)`:\s*\Z", re.IGNORECASE)
_END = "\x1e"
"""Printed behind each command: no output has it."""

_VARYING = (
    (r"\bstamp [0-9a-f]{16}\b", "stamp"),
    (r"-[0-9a-f]{12}\b", "-ID"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\dZ", "TIME"),
    (r"\b\d+(\.\d+)? ?(ms|s)\b", "DURATION"),
    (r"\b\d+ MiB, held by a \w+", "MEMORY"),
    (r"variables kept back: \d+", "variables kept back"),
    (r"\bunderstudy \d+\.\d+\.\d+", "understudy VERSION"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"\b[0-9a-f]{12}\b|\b[0-9a-f]{7}\b", "COMMIT"),
)
"""Times, ids and figures of the machine: all that an output may differ in."""


@dataclass(frozen=True)
class Saved:
    """A file that the reader is told to save."""

    path: str
    text: str


@dataclass(frozen=True)
class Typed:
    """A command that the reader is told to type, and what the page says that comes of it."""

    command: str
    shown: str


Step = Saved | Typed


def steps(page: str) -> Iterator[Step]:
    """What a reader does, in order."""
    for fence in _FENCE.finditer(page):
        saved = _SAVED.search(page[: fence.start()])
        if saved is not None:
            yield Saved(saved[1], fence[2])
        elif fence[1] == "console":
            yield from _typed(fence[2])


def _typed(block: str) -> Iterator[Typed]:
    command: list[str] = []
    shown: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield Typed("\n".join(command), "\n".join(shown))
            command, shown = [line[2:]], []
        elif line.startswith("> ") and not shown:
            command.append(line[2:])
        else:
            assert command, f"a console block begins with a command, not with {line!r}"
            shown.append(line)
    if command:
        yield Typed("\n".join(command), "\n".join(shown))


def follow(page: str, folder: Path, home: Path) -> list[tuple[Typed, str]]:
    """Do all that a page says in one shell; each command with what the terminal really showed."""
    script: list[str] = []
    typed: list[Typed] = []
    for step in steps(page):
        if isinstance(step, Saved):
            place = shlex.quote(step.path)
            script.append(f'mkdir -p "$(dirname {place})"')
            script.append(f"printf %s {shlex.quote(step.text)} > {place}")
        else:
            typed.append(step)
            script.append(f"eval {shlex.quote(step.command)} </dev/null")
            script.append(f"code=$?; printf {_END}; (exit $code)")
    done = subprocess.run(
        ["bash", "--norc", "--noprofile"],
        cwd=folder,
        env=_environment(home),
        input="\n".join(script) + "\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    *outputs, rest = done.stdout.split(_END)
    assert len(outputs) == len(typed), f"the shell ended in the midst: {rest}"
    return [
        (step, output.replace(str(home), "~").strip("\n"))
        for step, output in zip(typed, outputs, strict=True)
    ]


def alike(text: str) -> str:
    """A text with stand-ins for what differs from run to run and machine to machine."""
    for pattern, stand_in in _VARYING:
        text = re.sub(pattern, stand_in, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def _environment(home: Path) -> Mapping[str, str]:
    """A new user's: an empty home, the tests' servers on PATH, nothing of this environment's."""
    inherited = {
        name: value
        for name, value in environment().items()
        if not name.startswith(("UNDERSTUDY_", "XDG_", "GIT_", "CONDA_"))
        and name not in ("VIRTUAL_ENV", "CI")
    }
    cache = os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
    person = {"NAME": "Somebody", "EMAIL": "somebody@example.org"}
    return {
        **inherited,
        "HOME": str(home),
        "PIP_CACHE_DIR": cache,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "COLUMNS": "100",
        **{f"GIT_{who}_{what}": v for who in ("AUTHOR", "COMMITTER") for what, v in person.items()},
    }
