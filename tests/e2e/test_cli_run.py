"""`understudy run` as a shell sees it: exit codes, streams, receipts, patches, interrupts."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import (
    DEMO_PATCH,
    UNDERSTUDY,
    child_environment,
    left_in_temporary,
    make_folder,
)
from tests.support.workspace import state_of

FILES = {"a.py": "def f():\n    return 1\n", "b.txt": "one\ntwo\n"}
PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
PROGRAMS = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work dir", FILES)


@pytest.fixture
def run(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


@pytest.mark.parametrize("before", [(), ("unshare", "--user", "--map-root-user")], ids=str)
def test_a_command_is_as_nice_as_its_caller(
    folder: Path, state: Path, before: tuple[str, ...]
) -> None:
    niced = Shell(folder, state, before=("nice", "-n", "5", *before))("run", "--", "nice")
    assert niced.code == 0, niced.err
    assert int(niced.out) >= 5, "a namespace's root cannot take it back, and root must not"


@pytest.fixture(autouse=True)
def untouched(folder: Path, state: Path) -> object:
    before = state_of(folder)
    yield
    assert state_of(folder) == before
    if (state / "tmp").is_dir():
        assert left_in_temporary(state) == []


def test_the_patch_is_seen_and_the_streams_are_the_commands(run: Shell) -> None:
    done = run("run", "-", "--", "sh", "-c", "pwd; cat a.py; echo err >&2; exit 3", stdin=PATCH)
    assert done.code == 3
    assert done.out == f"{run.folder}\ndef f():\n    return 2\n"
    lines = done.err.splitlines()
    assert lines[0] == "err"
    assert lines[1].startswith("understudy: exit 3; ")
    assert all(line.startswith("understudy: ") for line in lines[1:])
    log = Path(lines[1].rpartition(": ")[2])
    assert sorted(log.read_text()) == sorted(done.out + "err\n")
    assert log.stat().st_mode & 0o777 == 0o600


def test_without_edits(run: Shell) -> None:
    done = run("run", "--", "cat", "b.txt")
    assert (done.code, done.out) == (0, FILES["b.txt"])


def test_the_receipt_as_json(run: Shell, tmp_path: Path) -> None:
    patch = tmp_path / "out.patch"
    done = run(
        "run", "--format", "json", "--diff-out", patch, "--", "sh", "-c",
        "echo hello; echo err >&2; echo x >> b.txt; kill -TERM $$",
    )  # fmt: skip
    assert done.code == 128 + signal.SIGTERM
    receipt = done.json
    assert receipt["schema"] == 1
    assert (receipt["status"], receipt["signal"]) == (143, "SIGTERM")
    assert receipt["stage"]["kind"] == "overlay"
    assert receipt["stage"]["root"] == str(run.folder)
    isolation = receipt["stage"]["isolation"]
    assert (isolation["files"], isolation["network"], isolation["processes"]) == (True, True, True)
    assert receipt["base_moved"] is False
    assert receipt["output"]["bytes"] == len("hello\nerr\n")
    assert sorted(receipt["output"]["head"]) == sorted("hello\nerr\n")
    assert receipt["changed"] == [
        {"path": "b.txt", "kind": "modified", "type": "file", "bytes": 10}
    ]
    assert receipt["n_changed"] == {"added": 0, "modified": 1, "deleted": 0}
    assert receipt["patch"] == {
        "path": str(patch), "bytes": patch.stat().st_size, "left_out": []
    }  # fmt: skip
    assert sorted(done.err) == sorted("hello\nerr\n")


def test_the_text_is_the_same_for_the_same_run(run: Shell) -> None:
    one = run("run", "-", "--", "sh", "-c", "echo x > new; echo y", stdin=PATCH)
    two = run("run", "-", "--", "sh", "-c", "echo x > new; echo y", stdin=PATCH)
    assert one.out == two.out
    assert one.err.replace("1.log", "N.log") == two.err.replace("2.log", "N.log")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_our_own_output_has_no_room(run: Shell) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*UNDERSTUDY, "run", "--", "echo", "hi"], cwd=run.folder, stdout=full,
            env=child_environment(run.state), stderr=subprocess.PIPE, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    assert done.returncode == 125
    assert done.stderr.startswith("understudy: cannot-write: stdout: ")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--", "nosuch"], 127, "command-not-found"),
        (["--", "./b.txt"], 126, "command-not-executable"),
        (["--", "sh", "-c", "exit 125"], 125, None),
        ([], 125, "no-command: put the command behind `--`, as in `understudy"),
        (["ls"], 125, "no-command: put the command behind `--`, as in `understudy"),
        (["--"], 125, "no-command"),
        (["--wrong", "--", "true"], 125, None),
        (["--memory", "much", "--", "true"], 125, None),
        (["/no/such.patch", "--", "true"], 125, "no-such-file"),
        (["--root", "/no/such", "--", "true"], 125, "no-such-root"),
        (["--cwd", "nowhere", "--", "true"], 125, "no-such-folder"),
        (["--cwd", "..", "--", "true"], 125, "outside-root"),
        (["--timeout", "0", "--", "true"], 125, "bad-timeout"),
        (["--env", "X", "--", "true"], 125, "bad-variable"),
        (["--branch", "b99", "--", "true"], 125, "unknown-branch"),
        (["--diff-out", "/no/such/file", "--", "true"], 125, "cannot-write"),
        (["--diff-out", "-", "--", "true"], 125, "cannot-write: --diff-out -"),
    ],
)
def test_failures_of_ours(run: Shell, arguments: list[str], code: int, error: str | None) -> None:
    done = run("run", *arguments)
    assert done.code == code, done.err
    assert done.out == ""
    if error is not None:
        assert f"understudy: {error}" in done.err


def test_a_patch_that_does_not_apply(run: Shell) -> None:
    done = run(
        "run", "-", "--format", "json", "--", "touch", "ran",
        stdin=PATCH.replace("return 1", "return 9"),
    )  # fmt: skip
    assert done.code == 125
    assert done.json["error"]["code"] == "hunk-mismatch"


def test_a_patch_and_a_kept_branch(run: Shell) -> None:
    done = run("run", "-", "--branch", "b1", "--", "true", stdin=PATCH)
    assert done.code == 125
    assert "conflicting-options" in done.err


def test_options_behind_the_dashes_are_the_commands(run: Shell) -> None:
    done = run("run", "--", "echo", "--root", "--", "-h")
    assert (done.code, done.out) == (0, "--root -- -h\n")


def test_variables_folder_and_no_secrets(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_TOKEN", "hunter2")
    done = run(
        "run", "--env", "A=1=2", "--env", "B=", "--", "sh", "-c", "echo $A[$B][$SOME_API_TOKEN]"
    )
    assert done.out == "1=2[][]\n"


def test_the_time_limit(run: Shell) -> None:
    done = run("run", "--timeout", "0.5", "--", "sh", "-c", "trap '' TERM; sleep 1000")
    assert done.code in (128 + signal.SIGTERM, 128 + signal.SIGKILL)
    assert "at the limit of time" in done.err


@pytest.mark.parametrize(
    ("options", "script", "told"),
    [
        (["--memory", "100"], "head -c 400000000 /dev/zero | tail", "limit of memory|exhausted"),
        (["--disk", "8"], "head -c 20000000 /dev/zero > big", "the stage's disk is full"),
        # Where the kernel itself refuses to fork, the command fails of its own.
        (
            ["--processes", "20"],
            "for n in $(seq 60); do sleep 1000 & done; wait",
            "at the limit of processes|[Cc]annot fork",
        ),
    ],
    ids=["memory", "disk", "processes"],
)
def test_other_limits(run: Shell, options: list[str], script: str, told: str) -> None:
    done = run("run", *options, "--", "sh", "-c", script)
    assert done.code not in (0, 125), done.err
    assert re.search(told, done.err), done.err


def test_the_network_is_there_when_asked_for(run: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = "import socket; print(socket.socket().connect_ex(('127.0.0.1', PORT)))"
        program = program.replace("PORT", str(server.getsockname()[1]))
        command = ["--", sys.executable, "-c", program]
        refused, reached = run("run", *command), run("run", "--net", "host", *command)
    assert refused.out == f"{errno.ECONNREFUSED}\n"
    assert "kept apart: files, network, processes" in refused.err
    assert reached.out == "0\n", reached.err
    assert "kept apart: files, processes\n" in reached.err
    assert "the network is the machine's own" in reached.err


def test_a_diff_is_the_difference(run: Shell, tmp_path: Path) -> None:
    patch = tmp_path / "out.patch"
    done = run(
        "run", "-", "--diff-out", patch, "--",
        str(PROGRAMS / "python"), "-c",
        "import pathlib; p = pathlib.Path('a.py'); p.write_text(p.read_text() + 'x = 1\\n')",
        stdin=PATCH,
    )  # fmt: skip
    assert done.code == 0, done.err
    copy = make_folder(tmp_path / "copy", FILES)
    for diff in (PATCH.encode(), patch.read_bytes()):
        subprocess.run(["git", "apply", "-"], cwd=copy, input=diff, check=True, timeout=60)
    assert (copy / "a.py").read_text() == "def f():\n    return 2\nx = 1\n"
    shown = run("check", str(patch), "--server", "none")
    assert "unknown-server" in shown.err


def test_a_formatter_is_adopted_by_a_kept_branch(run: Shell) -> None:
    messy = PATCH.replace("+    return 2", "+    return   {  'a':2}")
    ruff = [str(PROGRAMS / "ruff"), "format", "--no-cache", "a.py"]
    done = run("run", "-", "--adopt", "--format", "json", "--", *ruff, stdin=messy)
    assert done.code == 0, done.err
    branch = done.json["adopted"]["branch"]
    assert done.json["adopted"]["files"] == ["a.py"]
    assert '+    return {"a": 2}\n' in run("branches", "diff", branch).out
    again = run("run", "--branch", branch, "--", "cat", "a.py")
    assert again.out == 'def f():\n    return {"a": 2}\n'


def test_a_failed_adoption_leaves_no_branch(run: Shell) -> None:
    assert run("run", "-", "--adopt", "--", "nosuch", stdin=PATCH).code == 127
    assert run("branches", "list").out == "no branches\n"


def test_products_are_kept_for_the_next_run(run: Shell) -> None:
    build = ["sh", "-c", "cat a.py made 2>/dev/null | tail -n 1; echo built > made"]
    assert run("run", "-", "--keep", "--", *build, stdin=PATCH).out == "    return 2\n"
    assert run("run", "-", "--keep", "--", *build, stdin=PATCH).out == "built\n"
    assert run("run", "-", "--", *build, stdin=PATCH).out == "    return 2\n"


def test_a_copy_where_it_is_wanted(run: Shell) -> None:
    done = run("run", "-", "--stage", "copy", "--format", "json", "--", "cat", "a.py", stdin=PATCH)
    assert done.code == 0, done.err
    stage = done.json["stage"]
    assert stage["kind"] == "copy"
    assert stage["root"] != str(run.folder)
    assert stage["isolation"]["notes"]


def test_nobody_reads_the_output(run: Shell) -> None:
    process = run.start("run", "--", "sh", "-c", "while echo line; do :; done")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"line\n"
    process.stdout.close()
    assert process.wait(SECONDS) == 141
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["overlay", "copy"])
def test_an_interrupt_ends_the_whole_tree(run: Shell, number: int, kind: str) -> None:
    script = "trap '' TERM INT; (setsid sleep 1000 &); echo up; sleep 1000"
    process = run.start("run", "--stage", kind, "--", "sh", "-c", script)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"up\n"
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) >= 3, "the command, what it started, and our helper"
    process.send_signal(number)
    assert process.wait(SECONDS) == 130
    place, last = process.stderr.read().decode().splitlines()[-2:]
    assert last == "understudy: interrupted"
    assert place.startswith("understudy: the output until then is kept: ")
    assert Path(place.partition(": ")[2].partition(": ")[2]).read_text() == "up\n"
    process.stdout.close()
    process.stderr.close()
    psutil.wait_procs(below, SECONDS)
    assert [child for child in below if child.is_running()] == []


def test_the_demo(demo: Path, state: Path) -> None:
    before = state_of(demo)
    shell = Shell(demo, state)
    done = shell("run", DEMO_PATCH, "--", "sh", "-c", f"{sys.executable} main.py 2>&1")
    assert done.code == 1, done.err
    assert "TypeError: tax_of()" in done.out
    plain = shell("run", "--", sys.executable, "main.py")
    assert plain.code == 0, plain.err
    assert state_of(demo) == before


def test_the_users_environment_is_not_ours_to_touch(run: Shell, state: Path) -> None:
    """A command that looks for the state folder, the home and /tmp leaves nothing there."""
    home = make_folder(state / "home", {".profile": "as it was"})
    script = "echo x >> ~/.profile; echo y > ~/new; echo z > /tmp/understudy-test-z; exit 0"
    done = subprocess.run(
        [sys.executable, "-m", "understudy", "run", "--", "sh", "-c", script],
        cwd=run.folder,
        env={**child_environment(state), "HOME": str(home)},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert (home / ".profile").read_text() == "as it was"
    assert not (home / "new").exists()
    assert not Path("/tmp/understudy-test-z").exists()


def test_the_help_tells_the_exit_codes(run: Shell) -> None:
    text = " ".join(run("run", "--help").out.split())
    for told in ("-- CMD...", "125 a failure of ours", "126 not executable", "127 no such command"):
        assert told in text


def test_json_and_text_tell_the_same(run: Shell) -> None:
    told = run("run", "--format", "json", "--", "sh", "-c", "echo x > n").json
    text = run("run", "--", "sh", "-c", "echo x > n").err
    assert told["stamp"] in text
    assert json.dumps(told["n_changed"]["added"]) == "1"
    assert "  A n\n" in text
    assert os.fspath(run.folder) in text
