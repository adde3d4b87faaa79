"""Sockets by path that no list names: they come up later, or have another name than they say."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, python

CALL = """
import socket, sys
for path in sys.argv[1:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        one = socket.socket(socket.AF_UNIX, kind)
        try:
            one.connect(f"{path}{kind:d}")
            one.send(b"hello")
            print("reached", path)
        except OSError as error:
            print(error.strerror)
"""
OWN = """
import socket
one, two = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
one.bind("own.sock"); one.listen(); two.connect("own.sock"); two.send(b"x")
assert one.accept()[0].recv(1) == b"x"
print("own")
"""


@contextmanager
def listening(path: Path) -> Iterator[list[socket.socket]]:
    """A stream and a datagram socket at `path1` and `path2`."""
    found: list[socket.socket] = []
    try:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(socket.AF_UNIX, kind)
            found.append(one)
            one.bind(f"{path}{kind:d}")
            if kind == socket.SOCK_STREAM:
                one.listen()
            one.setblocking(False)
        yield found
    finally:
        for one in found:
            one.close()


def heard(sockets: list[socket.socket]) -> list[int]:
    """The kinds of those that somebody has connected or written to."""
    found: list[int] = []
    for one in sockets:
        with suppress(BlockingIOError):
            if one.type == socket.SOCK_STREAM:
                one.accept()[0].close()
            else:
                one.recv(100)
            found.append(one.type)
    return found


async def _call(field: Field, sockets: list[socket.socket], *paths: Path, **plan: Any) -> None:
    """From a stage that does not have the home for its own; then from one that does."""
    for homes in ((), (field.home,)):
        async with field.stage(homes=homes, **plan) as stage:
            said = await python(stage, CALL, *map(str, paths))
            assert "reached" not in said.text, said
            assert said.text.count("\n") == 2 * len(paths), said
    assert heard(sockets) == []


async def it_came_up_later(field: Field) -> None:
    """An agent or a service that starts while a stage is open."""
    place = field.home / "later"
    async with field.stage(homes=()) as stage:
        assert "No such file" in (await python(stage, CALL, str(place))).text
        with listening(place) as sockets:
            said = await python(stage, CALL, str(place))
            assert "reached" not in said.text, said
            assert heard(sockets) == []
        assert (await python(stage, OWN)).text == "own\n"


async def it_has_a_second_name(field: Field) -> None:
    """A hard link, a symbolic one, and a name that it was given after it was bound."""
    place = field.home / "first"
    with listening(place) as sockets:
        for kind in "12":
            os.link(f"{place}{kind}", field.home / f"linked{kind}")
            os.symlink(f"{place}{kind}", field.home / f"symbolic{kind}")
            os.rename(f"{place}{kind}", field.home / f"renamed{kind}")
        paths = (field.home / name for name in ("linked", "symbolic", "renamed"))
        await _call(field, sockets, *paths)


async def it_is_below_another_mount(field: Field) -> None:
    """The folder is mounted twice; and the socket itself is mounted on a file."""
    (field.home / "origin").mkdir()
    (field.home / "mounted").mkdir()
    for kind in "12":
        (field.home / f"file{kind}").touch()
    mounted = [(field.home / "origin", field.home / "mounted")]
    with listening(field.home / "origin" / "s") as sockets:
        mounted += [
            (field.home / "origin" / f"s{kind}", field.home / f"file{kind}") for kind in "12"
        ]
        for source, target in mounted:
            subprocess.run(["mount", "--bind", source, target], check=True)
        try:
            await _call(field, sockets, field.home / "mounted" / "s", field.home / "file")
        finally:
            for _, target in reversed(mounted):
                subprocess.run(["umount", target], check=True)


it_is_below_another_mount.not_as = ("user",)  # type: ignore[attr-defined]


async def the_host_network_changes_nothing(field: Field) -> None:
    """With the machine's network, path sockets are as far away."""
    with listening(field.home / "first") as sockets:
        for kind in "12":
            os.link(field.home / f"first{kind}", field.home / f"linked{kind}")
        await _call(field, sockets, field.home / "first", field.home / "linked", network="host")


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    it_came_up_later,
    it_has_a_second_name,
    it_is_below_another_mount,
    the_host_network_changes_nothing,
)
