"""A folder that another user owns and that we may only read: what can be said of it is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, toy_settings, write_user_settings
from tests.support.workspace import state_of

OTHER = 64_321
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+{word} one\n"
TRIES = "echo x > c.txt; echo x > deep/b.txt; echo new > new.txt; cat a.txt"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_it_is_judged_run_in_and_not_accepted_into(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n", "c.txt": "", "deep/b.txt": ""})
    write_user_settings(tmp_path / "state", toy_settings("well_behaved"))
    for path in (*folder.rglob("*"), folder):
        os.chown(path, OTHER, OTHER)
        path.chmod(0o755 if path.is_dir() else 0o644)
    # Root of a namespace in which that user is nobody has no power over the files.
    shell = Shell(folder, tmp_path / "state", before=("unshare", "--user", "--map-root-user"))
    before = state_of(folder)

    for word, code, verdict in (("good", 0, "clean"), ("BAD", 1, "findings")):
        done = shell("check", "-", "--format", "json", stdin=PATCH.format(word=word))
        assert (done.code, done.json["verdict"]) == (code, verdict), done.err

    run = ("run", "-", "--adopt", "--", "sh", "-c", TRIES)
    done = shell(*run, stdin=PATCH.format(word="good"))
    assert (done.code, done.out) == (0, "good one\n"), done.err
    assert done.err.count("Permission denied") == 2
    (named,) = [line for line in done.err.splitlines() if "not writable on the stage" in line]
    assert named.endswith("c.txt, deep")
    listed = shell("branches", "list").out
    branch = listed.partition(" ")[0]
    assert listed.startswith(f"{branch}  2 files")

    accepted = shell("branches", "accept", branch)
    assert (accepted.code, accepted.out) == (4, "")
    assert accepted.err.startswith("understudy: accept-failed: ")
    assert accepted.err.endswith("Permission denied; the folder is as it was\n")
    assert state_of(folder) == before
    assert shell("branches", "list").out.startswith(f"{branch}  2 files")
    assert "+good one\n" in shell("branches", "diff", branch).out
