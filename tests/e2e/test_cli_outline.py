"""`understudy outline` and `understudy map`, as a shell sees them."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.e2e.lsp_client import Json, open_editor
from tests.support.workspace import state_of

SAMPLE = '''class Shape:
    """Something drawn."""

    def area(self, scale: float = 1.0) -> float:
        return scale


def draw(shape: Shape) -> None:
    print(shape)
'''


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    files: dict[str, str | bytes] = {
        "shapes.py": SAMPLE,
        "app/main.py": "from shapes import Shape, draw\n\n\ndef run():\n    draw(Shape())\n",
        "app/long.py": "".join(f"def f{n}(): ...\n" for n in range(4000)),
        "binary.py": b"\0\1",
    }
    return Shell(make_folder(tmp_path / "work", files), tmp_path / "state")


def test_an_outline(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("outline", "shapes.py")
    head, *lines = done.out.splitlines()
    assert done.code == 0
    assert head.startswith("# outline of shapes.py: python, 9 lines, 3 entries, sha ")
    assert head.endswith(", complete")
    assert [line.strip() for line in lines] == [
        "1-5: class Shape",
        "4-5: def area(self, scale: float = 1.0) -> float: ...",
        "8-9: def draw(shape: Shape) -> None: ...",
    ]
    assert shell("outline", "shapes.py").out == done.out
    assert "Something drawn." in shell("outline", "--docs", "shapes.py").out
    assert state_of(shell.folder) == before


def test_bodies_ranges_and_reading(shell: Shell) -> None:
    lines = SAMPLE.splitlines(keepends=True)
    assert shell("outline", "shapes.py", "--symbol", "draw", "--full").out == "".join(lines[7:])
    assert shell("outline", "shapes.py", "--range", "1-2", "--full").out == "".join(lines[:2])
    assert shell("outline", "shapes.py", "--range", "9", "--full").out == lines[8]
    assert shell("outline", "shapes.py", "--full").out == SAMPLE
    assert shell("outline", "shapes.py", "--read").out == SAMPLE
    assert shell("outline", "app/long.py", "--read").out.startswith("# outline of app/long.py: ")
    assert "def draw" not in shell("outline", "shapes.py", "--symbol", "Shape.area").out


def test_json_has_the_digest_that_a_later_call_may_ask_for(shell: Shell) -> None:
    (file,) = shell("outline", "shapes.py", "--format", "json").json["files"]
    text = file.pop("text")
    sha = file.pop("sha")
    assert text.startswith("# outline of shapes.py")
    assert file == {
        "path": "shapes.py", "language": "python", "lines": 9, "bytes": len(SAMPLE),
        "form": "outline", "complete": True,
    }  # fmt: skip
    assert shell("outline", "shapes.py", "--sha", sha[:8]).code == 0
    (shell.folder / "shapes.py").write_text("x = 1\n")
    stale = shell("outline", "shapes.py", "--sha", sha, "--range", "1-2", "--full")
    assert (stale.code, stale.out) == (2, "")
    assert stale.err.startswith("understudy: stale-text: shapes.py: ")


def test_files_from_elsewhere_and_by_absolute_path(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def other(): ...\n")
    assert "def other()" in shell("outline", tmp_path / "other.py").out
    assert "def other()" in shell("outline", "../other.py").out
    assert "def run()" in shell("outline", "main.py", "--root", "app").out


def test_mistakes(shell: Shell) -> None:
    for arguments, code in (
        (("nope.py",), "no-such-file"),
        (("app",), "is-folder"),
        (("binary.py",), "not-text"),
        (("shapes.py", "--symbol", "Shap"), "no-symbol"),
        (("shapes.py", "--range", "90-99"), "no-lines"),
        (("shapes.py", "--range", "9-"), "bad-range"),
        (("shapes.py", "--range", "1-2", "--symbol", "draw"), "bad-params"),
        (("app/long.py", "--budget", "10"), "budget-too-small"),
        (("shapes.py", "--full", "--read"), "conflicting-options"),
    ):
        done = shell("outline", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert done.err.startswith(f"understudy: {code}: "), done.err
        assert shell("outline", *arguments, "--format", "json").json["error"]["code"] == code
    assert shell("outline").code == 2
    assert shell("outline", "shapes.py", "--budget", "-3").code == 2


def test_one_bad_file_does_not_hide_the_others(shell: Shell) -> None:
    done = shell("outline", "binary.py", "shapes.py", "nope.py")
    assert done.code == 2
    assert "class Shape" in done.out
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["not-text", "no-such-file"]
    body = shell("outline", "binary.py", "shapes.py", "--format", "json").json
    assert [file["path"] for file in body["files"]] == ["shapes.py"]
    assert [error["code"] for error in body["errors"]] == ["not-text"]


def test_a_map(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("map", "--budget", "500")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("# map of .: 3 files, 4014 lines, 4004 declarations, stamp ")
    assert {" 1-5: class Shape", " 8-9: def draw(shape: Shape) -> None: ..."} <= set(lines[2:6])
    assert lines[-1].startswith("# not shown: ")
    assert 1600 <= len(done.out.encode()) <= 2000
    assert shell("map", "--budget", "500").out == done.out
    assert state_of(shell.folder) == before
    modes = {stat.S_IMODE(p.stat().st_mode) for p in (shell.state / "cache").iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE((shell.state / "cache").stat().st_mode) == 0o700


def test_a_map_of_a_folder_has_paths_that_work_from_here(shell: Shell) -> None:
    done = shell("map", "app", "--task", "main.py")
    assert "\napp/main.py\n" in done.out
    assert "# weighted for app/main.py" in done.out
    body = shell("map", "--format", "json").json
    assert (body["files"], body["unread"], body["partial"]) == (3, [], [])
    assert body["text"] == shell("map").out


def test_maps_that_cannot_be(shell: Shell) -> None:
    for arguments, code in (
        (("nope",), "no-such-root"),
        (("shapes.py",), "no-such-root"),
        (("--budget", "10"), "budget-too-small"),
    ):
        done = shell("map", *arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"understudy: {code}: ")


def test_a_cache_that_cannot_be_kept_is_told(shell: Shell) -> None:
    (shell.state / "cache").parent.mkdir(parents=True, exist_ok=True)
    (shell.state / "cache").write_text("a file is in the way")
    done = shell("map")
    assert done.code == 4
    assert done.err.startswith("understudy: cache-failed: ")
    assert "UNDERSTUDY_CACHE_DIR" in done.err
    assert "class Shape" in shell("outline", "shapes.py").out


def test_the_text_is_the_same_under_every_hash_seed(shell: Shell, tmp_path: Path) -> None:
    texts: set[bytes] = set()
    for seed in range(4):
        environment = child_environment(tmp_path / f"state{seed}")  # nothing is cached
        for arguments in (["map"], ["outline", "app/long.py", "--budget", "300"]):
            done = subprocess.run(
                [*UNDERSTUDY, *arguments],
                cwd=shell.folder,
                env={**environment, "PYTHONHASHSEED": str(seed)},
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
            texts.add(done.stdout)
    assert len(texts) == 2


def test_no_network_is_needed(shell: Shell) -> None:
    """In a namespace without any network, where there are such."""
    command = ["unshare", "--user", "--map-root-user", "--net"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        command = []
    for arguments in (["outline", "shapes.py"], ["map"]):
        done = subprocess.run(
            [*command, *UNDERSTUDY, *arguments, "--format", "json"],
            cwd=shell.folder,
            env=child_environment(shell.state),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
        assert "class Shape" in json.dumps(json.loads(done.stdout))


def test_modules_of_the_folder_are_not_executed(shell: Shell) -> None:
    """`python -m` would find them before Python's own, in our process and in its workers."""
    for name in ("typing", "json", "re", "traceback", "tree_sitter"):
        (shell.folder / f"{name}.py").write_text("raise SystemExit('executed')\n")
    assert shell("outline", "shapes.py").code == 0
    assert shell("map").code == 0


def test_output_that_is_cut_off_is_no_failure(shell: Shell) -> None:
    process = shell.start("outline", "app/long.py", "--full")
    assert process.stdout is not None
    assert process.stdout.read(10)
    process.stdout.close()
    assert process.wait(SECONDS) in (0, 141, -13)
    assert process.stderr is not None
    assert os.read(process.stderr.fileno(), 1000) == b""
    process.stderr.close()


BRANCH_EDITS: list[Json] = [
    {"kind": "replace", "path": "shapes.py", "old": "def area", "new": "def volume"},
    {"kind": "write", "path": "app/new.py", "text": "def only_there():\n    pass\n"},
]


async def test_a_branch_with_and_without_a_host(shell: Shell) -> None:
    async with open_editor(shell.folder, shell.state) as editor:
        branch = await editor.branch(*BRANCH_EDITS)
        asked = await asyncio.to_thread(
            shell, "outline", "shapes.py", "app/new.py", "--branch", branch
        )
        mapped = await asyncio.to_thread(shell, "map", "--branch", branch, "--task", "app/new.py")
        assert (asked.code, asked.err) == (0, "")
        assert "def volume(self" in asked.out
        assert "def only_there" in asked.out
        assert "def only_there" in mapped.out
    before = state_of(shell.folder)
    alone = shell("outline", "shapes.py", "app/new.py", "--branch", branch)
    assert (alone.code, alone.out) == (0, asked.out)
    assert shell("map", "--branch", branch, "--task", "app/new.py").out == mapped.out
    assert "only_there" in shell("map", "app", "--branch", branch, "--task", "new.py").out
    assert "def area" in shell("outline", "shapes.py").out
    assert state_of(shell.folder) == before


async def test_a_branch_that_is_not_there(shell: Shell) -> None:
    done = shell("outline", "shapes.py", "--branch", "b404")
    assert (done.code, done.out) == (2, "")
    assert "b404" in done.err
    assert shell("map", "--branch", "b404").code == 2
