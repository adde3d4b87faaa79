"""A host that is begun while the command line is read: where one will be needed, and never left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import (
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.warm_hosts import Hosts

PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD patch\n"
BEGINS = (
    "import sys\n"
    "from understudy.faces.hosting.coming import begin_early, take_early\n"
    "begin_early(sys.argv[1:])\n"
    "print(take_early() is not None)\n"
)


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    return make_folder(tmp_path / "work", {"a.txt": "fine\n"})


def begins(folder: Path, state: Path, *arguments: str, **environ: str) -> bool:
    done = subprocess.run(
        [sys.executable, "-c", BEGINS, *arguments], cwd=folder, capture_output=True, text=True,
        env=child_environment(state) | environ, timeout=SECONDS, check=True,
    )  # fmt: skip
    return done.stdout == "True\n"


def of_folder(folder: Path) -> list[psutil.Process]:
    """The processes whose command line names the folder."""
    every = psutil.process_iter(["cmdline"])
    return [one for one in every if str(folder) in (one.info["cmdline"] or ())]


def test_a_check_begins_one_where_it_will_need_it(
    folder: Path, state: Path, hosts: Hosts, tmp_path: Path
) -> None:
    assert begins(folder, state, "check", "-")
    assert begins(tmp_path, state, "check", "--root", str(folder))
    assert begins(tmp_path, state, "check", f"--root={folder}")
    assert not begins(folder, state, "check", "-", CI="true")
    assert not begins(folder, state, "branches", "list")
    for of_another in ("--no-host", "--help", "--branch=b1", "--format=sarif", "--agent=claude"):
        assert not begins(folder, state, "check", of_another), of_another
    assert not begins(folder, state, "check", "--root", str(folder / "nowhere"))
    assert Shell(folder, state)("check", "-", stdin=PATCH).code == 1
    assert hosts.only()
    assert not begins(folder, state, "check", "-"), "there is one"


@pytest.mark.parametrize("wrong", [["nowhere.patch"], ["--nonsense"]])
def test_what_cannot_be_checked_leaves_none(
    folder: Path, state: Path, hosts: Hosts, wrong: list[str]
) -> None:
    done = Shell(folder, state)("check", *wrong, "--root", str(folder), stdin=PATCH)
    assert done.code == 2, done.err
    _, alive = psutil.wait_procs(of_folder(folder), SECONDS)
    assert alive == []
    assert hosts.found() == []
