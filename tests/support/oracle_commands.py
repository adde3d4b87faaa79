"""The truth about checking commands: the same commands, cold, over a copy of the whole project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.servers import environment

DEADLINE_S = 300
Item = tuple[str, int, str | None, str]
"""Path, 0-based line, code, severity."""

STOPPED: Item = ("", 0, None, "stopped")
"""It gave up on the rest: that it says nothing of a former finding is no fix of it."""

_MYPY_LINE = re.compile(
    r"(?P<path>[^\s:]+):(?:(?P<line>\d+):)? (?P<word>error|note): .*?(?:  \[(?P<code>[\w-]+)\])?"
)


def mypy(folder: Path) -> Iterator[Item]:
    """mypy's text output about all files of the folder; modules under a stub for themselves."""
    yield from _mypy(folder, ".")
    stubs = (path.with_suffix(".py") for path in sorted(folder.rglob("*.pyi")))
    for hidden in (path.relative_to(folder).as_posix() for path in stubs if path.is_file()):
        yield from (item for item in _mypy(folder, hidden) if item[0] == hidden)


def _mypy(folder: Path, what: str) -> Iterator[Item]:
    options = ("--cache-dir", os.devnull, "--no-error-summary", "--no-color-output")
    done = _run(folder, "mypy", *options, what)
    assert done.returncode in (0, 1, 2), done.stderr
    for line in done.stdout.splitlines():
        match = _MYPY_LINE.fullmatch(line)
        assert match is not None, f"mypy said something that is not a finding: {line}"
        severity = "error" if match["word"] == "error" else "information"
        yield (match["path"], int(match["line"] or 1) - 1, match["code"], severity)
    if done.returncode == 2:  # of a syntax error, of modules that it takes for the same
        yield STOPPED


_GO_LINE = re.compile(r"(?:vet: )?(?P<path>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: ")


def go_vet(folder: Path) -> Iterator[Item]:
    """`go vet` about all packages: in text what does not build, in JSON what it finds."""
    for module in sorted(folder.rglob("go.mod")):
        yield from _vetted(folder, module.parent)


def _vetted(root: Path, folder: Path) -> Iterator[Item]:
    done = _run(folder, "go", "vet", "-json", "./...")
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Item] = {}  # a package with tests is judged twice
    for line in done.stderr.splitlines():
        if (match := _GO_LINE.match(line)) is not None:
            path = (folder / match["path"]).relative_to(root).as_posix()
            said = f"{path} {line.removeprefix('vet: ').removeprefix('./')}"
            found[said] = (path, int(match["line"]) - 1, None, "error")
            found[""] = STOPPED
        elif line and not line.startswith(("#", "\t")):
            found[""] = STOPPED
    for packages in _json_values(done.stdout):
        for analyzers in packages.values():
            for name, items in analyzers.items():
                for item in items:
                    path, line, _ = item["posn"].rsplit(":", 2)
                    path = Path(path).resolve().relative_to(root).as_posix()
                    found[json.dumps(item)] = (path, int(line) - 1, name, "error")
    yield from found.values()


def cargo_check(folder: Path) -> Iterator[Item]:
    """A build from nothing, past errors; what depends on a crate with one it cannot look at."""
    options = ("--workspace", "--all-targets", "--keep-going", "--message-format=json")
    with tempfile.TemporaryDirectory(prefix="understudy-target-") as target:
        done = _run(folder, "cargo", "check", "--offline", *options, f"--target-dir={target}")
    assert done.returncode in (0, 101), done.stderr
    (folder / "Cargo.lock").unlink(missing_ok=True)
    found: dict[str, Item] = {"": STOPPED} if done.returncode else {}  # tests are a second target
    for item in _json_values(done.stdout):
        message = item.get("message", {})
        code = (message.get("code") or {}).get("code")
        first = next((span for span in message.get("spans", ()) if span["is_primary"]), None)
        if first is not None:
            place = (first["file_name"], first["line_start"] - 1)
            found[f"{first} {message['message']}"] = (*place, code, message["level"])
    yield from found.values()


def _json_values(text: str) -> Iterator[Any]:
    while text := text.lstrip():
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:]


def _run(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
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
