"""A list of hosts: those on it are reached from a stage, and by no way any other.

Played in a network namespace of the test's own: its loopback has the addresses of all the "hosts",
and a hosts file that is mounted over the machine's gives them their names.
"""

from __future__ import annotations

import json
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.support.stages.field import Field, python, refused, sh
from tests.support.stages.ways_out import WAYS
from understudy.stage.inside import kernel
from understudy.stage.model import StageLimits
from understudy.values.hosts import parse_hosts

NAMES = {
    "10.99.0.2": "api.example.test",
    "10.99.0.3": "other.example.test",
    "10.99.0.4": "a.wild.test",
    "10.99.0.5": "bare.example.test",
    "127.0.0.1": "localhost evil.wild.test near.example.test",
    "fd99::3": "six.example.test",
}
LISTED = (
    "api.example.test:8443",
    "*.wild.test:8443",
    "10.99.0.5:7000",
    "localhost:7100",
    "near.example.test:8443",
)
LISTENING = [
    ("10.99.0.2", 8443), ("10.99.0.2", 9000), ("10.99.0.3", 8443), ("10.99.0.3", 80),
    ("10.99.0.4", 8443), ("10.99.0.4", 9000), ("10.99.0.5", 7000), ("10.99.0.5", 7001),
    ("127.0.0.1", 7100), ("127.0.0.1", 8443), ("127.0.0.1", 7200), ("fd99::3", 8443), ("::1", 7200),
]  # fmt: skip
LONG = StageLimits(wall=60)
WANTED = {("10.99.0.2", 8443), ("10.99.0.4", 8443), ("10.99.0.5", 7000), ("127.0.0.1", 7100)}

REACH = """
import os, socket, sys
def told(one):
    one.settimeout(10)
    with one:
        return one.makefile("rb").readline().decode().strip()
for name, port in (("api.example.test", 8443), ("10.99.0.5", 7000), ("localhost", 7100)):
    print(name, told(socket.create_connection((name, port), 10)))
proxy = os.environ["https_proxy"].removeprefix("http://").split(":")
for name in ("a.wild.test:8443", "API.example.test:8443"):
    one = socket.create_connection((proxy[0], int(proxy[1])), 10)
    one.sendall(f"CONNECT {name} HTTP/1.1\\r\\nHost: {name}\\r\\n\\r\\n".encode())
    one.settimeout(10)
    with one, one.makefile("rb") as file:
        assert b" 200 " in file.readline(), name
        file.readline()
        print(name, file.readline().decode().strip())
one = socket.create_connection((proxy[0], int(proxy[1])), 10)
one.sendall(b"GET http://a.wild.test:8443/x?y HTTP/1.1\\r\\nHost: other.example.test\\r\\n\\r\\n")
one.settimeout(10)
print("plain", one.makefile("rb").readline().decode().strip())
for name in ("other.example.test", "api.example.test"):
    try:
        print(name, socket.getaddrinfo(name, 443)[0][4][0])
    except OSError as error:
        print(name, "no name")
"""


async def those_on_the_list_are_reached(field: Field) -> None:
    with _machine() as heard:
        async with field.stage(hosts=parse_hosts(LISTED, "--net")) as stage:
            said = await python(stage, REACH)
            assert said.text.splitlines() == [
                "api.example.test from 10.99.0.2:8443",
                "10.99.0.5 from 10.99.0.5:7000",
                "localhost from 127.0.0.1:7100",
                "a.wild.test:8443 from 10.99.0.4:8443",
                "API.example.test:8443 from 10.99.0.2:8443",
                "plain from 10.99.0.4:8443",
                "other.example.test no name",
                "api.example.test 127.66.0.1",
            ], said.text
            assert stage.missed == ("other.example.test",), stage.missed
            assert stage.isolation.network
    assert set(heard) == WANTED


async def nothing_else_is_reached_by_any_way(field: Field) -> None:
    """What counts is what the listeners outside hear, whatever the attacker says."""
    with _machine() as heard:
        hosts = parse_hosts(LISTED, "--net")
        async with field.stage(hosts=hosts) as stage:
            said = await python(stage, WAYS, json.dumps(sorted(WANTED)), limits=LONG)
            tried = said.text.split()
            assert said.ended.status == 0, said.text
            assert len(set(tried)) >= 30, tried
            missed = stage.missed
        assert set(heard) <= WANTED, (set(heard) - WANTED, tried)
        assert {"other.example.test:8443", "10.99.0.3:8443", "six.example.test"} <= set(missed)
        for address, port in LISTENING:  # and the listeners are good ones
            with socket.create_connection((address, port), 10) as one:
                one.recv(100)  # it has heard us by then
    assert set(heard) == set(LISTENING)


async def nobody_answers(field: Field) -> None:
    """What is listed and not there is said; a list of nothing only notes."""
    with _machine():
        hosts = parse_hosts(["api.example.test:4444", "gone.example.test"], "--net")
        async with field.stage(hosts=hosts) as stage:
            script = "exec 3<>/dev/tcp/$0/$1 && cat <&3"
            for name, port in (("api.example.test", "4444"), ("gone.example.test", "443")):
                await sh(stage, 'bash -c "$1" "$2" "$3"', script, name, port)
            assert [one.partition(" ")[0] for one in stage.missed] == [
                "api.example.test:4444", "gone.example.test",
            ], stage.missed  # fmt: skip
        async with field.stage(hosts=parse_hosts([], "--net")) as stage:
            await sh(stage, "getent hosts api.example.test; getent hosts other.example.test")
            assert stage.missed == ("api.example.test", "other.example.test")
        kept = parse_hosts(["localhost:53", "127.66.255.53:3128"], "--net")
        async with field.stage(hosts=kept) as stage:
            assert (await sh(stage, "true")).ended.status == 0
        taken = field.stage(hosts=parse_hosts(["127.66.255.80:3128", "*.wild.test"], "--net"))
        error = await refused(taken.__aenter__(), "cannot-listen")
        assert "Address already in use" in error.text


def prepare(field: Field) -> None:
    """Make the namespace's loopback, and the names, before anything is started."""
    kernel.raise_loopback()
    for number, address in enumerate(NAMES):
        if not address.startswith("127."):
            kernel.give_loopback(address, number)
    file = field.home / "hosts"
    file.write_text("".join(f"{address} {names}\n" for address, names in NAMES.items()))
    kernel.mount(os.fsencode(file), b"/etc/hosts", None, kernel.MS_BIND)


@contextmanager
def _machine() -> Iterator[list[tuple[str, int]]]:
    """The hosts: each says where it listens; the list has whom somebody has come to."""
    heard: list[tuple[str, int]] = []
    sockets: dict[socket.socket, tuple[str, int]] = {}
    for address, port in LISTENING:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(family, kind)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.setsockopt(socket.IPPROTO_IP, 15, 1)  # a new address of version 6 takes a moment
            one.bind((address, port))
            if kind == socket.SOCK_STREAM:
                one.listen()
            sockets[one] = (address, port)
    wakeup, waker = socket.socketpair()

    def listen() -> None:
        while True:
            for one in select.select([wakeup, *sockets], [], [])[0]:
                if one is wakeup:
                    return
                heard.append(sockets[one])
                if one.type == socket.SOCK_STREAM:
                    peer = one.accept()[0]
                    with suppress(OSError), peer:
                        address, port = sockets[one]
                        peer.sendall(f"from {address}:{port}\n".encode())
                        peer.shutdown(socket.SHUT_WR)
                else:
                    one.recv(100)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield heard
    finally:
        waker.close()
        thread.join()
        for one in (wakeup, *sockets):
            one.close()


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    those_on_the_list_are_reached,
    nothing_else_is_reached_by_any_way,
    nobody_answers,
)
for _scenario in SCENARIOS:
    _scenario.prepare = prepare  # type: ignore[attr-defined]
THE_ATTACK = nothing_else_is_reached_by_any_way
