"""`make quick`: which tests a change asks for, that it ends in time and tells what is left out."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.test_tidy import tracked
from tools.quick import ROOMS, ROOT, chosen, room_of
from understudy.values import toml

DATA = toml.loads(ROOMS.read_text(encoding="utf-8"))
SLOW = """
import time
def test_first(): pass
def test_that_takes_long(): time.sleep(300)
def test_last(): pass
"""


COLLECT = """
import json, sys
import pytest

class Found:
    def __init__(self):
        self.chosen, self.left = [], []

    def pytest_collection_finish(self, session):
        self.chosen = [item.nodeid for item in session.items]

    def pytest_deselected(self, items):
        self.left += [item.nodeid for item in items]

found = []
for chosen in ("not ring", "ring"):  # the second does not load again what the first has loaded
    found.append(Found())
    code = pytest.main(["--collect-only", "-qq", "-m", chosen], plugins=[found[-1]])
    if code != pytest.ExitCode.OK:
        sys.exit(1)
with open(sys.argv[1], "w") as file:
    json.dump([(one.chosen, one.left) for one in found], file)
"""


def test_every_room_exists_and_so_do_its_tests() -> None:
    of_rooms = {test for tests in DATA["rooms"].values() for test in tests}
    named = of_rooms | {*DATA["rings"], *DATA["slow"], *DATA["ring"], *DATA["long"]}
    assert not [path for path in {*DATA["rooms"], *named} if not (ROOT / path).exists()]


def test_every_test_is_in_one_of_two_runs(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    command = [sys.executable, "-c", COLLECT, str(found)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (test, _), (ring, others) = json.loads(found.read_text())
    assert sorted(test) == sorted(others), "what is not of the ring, of all that there is"
    assert not {*test} & {*ring}
    assert {test.partition("::")[0] for test in ring} >= {
        path for path in DATA["ring"] if path.endswith(".py")
    }


def test_every_file_of_the_product_is_in_a_room() -> None:
    parts = ("server/", "client-vscode/", "tools/", "docs/", "skills/", "syntaxes/")
    files = [name for name in tracked() if name.startswith(parts)]
    assert files
    assert not [name for name in files if room_of(name, DATA["rooms"]) is None]


def test_every_floor_and_every_room_of_verbs_and_faces_has_tests_of_its_own() -> None:
    package = ROOT / "server" / "understudy"
    floors = [folder for folder in package.iterdir() if (folder / "__init__.py").is_file()]
    rooms = [room for floor in ("app", "faces") for room in (package / floor).iterdir()]
    wanted = [*floors, *(room for room in rooms if (room / "__init__.py").is_file())]
    named = {folder.relative_to(ROOT).as_posix() for folder in wanted}
    assert named <= DATA["rooms"].keys()


@pytest.mark.parametrize(
    ("changed", "rooms", "unmapped"),
    [
        ("server/understudy/app/run/run.py", ["tests/app/test_run.py"], []),
        ("server/understudy/__main__.py", ["tests/e2e/test_cli_start.py"], []),
        ("tests/app/test_tasks.py", ["tests/app/test_tasks.py"], []),
        ("tests/app/test_that_is_gone.py", [], []),
        ("tests/values/test_texts.py", [], []),
        ("tests/support/kills.py", [], ["tests/support/kills.py"]),
        ("bench/map.py", [], ["bench/map.py"]),
    ],
)
def test_what_a_change_asks_for(changed: str, rooms: list[str], unmapped: list[str]) -> None:
    rings, found, left = chosen([changed], DATA)
    assert rings == DATA["rings"]
    assert found[: len(rooms)] == rooms
    assert bool(found) is bool(rooms)
    assert left == unmapped


def test_a_room_within_another_has_its_own_tests() -> None:
    rooms = DATA["rooms"]
    assert room_of("server/understudy/disk/lock.py", rooms) == "server/understudy/disk"
    assert room_of("server/understudy/disk/store/kept.py", rooms) == "server/understudy/disk/store"
    assert room_of("server/understudy/diskless.py", rooms) == "server/understudy"


def test_it_ends_in_time_and_names_what_it_left_out(tmp_path: Path) -> None:
    slow = tmp_path / "test_slow.py"
    slow.write_text(SLOW)
    seconds = time_for_a_test(tmp_path)
    began = time.monotonic()
    done = lane(seconds, slow)
    assert time.monotonic() - began < 3 * float(seconds)
    assert "left out: 2 tests of" in done.stdout
    assert done.returncode == 0


def test_a_failure_is_one_also_where_the_time_is_over(tmp_path: Path) -> None:
    slow = tmp_path / "test_slow.py"
    slow.write_text(SLOW.replace("def test_first(): pass", "def test_first(): assert False"))
    done = lane(time_for_a_test(tmp_path), slow)
    assert "left out: 2 tests of" in done.stdout
    assert done.returncode == 1


def test_an_end_before_any_test_was_found_is_told(tmp_path: Path) -> None:
    slow = tmp_path / "test_slow.py"
    slow.write_text(f"import time\ntime.sleep(300)\n{SLOW}")
    done = lane(time_for_a_test(tmp_path), slow)
    assert f"left out: all tests of {slow}: no time" in done.stdout
    assert done.returncode == 0


def time_for_a_test(folder: Path) -> str:
    """Seconds in which this machine, as busy as it is, begins a test and waits for another."""
    quick = folder / "test_quick.py"
    quick.write_text("def test_nothing(): pass\n")
    began = time.monotonic()
    assert lane("100", quick).returncode == 0
    return f"{8 + 4 * (time.monotonic() - began):.0f}"


def lane(seconds: str, tests: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.quick", "--seconds", seconds, "--lane", str(tests)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
