"""The truth about an edit, by cold command lines over a copy of the whole project.

Nothing here comes from the package under test: own parsing, own line mapping, own comparison.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.edits import GeneratedEdit, Origins
from tests.support.sample import Project
from tests.support.servers import environment, program

DEADLINE_S = 300


class Found(NamedTuple):
    """One finding of a checker: 0-based line, `code` None where the checker gives none."""

    path: str
    line: int
    code: str | None
    severity: str


STOPPED = Found("", 0, None, "stopped")
"""It gave up on the rest: that it says nothing of a former finding is no fix of it."""

Find = Callable[[Path], Iterable[Found]]
"""A checker: all its findings over a folder (an absolute, real path)."""

Key = tuple[str, int, str | None]
"""What findings are compared by: path, 0-based line, code."""


@dataclass(frozen=True)
class Delta:
    """What an edit introduces (lines of the new text) and fixes (lines of the old one)."""

    introduced: Counter[Key]
    fixed: Counter[Key]

    def untouched(self, edit: GeneratedEdit) -> frozenset[str]:
        """The files with a difference that the edit does not touch."""
        changed = {path for path, _, _ in (*self.introduced, *self.fixed)}
        return frozenset(changed - set(edit.files))


class Truth:
    """One checker's truth about a project, in a folder of its own; *before* is judged once."""

    def __init__(self, find: Find, project: Project, folder: Path) -> None:
        self.project = project
        self.folder = project.write(folder)
        self._find = find
        self.before = self._findings()

    def after(self, edit: GeneratedEdit) -> Counter[Found]:
        """All findings of the project with the edit applied."""
        try:
            for path, text in edit.files.items():
                _write(self.folder / path, text)
            return self._findings()
        finally:
            for path in edit.files:
                _write(self.folder / path, self.project.files.get(path))

    def delta(self, edit: GeneratedEdit) -> Delta:
        """What the edit introduces and fixes in the whole project."""
        return settled(oracle_delta(self.before, self.after(edit), edit), edit)

    def _findings(self) -> Counter[Found]:
        return Counter(self._find(self.folder.resolve()))


def oracle_delta(before: Counter[Found], after: Counter[Found], edit: GeneratedEdit) -> Delta:
    """Compare by (path, line, code), severity warning or worse; old lines move as the edit did."""
    moved: Counter[Key] = Counter()
    fixed: Counter[Key] = Counter()
    homes = edit.homes()
    came_from: dict[Key, Key] = {}
    for key, number in _keys(before).items():
        path, line, code = key
        home, new_line = path, line
        if path in edit.files:
            home = homes.get(path, path)
            new_line = _forward(edit, path).get(line) if path in homes else None
        if new_line is None:
            fixed[key] += number
            continue
        moved[home, new_line, code] += number
        came_from[home, new_line, code] = key
    now = _keys(after)
    for key, number in (moved - now).items():
        fixed[came_from[key]] += number
    if STOPPED in after:
        fixed = Counter({key: n for key, n in fixed.items() if edit.files.get(key[0], "") is None})
    return Delta(now - moved, fixed)


def settled(delta: Delta, edit: GeneratedEdit) -> Delta:
    """Strike out findings that are fixed and introduced by code on lines that were rewritten.

    Whether a finding on a rewritten line is the old one or a new one is a matter of taste: both
    answers are right, so both sides of a comparison are settled first.
    """
    introduced, fixed = delta.introduced.copy(), delta.fixed.copy()
    homes = edit.homes()
    for old in sorted(delta.fixed, key=str):
        path, line, code = old
        if path not in homes or line in _forward(edit, path):
            continue
        for new in sorted(delta.introduced, key=str):
            if new[0] == homes[path] and new[2] == code and _is_rewritten(edit, new[0], new[1]):
                number = min(introduced[new], fixed[old])
                introduced[new] -= number
                fixed[old] -= number
    return Delta(+introduced, +fixed)


def _is_rewritten(edit: GeneratedEdit, path: str, line: int) -> bool:
    origins = edit.origins[path]
    return line < len(origins) and origins[line] is None


def _keys(found: Counter[Found]) -> Counter[Key]:
    keys: Counter[Key] = Counter()
    for one, number in found.items():
        if one.severity in ("error", "warning"):
            keys[one.path, one.line, one.code] += number
    return keys


def _forward(edit: GeneratedEdit, path: str) -> Mapping[int, int]:
    """Old line -> new line of the file that was at `path`; its end stays its end."""
    origins: Origins = edit.origins[edit.homes()[path]]
    lines = {old: new for new, old in enumerate(origins) if old is not None}
    before = edit.before[path]
    if before is not None:
        lines[len(before.splitlines())] = len(origins)
    return lines


def _write(path: Path, text: str | None) -> None:
    """Write or delete; a folder without files is gone, as in a checkout."""
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return
    path.unlink(missing_ok=True)
    for folder in path.parents:
        try:
            folder.rmdir()
        except OSError:  # not empty
            return


def output(folder: Path, *command: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run a checker cold; any other exit code is a failure of the oracle, never "no findings"."""
    done = subprocess.run(
        [str(program(command[0])) if "/" not in command[0] else command[0], *command[1:]],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    if done.returncode not in codes:
        raise AssertionError(
            f"{command} exited with {done.returncode}: {done.stderr or done.stdout}"
        )
    return done.stdout


def run(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a checking command cold, whatever its exit code."""
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def json_values(text: str) -> Iterator[Any]:
    """All JSON values of a text, one after another."""
    while text := text.lstrip():
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:]
