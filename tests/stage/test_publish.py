"""Ports of stages on the machine's loopback: each at a name of its own, and at no other."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.stages.field import Field, playing
from understudy.stage.model import Command
from understudy.stage.overlay.stage import OverlayStage
from understudy.stage.reach.forward import Pipe
from understudy.stage.reach.proxy import serve
from understudy.stage.reach.publish import host_label, publish
from understudy.stage.staged_process import StagedProgram
from understudy.values.errors import OutsideFailure
from understudy.values.hosts import HostList

SERVE = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = sys.argv[1].encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 8123), Handler)
print("ready", flush=True)
server.serve_forever()
"""


async def asked(port: int, host: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    try:
        return (await asyncio.wait_for(reader.read(), 60)).decode()
    finally:
        writer.close()


async def serving(field: Field, stage: OverlayStage, text: str) -> StagedProgram:
    command = Command(("python3", "-c", SERVE, text))
    program = await stage.start(command, log=field.home / f"{text}.log", spawn=field.spawn)
    assert await asyncio.wait_for(program.stdout.readline(), 60) == b"ready\n"
    return program


async def test_equal_ports_of_two_branches_are_two_places(tmp_path: Path) -> None:
    async with playing(tmp_path) as field, field.stage() as one, field.stage() as two:
        programs = [await serving(field, one, "one")]
        first = await publish(8123, "Branch One", one.doors.entered)
        second = await publish(8123, "two", two.doors.entered)
        ports = [urlsplit(shown.url).port or 0 for shown in (first, second)]
        assert len(set(ports)) == 2
        assert urlsplit(first.url).hostname == "branch-one.localhost"
        assert (await asked(ports[0], f"branch-one.localhost:{ports[0]}")).endswith("one")
        assert " 502 " in await asked(ports[1], "two.localhost")
        third = await publish(0, "any", two.doors.entered)
        any_port = urlsplit(third.url).port or 0
        assert " 502 " in await asked(any_port, "any.localhost")
        programs.append(await serving(field, two, "two"))
        assert (await asked(ports[1], "TWO.localhost")).endswith("two")
        assert (await asked(any_port, "any.localhost")).endswith("two")
        for host in ("evil.example.org", "two.localhost", "branch-one.localhost.evil.org", "", "x"):
            assert " 421 " in await asked(ports[0], host), host
        for broken in ("a\r\nHost: branch-one.localhost", "branch-one.localhost\r\nHost: b"):
            assert await asked(ports[0], broken) == ""
        for shown in (first, second, third):
            shown.close()
        for program in programs:
            await program.stop(1)
        with pytest.raises(OSError, match="Connect"):
            await asked(ports[0], "branch-one.localhost")


async def enter_none(_: int) -> Pipe:
    raise AssertionError("nobody has asked for anything")


async def test_who_hangs_up_within_a_request_leaves_no_error_behind() -> None:
    shown = await publish(0, "one", enter_none)
    proxy = await asyncio.start_server(
        lambda *inside: serve(inside, HostList(), lambda _: None), "127.0.0.1"
    )
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, error: errors.append(error))
    others = asyncio.all_tasks()
    for port in (urlsplit(shown.url).port or 0, proxy.sockets[0].getsockname()[1]):
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"GET ")
            assert "Refused" in await asked(port, "x")  # so the one before is served by now
            served = asyncio.all_tasks() - others
            assert served
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert not (await asyncio.wait(served, timeout=60))[1]
    assert errors == []
    shown.close()
    proxy.close()
    await proxy.wait_closed()


async def test_where_no_descriptor_is_left_no_port_can_be_had() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)  # the lowest that is free: the next one would get it
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(OutsideFailure, match="no port of this machine"):
            await publish(0, "one", enter_none)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_names_of_branches_as_hosts() -> None:
    assert host_label("Fix the Tax!") == "fix-the-tax"
    assert host_label("…") == "branch"
    assert len(host_label("x" * 100)) == 63
