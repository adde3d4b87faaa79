"""An agent starts a service, runs its tests beside it, looks at its output and ends it."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.mcp_agent import open_agent
from tests.support.stages.field import processes_with, until

pytestmark = pytest.mark.ring

SERVE = """
import socket
text = open("a.txt").read()
with socket.create_server(("127.0.0.1", 18611)) as server:
    while True:
        connection, _ = server.accept()
        with connection:
            connection.sendall((text + open("a.txt").read()).encode())
"""
ASK = """
import socket
with socket.create_connection(("127.0.0.1", 18611), 60) as connection:
    print(connection.recv(100).decode())
"""
DEAF = "trap '' TERM HUP; echo up; while :; do sleep 1000; done #"


async def test_a_service_beside_the_tests(tmp_path: Path, state: Path) -> None:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    mark = f"{tmp_path}/deaf"
    assert (await asyncio.to_thread(Shell(folder, state), "trust")).code == 0
    async with open_agent(state, cwd=folder) as agent, open_agent(state, cwd=folder) as other:
        serve = [sys.executable, "-c", SERVE]
        started = await agent.call("understudy_run", command=serve, stage="web", until=":18611")
        first, *_ = started.splitlines()
        assert first.startswith("UP: port 18611 listens; ")
        assert '{"command": [], "stage": "web"}' in started
        edit = {"kind": "write", "path": "a.txt", "text": "better\n"}
        await agent.call("understudy_lint", edits=[edit])
        asked = await agent.call("understudy_run", command=[sys.executable, "-c", ASK], stage="web")
        assert asked.startswith("exit 0; ")
        assert "\nfine\nfine\n" in asked
        assert "\nMAY BE OLD THERE: a.txt: changed since stage web was opened; once all" in asked
        assert "\nservice of this stage: " in asked
        ask = {"command": [sys.executable, "-c", ASK], "stage": "web"}
        assert "no service of this session runs on stage web" in await other.call(
            "understudy_run", **ask
        )
        broken = ["sh", "-c", "echo broken; exit 2"]
        failed = await agent.call("understudy_run", command=broken, stage="web", until="ready")
        assert failed.startswith("NOT UP: it has ended before it was ready\nexit 2; ")
        assert failed.endswith("--- output:\nbroken\n")
        deaf = ["sh", "-c", f"{DEAF}{mark}"]
        told = await agent.call("understudy_run", command=deaf, stage="deaf", until="up")
        assert told.startswith("UP: its output has that text; ")
        assert processes_with(mark)
        (path,) = re.findall(r'"path": "(runs/\d+\.log)"', told)
        said = await agent.call("understudy_context", action="read", path=path)
        assert "\n1: up\n" in said
        for arguments, code in (
            ({"command": ["true"], "until": "x"}, "bad-params"),
            ({"command": ["true"], "stage": "web", "until": ":0"}, "bad-until"),
            ({"command": serve, "stage": "web", "until": ":18611"}, "port-taken"),
            ({"command": [], "stage": "none"}, "no-service"),
            ({"command": [], "stage": "web", "until": "x"}, "no-command"),
        ):
            assert code in await agent.refusal("understudy_run", **arguments)
        ended = await agent.call("understudy_run", command=[], stage="web")
        assert ended.startswith("ended 1 of stage web\nservice: ")
        assert "ended by SIGTERM; " in ended
        alone = await agent.call("understudy_run", **ask)
        assert alone.startswith("exit 1; ")
        assert "no service of this session runs on stage web" in alone
    await until(lambda: not processes_with(mark), "the service has ended with its session")
