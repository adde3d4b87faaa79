"""One generation of a server: its process, connection and documents, from start to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from understudy.langserver.client import Client, Hooks
from understudy.langserver.connection import Dead, ErrorAnswer
from understudy.langserver.diagnostics import Proof
from understudy.langserver.documents import Documents
from understudy.langserver.spec import ServerSpec
from understudy.langserver.staged_disk import StagedDisk
from understudy.process.launch import Spawn, launch
from understudy.process.running import Launcher, Running
from understudy.values.errors import OutsideFailure
from understudy.values.verdicts import Showing

POLITE_S = 2.0
"""How long a server may take to end by itself."""

_KILL_GRACE_S = 0.5
_MAX_PROOFS = 4096


class Server:
    """A running server that has been shaken hands with. `spoiled` says why it is to be replaced."""

    def __init__(
        self,
        spec: ServerSpec,
        generation: int,
        child: Running,
        client: Client,
        disk: StagedDisk | None = None,
    ) -> None:
        self.spec = spec
        self.generation = generation
        self.client = client
        self.documents = Documents(client, disk)
        self._disk = disk
        self.spoiled: str | None = None
        self.n_silent = 0
        self.n_canaries = 0
        self.has_spoken = False
        """Whether it has found anything at all since it started."""
        self._child = child
        self._proofs: dict[tuple[str, str], Proof] = {}

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    @property
    def dead(self) -> str | None:
        """Why the connection is over, None while it lives."""
        return self.client.connection.dead

    def explain(self, what: str) -> str:
        """A sentence on a failure, with the server's last words and where the others are."""
        return explain(self._child, what)

    def proof(self, path: str, digest: str) -> Proof | None:
        """What this process has proven about a text before."""
        return self._proofs.get((path, digest))

    def showing(self, path: str) -> Showing:
        """How a document is shown that is open now."""
        version = self.documents.shown(path).version
        return Showing(self.generation, version, self.spec.staged is not None)

    def keep_proof(self, path: str, digest: str, proof: Proof) -> None:
        """Remember a proof; only for servers whose answers depend on nothing but the text."""
        if len(self._proofs) >= _MAX_PROOFS:
            del self._proofs[next(iter(self._proofs))]
        self._proofs[(path, digest)] = proof

    async def stop(self) -> None:
        """Shut down politely, then end the process group; bounded."""
        loop = asyncio.get_running_loop()
        if self.dead is None:
            until = loop.time() + POLITE_S
            await self.client.shut_down(until)
            await self._child.wait(until - loop.time())
        self.client.connection.declare_dead("it was shut down")
        await self._child.stop(_KILL_GRACE_S)
        if self._disk is not None:
            await self._disk.close()


async def start(
    spec: ServerSpec,
    generation: int,
    log: Path,
    hooks: Hooks,
    spawn: Spawn,
    seconds: float,
    launched: Callable[[int], None],
    disk: StagedDisk | None = None,
) -> Server:
    """Launch a server, on the stage of `disk` if there is one, and shake hands.

    `launched` gets its process id at once.

    Raises OutsideFailure `not-installed`, `cannot-start`, `crashed` or `timeout`; nothing is left
    running then, but `disk` is the caller's to close.
    """
    starter: Launcher = launch if disk is None else disk.stage.launch
    child = await starter(spec.command, cwd=spec.root.path, env=spec.env, log=log, spawn=spawn)
    launched(child.pid)
    client = Client(spec, child, hooks)
    deadline = asyncio.get_running_loop().time() + seconds
    started = False
    try:
        spawn(client.connection.serve(), f"reading from {spec.name}")
        spawn(_watch(child, client), f"watching {spec.name}")
        await client.initialize(deadline)
        started = True
        return Server(spec, generation, child, client, disk)
    except Dead as end:
        await child.wait(0.5)
        raise OutsideFailure("crashed", explain(child, f"did not start: {end}"), spec.name) from end
    except ErrorAnswer as refusal:
        text = explain(child, f"refused to start: {refusal}")
        raise OutsideFailure("crashed", text, spec.name) from refusal
    except asyncio.TimeoutError as error:
        text = explain(child, "did not finish its start in time")
        raise OutsideFailure("timeout", text, spec.name) from error
    finally:
        if not started:
            client.connection.declare_dead("it did not start")
            await child.stop(_KILL_GRACE_S)


async def _watch(child: Running, client: Client) -> None:
    """End the connection with the process: a child of its own may keep the pipes open."""
    await child.wait_exited()
    client.connection.declare_dead("it ended")


def explain(child: Running, what: str) -> str:
    """`what`, with exit status, last stderr line and the log's place."""
    status = child.exit_status
    parts = [what if status is None else f"{what} (exit status {status})"]
    if child.log.last_line:
        parts.append(f"its last words: {child.log.last_line}")
    parts.append(f"log: {child.log.path}")
    return "; ".join(parts)
