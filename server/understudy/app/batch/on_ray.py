"""Seats on Ray: an actor for each, which Ray places, and which holds a seat's process.

Ray itself, an extra, is loaded with the engine. It restarts nothing: what was lost is begun again
by whoever hands out the rows.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from understudy.app.batch.local import (
    START_S,
    LocalSeat,
    SeatLost,
    asked_of,
    folder_of_seats,
    row_limit,
)
from understudy.app.batch.queue import Place
from understudy.app.batch.rows import BatchRow
from understudy.app.batch.seat import SeatTerms
from understudy.app.batch.seat_process import terms_of
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.version import __version__
from understudy.workspace.tasks import Tasks

_MARGIN_S = 60.0
"""What the way to another machine may take beyond a seat's own deadline."""
_REACH_S = 5.0
_LOOPBACK = ("localhost", "127.0.0.1")
_LONGEST_PLACE = 24
_SHORT_PLACE = "/tmp"  # noqa: S108 - a private folder in it
"""Ray puts sockets far below its folder, and their paths have at most 107 bytes."""
_STORE_BYTES = 100 * 1024 * 1024
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would go out over the network
    "RAY_worker_niceness": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


class SeatHolder:
    """What Ray makes an actor of: it holds one seat's process on its machine."""

    def __init__(self, terms: dict[str, Any]) -> None:
        self._tasks = Tasks()
        self._folder = folder_of_seats()
        self._seat = LocalSeat(self._folder, terms_of(terms), self._tasks.spawn)

    async def ready(self) -> str:
        """Our version there, once the seat's process has begun."""
        await self._seat.open()
        return __version__

    async def judge(
        self, place: Place, mirror: str, rows: Sequence[dict[str, Any]]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The answers, each as soon as it is there; at the end `lost`, if the process was."""
        try:
            async for answer in self._seat.judged(place, mirror, rows):
                yield answer
        except SeatLost as lost:
            yield {"lost": [lost.why, lost.words]}

    async def close(self) -> None:
        """End the process, and take away what it has left."""
        await self._seat.close()
        await self._tasks.close()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


class RaySeat:
    """A seat somewhere on the engine."""

    def __init__(self, ray: Any, terms: SeatTerms) -> None:  # noqa: ANN401 - Ray, which is an extra
        self._ray = ray
        self._terms = terms
        self._actor: Any = None

    async def open(self) -> None:
        """Have a place, and the seat's process there; waits as long as the engine has none.

        Raises SeatLost, OutsideFailure `other-version`.
        """
        if self._actor is not None:
            return
        kind = self._ray.remote(SeatHolder)
        actor = kind.options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD").remote(
            asdict(self._terms)
        )
        self._actor = actor
        try:
            version = await actor.ready.remote()
        except self._ray.exceptions.RayError as error:
            raise self._lost(error) from error
        if version != __version__:
            text = f"the engine's machines have Understudy {version}, this one has {__version__}"
            raise OutsideFailure("other-version", text, "ray")

    async def judge(
        self, place: Place, mirror: Path, rows: Sequence[BatchRow]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The answers to rows, in their order, each as soon as it is there. Raises SeatLost."""
        await self.open()
        asked = [asked_of(row) for row in rows]
        method = self._actor.judge.options(num_returns="streaming")
        stream = method.remote(place, str(mirror), asked)
        limit = START_S + row_limit(self._terms) + _MARGIN_S
        # To its very end: an actor that still judges one lot must not be given another.
        while (answer := await self._next(stream, limit)) is not None:
            limit = row_limit(self._terms) + _MARGIN_S
            if "lost" in answer:
                raise SeatLost(*answer["lost"])
            yield answer

    async def close(self) -> None:
        """End the actor and its process."""
        actor, self._actor = self._actor, None
        if actor is None:
            return
        with suppress(self._ray.exceptions.RayError, asyncio.TimeoutError):
            await asyncio.wait_for(actor.close.remote(), _MARGIN_S)
        self._ray.kill(actor)

    async def _next(self, stream: Any, limit: float) -> dict[str, Any] | None:  # noqa: ANN401 - Ray's
        """The next answer; None at the end."""
        try:
            return await asyncio.wait_for(_following(stream), limit)
        except asyncio.TimeoutError as error:
            raise self._lost(None, f"no answer within {limit:g} s") from error
        except self._ray.exceptions.RayError as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception | None, why: str = "") -> SeatLost:
        actor, self._actor = self._actor, None
        if actor is not None:  # one that only hangs would hold its place
            self._ray.kill(actor)
        words = "" if error is None else " ".join(str(error).split())[-300:]
        return SeatLost(why or f"its actor has ended ({type(error).__name__})", words)


async def _following(stream: Any) -> dict[str, Any] | None:  # noqa: ANN401 - Ray's
    try:
        return await (await stream.__anext__())
    except StopAsyncIteration:
        return None


class RayEngine:
    """A cluster of Ray: one of our own on this machine, or the one that was named, and no other."""

    def __init__(self, ray: Any, folder: Path | None, n_seats: int) -> None:  # noqa: ANN401 - Ray
        self._ray = ray
        self._folder = folder
        self.n_seats = n_seats

    @staticmethod
    def open(name: str, seats: int | None, n_here: int) -> RayEngine:
        """Come to `ray://HOST:PORT`, or begin a cluster with `ray`; blocks until it is there.

        Raises BadInput `bad-engine`, OutsideFailure `not-installed`, `no-engine`.
        """
        address = _address(name)
        for variable, value in _QUIET.items():
            os.environ.setdefault(variable, value)
        if address is None and "RAY_AUTH_TOKEN" not in os.environ:
            os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        try:
            ray: Any = import_module("ray")
        except ImportError as error:
            text = "an engine needs Ray: pip install 'understudy[ray]'"
            raise OutsideFailure("not-installed", text, name) from error
        logging.getLogger("ray").setLevel(logging.ERROR)
        if address is not None:
            refuse_unheard(address, ray.util.get_node_ip_address(), name)
        asked: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        folder = None
        if address is None:
            here = tempfile.gettempdir()
            folder = folder_of_seats(here if len(here) <= _LONGEST_PLACE else _SHORT_PLACE)
            asked |= {"num_cpus": seats or n_here, "include_dashboard": False}
            asked |= {"object_store_memory": _STORE_BYTES, "_temp_dir": str(folder)}
        try:
            ray.init(address=address or "local", **asked)
        except (
            RuntimeError,
            ConnectionError,
            OSError,
            ValueError,
            ray.exceptions.RayError,
        ) as error:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            text = f"it cannot be used: {' '.join(str(error).split())[:500]}"
            raise OutsideFailure("no-engine", text, name) from error
        n_there = int(ray.cluster_resources().get("CPU", 0))
        if seats is None and n_there == 0:
            ray.shutdown()
            raise OutsideFailure("no-engine", "it has no processors", name)
        return RayEngine(ray, folder, seats or n_there)

    def seat(self, number: int, terms: SeatTerms) -> RaySeat:
        """A seat, which has no place yet; its number is of no importance to Ray."""
        del number
        return RaySeat(self._ray, terms)

    async def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        await asyncio.to_thread(self._ray.shutdown)
        if self._folder is not None:
            await asyncio.to_thread(partial(shutil.rmtree, self._folder, ignore_errors=True))


def refuse_unheard(address: str, own: str, name: str) -> None:
    """Raise OutsideFailure `no-engine` where Ray would ask in vain, for more than a minute.

    It takes loopback for this machine's `own` address, at which a head may not listen.
    """
    host, _, port = address.rpartition(":")
    if host not in _LOOPBACK or own in _LOOPBACK:
        return
    try:
        socket.create_connection((own, int(port)), _REACH_S).close()
    except OSError as error:
        text = (
            f"it listens at {host} alone. Ray asks this machine's own address, {own}, in its "
            f"place ({error}): start the head with `--node-ip-address {own}`"
        )
        raise OutsideFailure("no-engine", text, name) from error


def _address(name: str) -> str | None:
    """`HOST:PORT` of a cluster that was named and is there; None for one of our own."""
    if name == "ray":
        return None
    parts = urlsplit(name)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if parts.scheme != "ray" or not host or not port or parts.path.strip("/"):
        raise BadInput("bad-engine", "an engine is `ray` or `ray://HOST:PORT`", name)
    try:
        socket.create_connection((host, port), _REACH_S).close()
    except OSError as error:
        raise OutsideFailure("no-engine", f"nothing answers there: {error}", name) from error
    return f"{host}:{port}"
