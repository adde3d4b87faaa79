"""Lists of hosts: how they are written, and what a stage reaches by them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.stages import hosts
from tests.support.stages.identities import IDENTITIES, TIMEOUT_S, Identity
from understudy.stage.reach.names import asked_name
from understudy.values.errors import BadInput
from understudy.values.hosts import ListedHost, parse_hosts

RULERS = [
    one for one in IDENTITIES if one.name == ("root" if os.getuid() == 0 else "namespace-root")
]


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(one, marks=pytest.mark.ring if one is hosts.THE_ATTACK else ())
        for one in hosts.SCENARIOS
    ],
    ids=[one.__name__ for one in hosts.SCENARIOS],
)
@pytest.mark.parametrize("identity", RULERS, ids=lambda one: one.name)
def test_scenario(identity: Identity, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        command = identity.command(hosts.__name__, scenario.__name__, str(home))
        own = ["unshare", "--net", "--mount"]
        if identity.in_namespace:  # only within it may this user make a network
            own = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
            command = command[command.index("--mount") + 1 :]
        played = subprocess.run([*own, *command], **identity.options(home), timeout=TIMEOUT_S)
    assert played.returncode == 0, played.stdout + played.stderr


def test_a_list_of_hosts_is_read() -> None:
    found = parse_hosts(["API.example.org, b.example.org:80", "[::1]:8080,10.0.0.1:5432"], "--net")
    assert found.hosts == (
        ListedHost("api.example.org", 443), ListedHost("b.example.org", 80),
        ListedHost("::1", 8080), ListedHost("10.0.0.1", 5432),
    )  # fmt: skip
    assert [str(host) for host in found.hosts] == [
        "api.example.org", "b.example.org:80", "[::1]:8080", "10.0.0.1:5432",
    ]  # fmt: skip


def test_a_pattern_stands_for_the_names_below_it() -> None:
    found = parse_hosts(["*.example.org", "one.example.com:80"], "--net")
    assert found.allows("a.example.org", 443)
    assert found.allows("A.B.example.org.", 443)
    assert not found.allows("example.org", 443)
    assert not found.allows("aexample.org", 443)
    assert not found.allows("a.example.org", 80)
    assert not found.allows("one.example.com", 443)
    assert found.knows("one.example.com")


@pytest.mark.parametrize(
    "text",
    [
        "", "a,,b", "http://a.org", "a.org/x", "a b.org", "a.org:0", "a.org:65536", "a.org:http",
        "*", "*.org", "a.*.org", "**.example.org", "0.0.0.0", "::", "224.0.0.1", "a.org:", "[::1",
        "[::1]x", "-a.org", "x" * 64 + ".org", "a@b.org", "äö.org", "a.org:٣",
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_hosts([text], "--net")
    assert refused.value.code == "bad-host"
    assert refused.value.where == "--net"


def test_questions_for_names() -> None:
    question = b"\0\1\1\0\0\1\0\0\0\0\0\0\1A\3org\0\0\1\0\1"
    assert asked_name(question) == ("a.org", len(question))
    for broken in (b"", question[:-3], question[:14], question[:2] + b"\x81" + question[3:]):
        assert asked_name(broken) is None
