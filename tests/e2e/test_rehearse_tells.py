"""`understudy rehearse`: what the one who lives in the branch is told, inside and at its end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import (
    UNDERSTUDY,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.rehearsals import Living
from tests.e2e.warm_hosts import Hosts, wait_for_end
from tests.support.repositories import git

PROGRAM = shlex.join(UNDERSTUDY)
AGENT = """\
#!/bin/sh
echo "$@" >> calls.md
case "$*" in
--continue*) [ -f stubborn ] && echo "BAD $(wc -l < calls.md)" > a.txt || echo fine > a.txt;;
*) echo BAD > a.txt;;
esac
"""


@pytest.fixture
def shell(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.delenv("CI", raising=False)
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    yield Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"}), state)
    Hosts(state).end()


def test_inside_the_program_speaks_of_the_branch(shell: Shell, state: Path) -> None:
    living = Living(shell)
    check = f"{PROGRAM} check; echo code $?"
    told = living.do(f"echo BAD > a.txt; {check}")
    assert "a.txt:1:1: error" in told, "what was written a moment ago counts"
    assert told.endswith("code 1\n")
    told = living.do(f"echo fine > a.txt; echo BAD > new.txt; env -i {check}")
    assert "new.txt:1:1: error" in told, "also of who was started with no variable at all"
    assert "a.txt" not in told
    for refused in ("branches list", "branches accept b1", "trust", "run -- true"):
        told = living.do(f"{PROGRAM} {refused} 2>&1")
        assert "not-in-a-rehearsal" in told, told
    host = Hosts(state).only()
    host.kill()
    wait_for_end(host)
    told = living.do(f"echo BAD > b.txt; {check}")
    assert {"b.txt:1:1: error" in told, "new.txt:1:1: error" in told} == {True}, told
    assert Hosts(state).only() != host, "the next host goes on"
    living.finish()


OWN = ("rehearse", "--no-preset")
"""Nothing is opened for it: it only has the name of an agent that we know."""


def test_an_agent_goes_on_until_its_branch_is_clean(shell: Shell) -> None:
    agent = shell.folder / "claude"
    agent.write_text(AGENT)
    agent.chmod(0o755)

    def rehearse(rounds: str, *words: str) -> tuple[str, str]:
        done = shell(*OWN, "--until-clean", rounds, "--", "./claude", "-p", *words)
        assert done.code == 0, done.err
        listed = shell("branches", "list", "--format", "json").json["branches"]
        branch = listed[-1]["branch"]
        return done.err, shell("branches", "diff", branch).out

    err, diff = rehearse("3", "do it", "--model", "x")
    assert err.count("goes on\n") == 1
    assert "b/a.txt" not in diff
    assert "+-p do it --model x\n+--continue -p [understudy] findings: 1 introduced" in diff
    assert diff.rstrip().endswith("--model x"), "its own options are as they were"
    (shell.folder / "stubborn").write_text("")
    err, diff = rehearse("2", "do it")
    assert err.count("goes on\n") == 2, "no more rounds than that"
    assert "b/a.txt" in diff
    plain = shell(*OWN, "--", "./claude", "-p", "do it")
    assert "goes on" not in plain.err


def test_an_agent_that_may_have_no_verdict_leaves_its_edits_all_the_same(
    shell: Shell, state: Path
) -> None:
    toy = settings_text({"toy": toy_profile("well_behaved")})
    write_user_settings(state, f'agents_may = ["navigation"]\n{toy}')
    agent = shell.folder / "claude"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    done = shell(*OWN, "--until-clean", "2", "--", "./claude", "-p", "do it")
    assert "the end of the turn was not judged: " in done.err
    assert "switched lint off for agents" in done.err
    assert done.code == 0, done.err
    (listed,) = shell("branches", "list", "--format", "json").json["branches"]
    assert "+BAD" in shell("branches", "diff", listed["branch"]).out


WHO = "-c user.name=agent -c user.email=agent@example.org"


def test_a_turn_that_cannot_be_judged_ends_the_rehearsal_as_any_other(shell: Shell) -> None:
    git(shell.folder, "init", "-q")
    git(shell.folder, "commit", "-q", "--allow-empty", "-m", "before")
    agent = shell.folder / "claude"
    agent.write_text("#!/bin/sh\nexec sh\n")
    agent.chmod(0o755)
    options = ("--no-preset", "--until-clean", "3")
    living = Living(shell, *options, command=("./claude", "-p", "do it"))
    living.do(f"echo BAD > a.txt; git add a.txt; git {WHO} commit -qm 'of the agent'")
    living.until(lambda branch: branch["files"] == 1)
    assert shell("branches", "discard", "b1").code == 0
    living.do("echo BAD > b.txt")
    told = living.finish()
    assert "the end of the turn was not judged: b1: the branch was discarded\n" in told
    assert "it has committed" in told
    assert "+BAD" in living.diff("b2")
