"""`understudy batch`: rows of several repositories and revisions, judged on seats of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.command_line import SECONDS, Done, Shell
from tests.e2e.folders import left_in_temporary, make_folder
from tests.support.programs import children_with

LIBRARY: dict[str, str | bytes] = {
    "lib.py": "def twice(n: int) -> int:\n    return n * 2\n",
    "use.py": "from lib import twice\n\nFOUR: int = twice(2)\n",
}
FOREIGN: dict[str, str | bytes] = {
    "far.py": "import nowhere_at_all\n\n\ndef f(n: int) -> int:\n    return n\n",
}
RIGHT = "--- a/lib.py\n+++ b/lib.py\n@@ -2,1 +2,1 @@\n-    return n * 2\n+    return n + n\n"
WRONG = RIGHT.replace("n + n", "str(n)")
STALE = RIGHT.replace("n * 2", "n * 3")
AWAY = RIGHT.replace("lib.py", "../lib.py")
FAR = "--- a/far.py\n+++ b/far.py\n@@ -5,1 +5,1 @@\n-    return n\n+    return n + 0\n"
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")


def mirror(folder: Path, *states: Mapping[str, str | bytes]) -> list[str]:
    """A bare repository with these states as its commits, and their ids."""
    work = folder.with_name(f"{folder.name}.work")
    make_folder(work, {})
    subprocess.run([*GIT, "init", "-q", work], check=True)
    commits: list[str] = []
    for state in states:
        make_folder(work, state)
        subprocess.run([*GIT, "add", "-A"], cwd=work, check=True)
        subprocess.run([*GIT, "commit", "-q", "-m", "state"], cwd=work, check=True)
        head = subprocess.run(
            [*GIT, "rev-parse", "HEAD"], cwd=work, check=True, capture_output=True
        )
        commits.append(head.stdout.decode().strip())
    subprocess.run([*GIT, "clone", "-q", "--bare", work, folder], check=True)
    return commits


class Batch:
    """A folder with two mirrors and a shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shell = Shell(make_folder(folder / "work", {}), folder / "state")
        self.out = folder / "out.jsonl"
        later = {**LIBRARY, "use.py": "from lib import twice\n\nFIVE: str = str(twice(2))\n"}
        self.first, self.second = mirror(folder / "library.git", LIBRARY, later)
        (self.far,) = mirror(folder / "foreign.git", FOREIGN)
        mirrors = {"lib/rary": "library.git", "for/eign": "foreign.git"}
        (folder / "mirrors.json").write_text(json.dumps(mirrors))

    def row(self, name: str, patch: str, *, model: str = "m", **changes: Any) -> dict[str, Any]:
        made = {
            "instance_id": name,
            "repo": "lib/rary",
            "base_commit": self.first,
            "model_name_or_path": model,
            "model_patch": patch,
        }
        return {key: value for key, value in {**made, **changes}.items() if value is not None}

    def write(self, rows: Iterable[object], name: str = "in.jsonl") -> Path:
        file = self.folder / name
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return file

    def run(self, rows: Path, *more: str) -> Done:
        # Seats work elsewhere, so that what is relative must be told from here.
        return self.shell("batch", rows, "-o", self.out, "--mirrors", "../mirrors.json", *more)

    def rows(self) -> dict[str, dict[str, Any]]:
        lines = self.out.read_text().splitlines()
        found = [json.loads(line) for line in lines]
        assert len({row["id"] for row in found}) == len(found)
        assert len({tuple(row) for row in found}) == 1, "all rows have the same columns"
        return {row["id"]: row for row in found}


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def test_rows_of_all_kinds(batch: Batch) -> None:
    rows = [
        batch.row("right", RIGHT),
        batch.row("wrong", WRONG),
        batch.row("later", RIGHT, base_commit=batch.second),
        batch.row("stale", STALE),
        batch.row("away", AWAY),
        batch.row("gone", RIGHT, base_commit="0" * 40),
        batch.row("far", FAR, repo="for/eign", base_commit=batch.far),
        batch.row("unknown", RIGHT, repo="no/mirror"),
        batch.row("empty", ""),
        batch.row("nowhere", RIGHT, base_commit=None),
        batch.row("right", RIGHT),
        "no row",
    ]
    done = batch.run(batch.write(rows), "--format", "json")
    assert done.code == 0, done
    found = batch.rows()
    verdicts = {name: (row["verdict"], row["code"]) for name, row in found.items()}
    assert verdicts == {
        "right/m": ("clean", None),
        "right/m#2": ("clean", None),
        "wrong/m": ("findings", None),
        "later/m": ("clean", None),
        "stale/m": ("refused", "hunk-mismatch"),
        "away/m": ("refused", "outside-root"),
        "gone/m": ("refused", "unknown-revision"),
        "far/m": ("unknown", None),
        "unknown/m": ("refused", "no-mirror"),
        "empty/m": ("refused", "bad-row"),
        "nowhere/m": ("refused", "bad-row"),
        "in.jsonl:12": ("refused", "bad-row"),
    }
    assert (found["far/m"]["environment"], found["far/m"]["reasons"]) == ("none", ["environment"])
    assert found["right/m"]["environment"] == "complete"
    assert found["wrong/m"]["introduced_errors"] == 1
    assert "lib.py:2" in found["wrong/m"]["findings"][0]
    assert any("basedpyright" in version for version in found["right/m"]["versions"])
    summary = done.json
    assert (summary["rows"], summary["missing"], summary["renamed"]) == (12, 0, ["right/m#2"])
    assert len(summary["bad"]) == 4
    assert left_in_temporary(batch.folder / "state") == []


def test_a_second_run_goes_on_and_mends_a_torn_line(batch: Batch) -> None:
    rows = [batch.row(f"r{n}", RIGHT.replace("n + n", f"n * {n + 3}")) for n in range(4)]
    assert batch.run(batch.write(rows[:2])).code == 0
    first = batch.out.read_bytes()
    batch.out.write_bytes(first[: first.rindex(b'"verdict"')])
    done = batch.run(batch.write(rows), "--format", "json")
    assert done.code == 0, done
    assert set(batch.rows()) == {f"r{n}/m" for n in range(4)}
    assert (done.json["found"], done.json["judged"], done.json["mended"]) == (1, 3, 1)
    again = batch.run(batch.write(rows), "--format", "json")
    assert (again.json["judged"], again.json["found"]) == (0, 4)
    other = batch.run(batch.write(rows), "--scope", "edited")
    assert (other.code, "other-terms" in other.err) == (2, True)
    batch.out.write_text('{"a": 1}\n')
    assert (batch.run(batch.write(rows)).code, batch.out.read_text()) == (2, '{"a": 1}\n')


def test_rows_with_tests_are_scored(batch: Batch) -> None:
    case = "import unittest\nfrom lib import twice\n\n\nclass T(unittest.TestCase):\n"
    case += "    def test_two(self):\n        self.assertEqual(twice(1), 2)\n"
    case += "    def test_text(self):\n        self.assertEqual(twice('a'), 'aa')\n"
    brought = "--- /dev/null\n+++ b/test_lib.py\n@@ -0,0 +1,9 @@\n"
    brought += "".join(f"+{line}\n" for line in case.splitlines())
    named = {
        "PASS_TO_PASS": json.dumps(["test_two (test_lib.T.test_two)"]), "test_patch": brought,
        "FAIL_TO_PASS": ["test_text (test_lib.T.test_text)"],
    }  # fmt: skip
    rows = [
        batch.row("right", RIGHT, **named),
        batch.row("wrong", RIGHT.replace("n + n", "n + 0"), **named),
        batch.row("same", RIGHT.replace("n + n", "n * 2  # twice"), **named),
        batch.row("bad", RIGHT, FAIL_TO_PASS="["),
    ]
    command = ("--", "python3", "-m", "unittest", "-v", "test_lib")
    refused = batch.run(batch.write(rows), *command)
    assert (refused.code, "untrusted" in refused.err) == (2, True), refused
    done = batch.run(batch.write(rows), "--trust", "--test-timeout", "120", *command)
    assert done.code == 0, done
    found = batch.rows()
    right, wrong, same = (found[f"{name}/m"] for name in ("right", "wrong", "same"))
    assert (right["reward"], right["resolved"], right["verified"]) == (1.0, True, True), right
    assert (wrong["fail_to_pass"], wrong["pass_to_pass"], wrong["reward"]) == (0.0, 0.0, 0.0)
    assert len(wrong["not_passed"]) == 2
    assert (same["empty"], same["reward"]) == (True, 0.0)
    assert (found["bad/m"]["verdict"], found["bad/m"]["code"]) == ("refused", "bad-tests")
    batch.out.unlink()
    assert batch.run(batch.write(rows[:1])).code == 0
    right = batch.rows()["right/m"]
    assert (right["verdict"], right["verified"], right["reward"]) == ("clean", False, 0.5)


def test_predictions_by_instance(batch: Batch) -> None:
    file = batch.folder / "preds.json"
    row = batch.row("x", RIGHT, instance_id=None)
    file.write_text(json.dumps({"x": row, "y": batch.row("y", WRONG)}))
    assert batch.run(file).code == 0
    assert [row["verdict"] for _, row in sorted(batch.rows().items())] == ["clean", "findings"]


def test_an_interrupt_leaves_nothing_running(batch: Batch) -> None:
    rows = [batch.row(f"r{n}", RIGHT.replace("n + n", f"n * {n + 3}")) for n in range(200)]
    file, mirrors = batch.write(rows), batch.folder / "mirrors.json"
    process = batch.shell.start("batch", file, "-o", batch.out, "--mirrors", mirrors)
    while process.poll() is None and (not batch.out.exists() or not batch.out.stat().st_size):
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    assert (process.returncode, b"interrupted" in said) == (130, True), said
    assert left_in_temporary(batch.folder / "state") == []
    done = batch.run(batch.write(rows[:3]), "--format", "json")
    assert (done.code, done.json["missing"] <= 0) == (0, True)
    assert {"r0/m", "r1/m", "r2/m"} <= set(batch.rows())


def test_mistakes(batch: Batch) -> None:
    rows = batch.write([batch.row("right", RIGHT)])
    batch.write([], "none.jsonl")
    (batch.folder / "torn.json").write_text("[")
    (batch.folder / "rows.csv").write_text("a,b\n")
    for file, code in (
        ("absent.jsonl", "no-such-file"),
        ("none.jsonl", "no-rows"),
        ("torn.json", "not-json"),
        ("rows.csv", "unknown-form"),
    ):
        done = batch.run(batch.folder / file)
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith(f"understudy: {code}: "), done.err
    other = batch.shell("batch", rows, "-o", batch.folder / "out.csv")
    assert (other.code, "unknown-form" in other.err) == (2, True)
    (batch.folder / "mirrors.json").write_text('{"lib/rary": "nothing.git"}')
    done = batch.run(rows)
    assert (done.code, "no-mirror" in done.err) == (2, True)
    assert not batch.out.exists()
    assert batch.shell("batch", rows, "-o", batch.out).code == 0
    assert batch.rows()["right/m"]["code"] == "no-mirror"


def test_killed_seats_and_a_killed_driver_lose_and_double_nothing(batch: Batch) -> None:
    rows = [batch.row(f"r{n:02}", RIGHT.replace("n + n", f"n * {n + 3}")) for n in range(24)]
    file, mirrors = batch.write(rows), batch.folder / "mirrors.json"
    ask = ("batch", file, "-o", batch.out, "--mirrors", mirrors, "--format", "json")
    process = batch.shell.start(*ask)
    (seat, *_) = await_children(process.pid, "seat_process")
    seat.kill()
    out, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, said
    assert json.loads(out)["seats_lost"] == 1
    quiet = batch.rows()
    assert set(quiet) == {f"r{n:02}/m" for n in range(24)}
    assert {row["verdict"] for row in quiet.values()} == {"clean"}
    batch.out.unlink()
    process = batch.shell.start(*ask)
    seats = await_children(process.pid, "seat_process")
    while not batch.out.exists() or batch.out.stat().st_size < 500:
        os.sched_yield()
    process.kill()
    process.communicate(timeout=SECONDS)
    gone, alive = psutil.wait_procs(seats, timeout=SECONDS)
    assert (len(gone), alive) == (len(seats), [])
    assert batch.shell(*ask).code == 0
    later = batch.rows()
    assert {name: without_times(row) for name, row in later.items()} == {
        name: without_times(row) for name, row in quiet.items()
    }


def await_children(pid: int, word: str) -> list[psutil.Process]:
    """The children whose command line has the word, once there is one."""
    while not (found := children_with(word, pid)):
        os.sched_yield()
    return found


def without_times(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("seconds", "attempt")}
