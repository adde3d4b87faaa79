"""What a rehearsal opens: hosts, places, variables, ports, an agent's preset; and its commits."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.e2e.rehearsals import Living
from tests.support.repositories import GitRepository
from tests.support.terminals import OnPty

AGENTS = """
[hal]
title = "HAL"
binary = "hal"
files = []

[hal.rehearsal]
private = ["~/.hal/settings.json"]
login = ["~/.hal/login.json"]
variables = ["HAL_KEY"]
sets = { HAL_SANDBOX = "off" }
hosts = ["hal.example.org"]
arguments = ["--no-sandbox"]
"""
HAL = """#!/bin/sh
echo "hal $* $HAL_KEY $HAL_SANDBOX $(cat ~/.hal/settings.json)"
getent hosts hal.example.org | tr -s ' '
echo '{"token": 2}' > ~/.hal/login.json
echo evil > ~/.hal/settings.json
echo fine > by-hal.txt
"""


UNTIL_IT_LISTENS = """until python3 -c '
import socket
socket.create_connection(("127.0.0.1", 8456))' 2> /dev/null; do :; done"""


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Shell:
    home = make_folder(
        tmp_path / "home",
        {".hal/settings.json": "set", ".hal/login.json": '{"token": 1}', "read/me.txt": "me\n"},
    )
    make_folder(tmp_path / "config", {"understudy/agents.toml": AGENTS})
    program = make_folder(tmp_path / "bin", {"hal": HAL}) / "hal"
    program.chmod(0o755)
    folder = make_folder(tmp_path / "work", {"a.txt": "one\n"})
    GitRepository(folder).commit()
    environ = {
        "HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "config"), "HAL_KEY": "k",
        "PATH": f"{program.parent}:{os.environ['PATH']}", "SECRET": "s",
        "GIT_AUTHOR_NAME": "u", "GIT_AUTHOR_EMAIL": "u@x",
        "GIT_COMMITTER_NAME": "u", "GIT_COMMITTER_EMAIL": "u@x",
    }  # fmt: skip
    return Shell(folder, state, environ)


@contextmanager
def answering() -> Iterator[int]:
    """A host on loopback that says one word to whoever comes; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                peer = listener.accept()[0]
                with peer:
                    if peer.recv(100) == b"end":
                        return
                    peer.sendall(b"from-outside\n")

        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        try:
            yield port
        finally:
            with socket.create_connection(("127.0.0.1", port)) as last:
                last.sendall(b"end")
            thread.join()


ASK = """python3 -c '
import socket, sys
one = socket.create_connection(("localhost", int(sys.argv[1])), 120)
one.sendall(b"who")
print(one.makefile().readline().strip())' {port}"""


def test_what_is_named_is_open_and_nothing_else(shell: Shell) -> None:
    with answering() as port:
        options = ("--net", f"localhost:{port}", "--home", "~/read:ro", "--env", "SECRET")
        living = Living(shell, *options, "--publish", "8456")
        assert living.do(ASK.format(port=port)) == "from-outside\n"
        assert living.do("cat ~/read/me.txt; echo $SECRET$HAL_KEY") == "me\ns\n"
        said = living.do("touch ~/read/new 2>&1; getent hosts other.example.org; ls -A ~")
        assert "Read-only" in said
        assert ".hal" not in said
        living.do("python3 -m http.server 8456 --bind 127.0.0.1 > /dev/null 2>&1 &")
        living.do(UNTIL_IT_LISTENS)
        assert living.process.stderr is not None
        shown = re.search(rb"shown at http://b1.localhost:(\d+)/", living.process.stderr.readline())
        assert shown is not None
        url = f"http://127.0.0.1:{int(shown[1])}/a.txt"
        asked = urllib.request.Request(url, headers={"Host": "b1.localhost"})
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            assert answer.read() == b"one\n"
        told = living.finish()
    assert "asked for, and not reached: other.example.org\n" in told
    refused = shell("rehearse", "--net", "host,x", "--", "true")
    assert (refused.code, "bad-host: --net: 'host' stands alone" in refused.err) == (125, True)


def test_commits_come_over_where_the_user_asks(shell: Shell) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=shell.folder, capture_output=True, text=True)
        return done.stdout.strip()

    before = git("for-each-ref"), git("rev-parse", "HEAD")
    living = Living(shell)
    living.do("echo two >> a.txt; git commit -qam first; git branch -q topic; git stash list")
    living.do("git checkout -q topic; echo x > b.txt; git add .; git commit -qm second")
    living.until(lambda branch: branch["files"] == 2)
    assert "+++ b/.git" not in living.diff()
    assert "branches accept --commits b1" in living.finish()
    assert (git("for-each-ref"), git("rev-parse", "HEAD")) == before
    on = Living(shell, "--branch", "b1")
    assert on.do("git log --format=%s; git status --short").splitlines()[:2] == ["second", "first"]
    on.do("echo y >> b.txt; git commit -qam last")
    on.until(lambda branch: branch["files"] == 2 and "+y" in on.diff())
    on.finish()
    text = (shell.folder / "a.txt").read_text()
    (shell.folder / "a.txt").write_text(f"{text}mine\n")
    collides = shell("branches", "accept", "--commits", "b1")
    assert (collides.code, git("rev-parse", "-q", "--verify", "understudy/b1") != "") == (1, True)
    (shell.folder / "a.txt").write_text(text)
    taken = shell("branches", "accept", "--commits", "b1")
    assert taken.code == 0, taken.err
    assert "refs/heads/understudy/b1 is " in taken.out
    assert git("log", "--format=%s", "understudy/b1").splitlines()[:3] == [
        "last",
        "second",
        "first",
    ]
    assert git("rev-parse", "HEAD") == before[1]
    assert git("fsck", "--strict") == ""
    again = Living(shell)
    again.do("echo three >> b.txt")
    assert "--commits" not in again.finish()
    refused = shell("branches", "accept", "--commits", "b2")
    assert (refused.code, "no-commits: b2" in refused.err) == (2, True)
    third = Living(shell)
    third.do("git commit -q --allow-empty -m third")
    third.do("echo four > c.txt")
    third.finish()
    git("branch", "understudy/b3")
    refused = shell("branches", "accept", "--commits", "b3")
    assert (refused.code, "ref-exists: refs/heads/understudy/b3" in refused.err) == (2, True)
    assert not (shell.folder / "c.txt").exists(), "nothing is accepted then"
    (bundle,) = (shell.state / "understudy").rglob("commits/b3.bundle")
    git("branch", "-D", "understudy/b3")
    for broken in (b"", b"# v2 git bundle\n", bundle.read_bytes()[:-30], b"x" * 100):
        bundle.write_bytes(broken)
        refused = shell("branches", "accept", "--commits", "b3")
        assert refused.code in (2, 4), refused.err
        assert re.search("bad-bundle|git-failed", refused.err), refused.err
    assert git("for-each-ref", "refs/heads/understudy/b3") == ""


def test_commits_that_cannot_be_kept_are_told(shell: Shell) -> None:
    first = Living(shell)
    first.do("git commit -q --allow-empty -m first; echo four > c.txt")
    first.finish()
    (bundle,) = (shell.state / "understudy").rglob("commits/b1.bundle")
    second = Living(shell)
    second.do("git commit -q --allow-empty -m second; echo five > d.txt; git add d.txt")
    kept = bundle.with_stem("b2")
    kept.write_bytes(b"what was kept before")
    second.do("git commit -qm third; rm -f .git/objects/$(git rev-parse :d.txt | sed s,..,\\&/,)")
    told = second.finish()
    assert "warning: b2: what was committed is not kept, for git could not bundle it" in told
    assert "--commits" not in told
    assert kept.read_bytes() == b"what was kept before"


def test_commits_outlive_a_login_that_is_none(shell: Shell) -> None:
    deep = "head -c 200000 /dev/zero | tr '\\0' '[' > ~/.hal/login.json"
    program = Path(shell.environ["PATH"].partition(":")[0]) / "hal"
    program.write_text(f"#!/bin/sh\ngit commit -qm one --allow-empty\n{deep}\n")
    done = shell("rehearse", "--yes", "--", "hal")
    assert done.code == 0, done.err
    assert "branches accept --commits b1" in done.err
    assert "~/.hal/login.json: not what a login is" in done.err


def test_a_preset_is_asked_for_once(shell: Shell) -> None:
    home = Path(shell.environ["HOME"])
    refused = shell("rehearse", "--", "hal", "work")
    assert refused.code == 125
    for opened in ("not-agreed: hal", "hal.example.org", "~/.hal/login.json", "HAL_KEY", "--yes"):
        assert opened in refused.err
    assert shell("branches", "list").out == "no branches\n"
    command = [*UNDERSTUDY, "rehearse", "--", "hal", "work"]
    on = OnPty(command, shell.folder, {**child_environment(shell.state), **shell.environ})
    on.wait_for(b"Agree")
    on.type("y\n")
    seen = on.finish()
    assert on.status == 0, seen
    assert b"hal --no-sandbox work k off set\r\n127.66.0.1 hal.example.org\r\n" in seen
    assert b"kept in your home: ~/.hal/login.json" in seen
    assert (home / ".hal/login.json").read_text() == '{"token": 2}\n'
    assert (home / ".hal/settings.json").read_text() == "set"
    again = shell("rehearse", "--net", "none", "--", "hal")
    assert (again.code, again.out) == (0, "hal --no-sandbox k off set\n"), again.err
    bare = shell("rehearse", "--no-preset", "--", "hal")
    assert bare.out.split() == ["hal"], (bare.out, bare.err)
