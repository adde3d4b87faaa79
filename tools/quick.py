"""Runs the tests that look at what has changed, and the pure rings, within a minute.

    python -m tools.quick [--since REV] [--seconds N]

Changed is what git says of the working tree and of the commits since the branch left main (on main
itself: since the last commit but one). tests/rooms.toml says which tests look at which part. What
was left out is said at the end, file by file; `make test ring` runs everything.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from understudy.values import toml

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ROOT / "tests" / "rooms.toml"
SECONDS = 60.0
_BEGIN, _END = 0.75, 0.88
"""Of the time: until when tests are begun, and when one that still runs is broken off.

The rest is for what it has to take down."""
_MARK = "left out: "


def main(arguments: list[str]) -> int:
    """Choose, run and tell; returns the exit code: 0 nothing failed, 1 something did."""
    parser = argparse.ArgumentParser(prog="make quick", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--since", metavar="REV", help="what is compared (default: see above)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for all (default: 60)")
    parser.add_argument("--lane", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.lane:
        return _run_lane(given.lane, given.seconds)
    began = time.monotonic()
    changed = changed_files(given.since)
    data = toml.loads(ROOMS.read_text(encoding="utf-8"))
    rings, rooms, unmapped = chosen(changed, data)
    slow = [test for test in rooms if _is_within(test, data["slow"])]
    rooms = [test for test in rooms if test not in slow]
    _say(f"{len(changed)} files have changed; for them: {' '.join(rooms) or 'the rings alone'}")
    for path in unmapped:
        _say(f"{_MARK}no tests are listed for {path}")
    for path in slow:
        _say(f"{_MARK}{path}, which takes more than a minute by itself")
    half = len(rings) // 2  # one process alone would take longer than there is
    lanes = (rings[:half], [*rings[half:], *rooms])
    code = _run_lanes([lane for lane in lanes if lane], began + given.seconds)
    _say(f"{time.monotonic() - began:.0f} s; everything: make test ring")
    return code


def changed_files(since: str | None = None) -> list[str]:
    """What has changed in the working tree and since that revision, by path."""
    revision = since or _git("merge-base", "HEAD", "main") or "HEAD"
    if since is None and revision == _git("rev-parse", "HEAD"):
        revision = _git("rev-parse", "--verify", "--quiet", "HEAD~1") or revision
    if not _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"):
        sys.exit(f"make quick: no such revision: {revision}")
    found = _git("diff", "--name-only", "--no-renames", "-z", revision).split("\0")
    new = _git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return sorted({*found, *new} - {""})


def chosen(
    changed: Iterable[str], rooms: Mapping[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    """The rings' tests, those of the rooms that changed, and the files that no room has."""
    themselves: dict[str, None] = {}
    looking: dict[str, None] = {}
    unmapped: list[str] = []
    by_room: Mapping[str, Sequence[str]] = rooms["rooms"]
    for path in changed:
        room = room_of(path, by_room)
        name = path.rpartition("/")[2]
        if path.startswith("tests/") and name.startswith("test_") and name.endswith(".py"):
            themselves |= {path: None} if (ROOT / path).is_file() else {}
        elif room is None:
            unmapped.append(path)
        else:
            looking |= dict.fromkeys(by_room[room])
    rings = list(rooms["rings"])
    tests = [test for test in themselves | looking if not _is_within(test, rings)]
    return rings, tests, unmapped


def room_of(path: str, rooms: Iterable[str]) -> str | None:
    """The room of a file: the longest name that is the file's own or a folder above."""
    return max((room for room in rooms if _is_within(path, [room])), key=len, default=None)


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _run_lanes(lanes: Sequence[Sequence[str]], end: float) -> int:
    """Run lanes beside each other; what each says comes in one piece."""
    running: list[tuple[subprocess.Popen[bytes], Any]] = []
    for lane in lanes:
        output = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        seconds = f"{end - time.monotonic():.1f}"
        command = [sys.executable, "-m", "tools.quick", "--seconds", seconds, "--lane", *lane]
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        running.append((process, output))
    codes: list[int] = []
    for process, output in running:
        codes.append(process.wait())
        output.seek(0)
        _say(output.read().decode("utf-8", "replace").rstrip())
        output.close()
    return int(any(codes))


def _run_lane(tests: Sequence[str], seconds: float) -> int:
    limit = _Limit(time.monotonic() + seconds)
    code = pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", *tests], plugins=[limit])
    if not limit.has_found:
        for path in tests if code == pytest.ExitCode.INTERRUPTED else ():
            _say(f"{_MARK}all tests of {path}: no time")
    for path, number in limit.left_out().items():
        _say(f"{_MARK}{number} tests of {path}: no time")
    return int(code not in (pytest.ExitCode.OK, pytest.ExitCode.INTERRUPTED) or limit.failed)


class _Limit:
    """Begins no test that is late, and breaks off the one that still runs at the end."""

    def __init__(self, end: float) -> None:
        left = end - time.monotonic()
        self.failed = self.has_found = False
        self._last_start = end - (1 - _BEGIN) * left
        self._waiting: Counter[str] = Counter()
        self._main = threading.get_ident()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        self._timer = threading.Timer(_END * left, self._break_off)
        self._timer.daemon = True
        self._timer.start()

    def pytest_collection_modifyitems(self) -> None:
        self.has_found = True  # only here: the hook below is called after a break, too

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._waiting.update(item.nodeid.partition("::")[0] for item in session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if time.monotonic() < self._last_start:
            return None  # the others' turn: it runs
        item.session.shouldstop = "no time for more"
        return True

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._waiting[nodeid.partition("::")[0]] -= 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def pytest_sessionfinish(self) -> None:
        self._timer.cancel()

    def left_out(self) -> Mapping[str, int]:
        """File -> how many of its tests have not run to their end."""
        return +self._waiting

    def _break_off(self) -> None:
        signal.pthread_kill(self._main, signal.SIGINT)  # unlike `interrupt_main`, it ends a sleep


def _git(*arguments: str) -> str:
    git = shutil.which("git") or sys.exit("make quick: there is no git")
    done = subprocess.run(
        [git, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout.strip("\n") if done.returncode == 0 else ""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
