"""A check leaves a host behind, and the next one finds it: the same answers, by warm servers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.e2e.command_line import SECONDS, Done, Shell
from tests.e2e.folders import (
    child_environment,
    left_in_state,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.short_memory import held_in, move, small_group
from tests.e2e.warm_hosts import Hosts, descriptors_of, wait_for_end
from tests.langserver.toybox import ended_in
from understudy.stage.model import MIB

TOY = {"toy": toy_profile("well_behaved")}
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD patch\n"


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    settings(state)
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


def settings(state: Path, more: str = "") -> None:
    write_user_settings(state, f"{more}\n{settings_text(TOY)}")


def check(shell: Shell, *options: str) -> Done:
    return shell("check", "-", "--format", "json", *options, stdin=PATCH)


def answer(done: Done) -> object:
    """All but how long it took."""

    def timeless(value: object) -> object:
        if isinstance(value, dict):
            return {k: timeless(v) for k, v in value.items() if k not in ("elapsed_ms", "ms")}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    return done.code, timeless(done.json)


def test_the_second_check_is_answered_by_the_servers_of_the_first(
    folder: Path, shell: Shell, hosts: Hosts
) -> None:
    first = check(shell)
    assert first.code == 1, first.err
    host = hosts.only()
    servers = hosts.servers_of(host, folder)
    assert len(servers) == 1
    second = check(shell)
    assert hosts.only() == host
    assert hosts.servers_of(host, folder) == servers
    cold = check(shell, "--no-host")
    assert answer(first) == answer(second) == answer(cold)
    text = shell("doctor").out
    assert f"kill {host.pid}" in text
    assert re.search(r"last asked \d+ min ago", text)


def test_it_holds_nothing_of_its_caller(shell: Shell, hosts: Hosts, tmp_path: Path) -> None:
    with (tmp_path / "held").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        assert check(shell).code == 1
    host = hosts.only()
    assert os.getsid(host.pid) == host.pid != os.getsid(0)
    assert host.cwd() == "/"
    if sys.platform == "linux":
        found = descriptors_of(host)
        assert [found[number] for number in "012"] == [os.devnull] * 3
        rest = [text for number, text in found.items() if int(number) > 2]
        assert not [text for text in rest if text.startswith("pipe:") and _is_ours(text)]
        own = str(hosts.state)
        assert all(text.startswith((own, "socket:", "pipe:", "anon_inode:")) for text in rest), rest


def _is_ours(text: str) -> bool:
    return text in descriptors_of(psutil.Process()).values()


@pytest.mark.parametrize("name", ["PATH", "VIRTUAL_ENV", "GOFLAGS"])
def test_another_environment_has_servers_of_its_own(
    folder: Path, shell: Shell, hosts: Hosts, name: str
) -> None:
    first = check(shell)
    host = hosts.only()
    servers = hosts.servers_of(host, folder)
    before = child_environment(shell.state).get(name, "")
    other = replace(shell, environ={name: f"{before}{os.pathsep}/nowhere"})
    done = check(other)
    assert done.code == 1
    (other_host,) = set(hosts.found()) - {host}
    own = hosts.servers_of(other_host, folder)
    assert len(own) == 1
    assert not own & servers
    stamps = {one.json["stamp"] for one in (first, done)}
    assert len(stamps) == (2 if name == "PATH" else 1)  # the toy is told of PATH alone
    assert answer(check(other)) == answer(done)
    assert answer(check(replace(shell, environ={"TERM_SESSION_ID": "another"}))) == answer(first)
    assert set(hosts.found()) == {host, other_host}


def test_trust_for_one_call_is_nobody_elses(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    profile = {**toy_profile("well_behaved"), "executes_workspace_code": True}
    write_user_settings(state, settings_text({"toy": profile}))
    untrusted = check(shell)
    assert (untrusted.code, "untrusted" in untrusted.out) == (3, True)
    host = hosts.only()
    trusted = check(shell, "--trust")
    assert trusted.code == 1, trusted.out
    (trusting,) = set(hosts.found()) - {host}
    servers = hosts.servers_of(trusting, folder)
    assert len(servers) == 1
    assert answer(check(shell)) == answer(untrusted)
    assert hosts.servers_of(host, folder) == set()
    assert answer(check(shell, "--trust")) == answer(trusted)
    assert hosts.servers_of(trusting, folder) == servers
    assert trusted.json["stamp"] != untrusted.json["stamp"]


def test_trust_that_is_given_or_taken_holds_from_the_next_call_on(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    profile = {**toy_profile("well_behaved"), "executes_workspace_code": True}
    write_user_settings(state, settings_text({"toy": profile}))
    assert check(shell).code == 3
    host = hosts.only()
    assert shell("trust").code == 0
    assert check(shell).code == 1
    assert shell("trust", "--remove").code == 0
    again = check(shell)
    assert (again.code, "untrusted" in again.out) == (3, True)
    assert hosts.only() == host


def test_settings_are_read_for_each_call(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    first = check(shell)
    host = hosts.only()
    other = {**TOY["toy"], "install": "it is elsewhere"}
    write_user_settings(state, settings_text({"toy": other}))
    second = check(shell)
    assert second.code == 1
    assert second.json["stamp"] != first.json["stamp"]
    assert answer(second) == answer(check(shell, "--no-host"))
    (folder / "understudy.toml").write_text("nonsense = 1\n")
    refused, cold = check(shell), check(shell, "--no-host")
    assert (refused.code, refused.out) == (2, cold.out)
    assert "nonsense" in refused.out
    (folder / "understudy.toml").unlink()
    assert check(shell).code == 1
    assert hosts.only() == host


@pytest.mark.parametrize("why", ["CI", "--no-host", "host_minutes"])
def test_nothing_stays_where_nothing_is_to_stay(
    folder: Path, state: Path, shell: Shell, hosts: Hosts,
    monkeypatch: pytest.MonkeyPatch, why: str,
) -> None:  # fmt: skip
    if why == "CI":
        monkeypatch.setenv("CI", "1")
    if why == "host_minutes":
        settings(state, "host_minutes = 0")
    assert check(shell, *(["--no-host"] if why == "--no-host" else [])).code == 1
    assert hosts.found() == []
    assert ended_in(folder)
    assert left_in_state(state) == [], "nor has it left a file"


def test_it_ends_when_nobody_asks(folder: Path, state: Path, shell: Shell, hosts: Hosts) -> None:
    settings(state, "host_minutes = 0.05")
    assert check(shell).code == 1
    hosts.wait_until_gone()
    assert ended_in(folder)
    assert list(state.rglob("host.json")) == []
    assert check(shell).code == 1


def test_it_ends_when_it_holds_too_much(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    settings(state, "memory_limit_mb = 1")
    assert check(shell).code == 1
    hosts.wait_until_gone()
    assert ended_in(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can count on making a cgroup")
def test_it_ends_when_memory_runs_short(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    settings(state, "host_minutes = 10")
    assert check(shell).code == 1
    host = hosts.only()
    with small_group(768 * MIB) as group:
        move(host, group)
        assert check(shell).code == 1
        assert hosts.only() == host, "what is left in the group is enough"
        with held_in(group, 600 * MIB):
            wait_for_end(host)
    assert ended_in(folder)
    assert "short of memory" in "".join(log.read_text() for log in state.rglob("*.log"))
    assert check(shell).code == 1, "the next check needs no host that was there"


def test_it_ends_when_its_folder_goes(folder: Path, shell: Shell, hosts: Hosts) -> None:
    assert check(shell).code == 1
    host = hosts.only()
    shutil.rmtree(folder)
    wait_for_end(host)


def test_one_that_was_killed_is_followed(folder: Path, shell: Shell, hosts: Hosts) -> None:
    first = check(shell)
    host = hosts.only()
    host.kill()
    host.wait(SECONDS)
    assert answer(check(shell)) == answer(first)
    assert hosts.only() != host


def test_two_that_begin_at_once_share_one(shell: Shell, hosts: Hosts, tmp_path: Path) -> None:
    patch = tmp_path / "a.patch"
    patch.write_text(PATCH)
    started = [shell.start("check", patch) for _ in range(3)]
    said = [one.communicate(timeout=SECONDS) for one in started]
    assert [one.returncode for one in started] == [1, 1, 1], said
    assert len(hosts.found()) == 1


def test_an_interrupt_ends_the_call_and_not_the_host(
    folder: Path, state: Path, shell: Shell, hosts: Hosts, tmp_path: Path
) -> None:
    assert check(shell).code == 1
    host = hosts.only()
    write_user_settings(state, settings_text({"toy": toy_profile("never_answers")}))
    patch = tmp_path / "a.patch"
    patch.write_text(PATCH)
    before = hosts.servers_of(host, folder)
    with shell.start("check", patch) as asking:
        while not hosts.servers_of(host, folder) - before:
            assert asking.poll() is None
        asking.send_signal(signal.SIGINT)
        assert asking.wait(SECONDS) == 130
    assert hosts.only() == host
    settings(state)
    assert check(shell).code == 1
    assert hosts.only() == host


def test_there_is_room_for_a_few(shell: Shell, hosts: Hosts) -> None:
    def under(number: int) -> None:
        assert check(replace(shell, environ={"GOFLAGS": f"-p={number}"})).code == 1

    begun: list[psutil.Process] = []
    for number in range(3):
        under(number)
        begun += set(hosts.found()) - set(begun)
    assert len(begun) == 3
    under(1)
    under(3)  # alone; of those beside the folder's own, the third was asked last the longest ago
    wait_for_end(begun[2])
    assert set(hosts.found()) == {begun[0], begun[1]}
    under(3)
    assert len(hosts.found()) == 3


def test_a_state_folder_that_cannot_be_written_keeps_nothing_from_being_checked(
    state: Path, shell: Shell, hosts: Hosts
) -> None:
    (state / "understudy").mkdir(parents=True, exist_ok=True)
    (state / "understudy" / "workspaces").write_text("a file\n")
    done = check(shell)
    assert done.code == 1, done.err
    assert hosts.found() == []
