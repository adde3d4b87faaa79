"""What of the network a stage reaches: its own loopback, and nothing of the machine's."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.stages.field import PATIENCE_S, Field, python, run, until
from understudy.stage.model import Command

REACH = """
import json, socket, sys
for family, kind, address in json.loads(sys.argv[1]):
    one = socket.socket(family, kind)
    one.settimeout(5)
    try:
        if isinstance(address, str):
            address = address.replace("@", chr(0))
        one.connect(tuple(address) if isinstance(address, list) else address)
        one.send(b"out")
        print("reached", address)
    except OSError:
        pass
"""

SERVE = """
import socket
one = socket.socket()
one.bind(("127.0.0.1", 4242))
one.listen()
print("ready", flush=True)
while True:
    peer, _ = one.accept()
    peer.sendall(b"from inside")
    peer.close()
"""

ASK = """
import socket, sys
print(socket.create_connection(("127.0.0.1", 4242), 5).recv(100).decode())
"""


async def nothing_outside_is_reached(field: Field) -> None:
    """TCP, UDP, abstract sockets, and sockets with a path: below /tmp, at home, in the folder."""
    with _listeners(field) as listeners:
        addresses = [(one.family, one.type, name) for one, name in listeners]
        async with field.stage() as stage:
            said = await python(stage, REACH, json.dumps(addresses))
        # A datagram that was sent on a stage has no way; what was heard is what counts.
        assert said.ended.status == 0, said
        heard = [name for one, name in listeners if _was_heard(one)]
        assert heard == []
        for family, kind, name in addresses:  # and the attack itself is a good one
            with socket.socket(family, kind) as one:
                address = name.replace("@", "\0") if isinstance(name, str) else tuple(name)
                one.connect(address)
                one.send(b"out")
        await until(lambda: all(_was_heard(one) for one, _ in listeners), "all reached directly")


async def the_host_network_is_there_when_asked_for(field: Field) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = [socket.AF_INET, socket.SOCK_STREAM, list(listener.getsockname())]
        async with field.stage(network="host") as stage:
            said = await python(stage, REACH, json.dumps([address]))
            assert said.text.startswith("reached"), said
            assert not stage.isolation.network
            assert stage.isolation.notes


async def one_loopback_for_all_commands(field: Field) -> None:
    """A service and its client share a stage; another stage and the machine do not see it."""
    async with field.stage() as stage, field.stage() as other:
        service = await stage.start(
            Command(("python3", "-c", SERVE)), log=field.home / "service.log", spawn=field.spawn
        )
        assert await asyncio.wait_for(service.stdout.readline(), PATIENCE_S) == b"ready\n"
        assert (await python(stage, ASK)).text == "from inside\n"
        assert "ConnectionRefusedError" in (await python(other, ASK)).text
        with socket.socket() as one:
            assert one.connect_ex(("127.0.0.1", 4242)) != 0
        await service.stop(1)


async def sockets_inside_work(field: Field) -> None:
    """Programs may use path sockets, pipes and terminals of their own."""
    program = """
import os, pty, socket
for path in ("here.sock", "/tmp/there.sock"):
    one, two = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    one.bind(path); one.listen(); two.connect(path); one.accept()
os.mkfifo("pipe")
main, side = pty.openpty()
os.write(side, b"terminal"); assert os.read(main, 8) == b"terminal"
import multiprocessing
multiprocessing.Lock()
print("all work")
"""
    async with field.stage() as stage:
        said = await run(stage, "python3", "-c", program)
        assert said.text == "all work\n", said
        skipped = dict((await stage.changes()).skipped)
        assert set(skipped) == {"here.sock", "pipe"}


@contextmanager
def _listeners(field: Field) -> Iterator[list[tuple[socket.socket, Any]]]:
    """Sockets of every kind that a process outside listens on, with their addresses."""
    with tempfile.TemporaryDirectory() as temporary:
        paths = [f"{temporary}/s", str(field.home / ".agent"), str(field.project / "s")]
        if field.is_root and Path("/opt").stat().st_uid == os.getuid():
            paths.append(f"/opt/understudy-{os.getpid()}.sock")
        abstract = f"@understudy-{os.getpid()}"
        found: list[tuple[socket.socket, Any]] = []
        os.chdir(field.home)  # a path that does not say where it is
        wanted = [*((socket.AF_UNIX, p) for p in (*paths, abstract, "relative"))]
        wanted += [(socket.AF_INET, ("127.0.0.1", 0))]
        for family, address in wanted:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                one = socket.socket(family, kind)
                is_path = isinstance(address, str) and not address.startswith("@")
                named = f"{address}{kind:d}" if isinstance(address, str) else address
                one.bind(named.replace("@", "\0") if isinstance(named, str) else named)
                if kind == socket.SOCK_STREAM:
                    one.listen()
                one.setblocking(False)
                shown = str(Path(str(named)).absolute()) if is_path else named
                found.append((one, list(one.getsockname()) if family == socket.AF_INET else shown))
        os.chdir("/")
        try:
            yield found
        finally:
            for one, address in found:
                one.close()
                if isinstance(address, str) and not address.startswith("@"):
                    Path(address).unlink()


def _was_heard(one: socket.socket) -> bool:
    with suppress(BlockingIOError):
        if one.type == socket.SOCK_STREAM:
            one.accept()[0].close()
        else:
            one.recv(100)
        return True
    return False


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    nothing_outside_is_reached,
    the_host_network_is_there_when_asked_for,
    one_loopback_for_all_commands,
    sockets_inside_work,
)
