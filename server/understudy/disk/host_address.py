"""Where the host of a workspace listens, for those that attach: a private file beside the lock."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from understudy.disk.atomic import write_private
from understudy.disk.layout import Layout
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

LONGEST_SOCKET_PATH = 100
"""Bytes; `sun_path` has 104 on macOS and 108 on Linux."""
_APART = "understudy-host-"


@frozen
class HostAddress:
    """A Unix socket, or (Windows) a loopback port; the token proves that the file was readable.

    `terms`: the digest of the only terms that a host serves which has stayed behind; None for one
    that an editor or an agent runs. When it was asked last is the file's time.
    """

    version: str
    token: str
    socket: str | None = None
    port: int | None = None
    terms: str | None = None

    def write(self, layout: Layout) -> None:
        """Tell it; raises OutsideFailure `state-unwritable`."""
        try:
            write_private(layout.host, json.dumps(asdict(self)).encode() + b"\n")
        except OSError as error:
            text = f"cannot write where we listen: {error.strerror}"
            raise OutsideFailure("state-unwritable", text, str(layout.host)) from error


def read_address(layout: Layout) -> HostAddress | None:
    """The address as the last host has written it; None if there is none that can be read."""
    try:
        raw: dict[str, Any] = json.loads(layout.host.read_bytes())
        address = HostAddress(
            raw["version"], raw["token"], raw["socket"], raw["port"], raw.get("terms")
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return address if address.socket is not None or address.port is not None else None


def new_token() -> str:
    """A secret that nobody guesses."""
    return secrets.token_hex(32)


def socket_place(layout: Layout) -> Path:
    """Where to listen: in the state folder, or in one apart if that path is too long for a socket.

    The caller holds the lock, so that what a host that crashed has left may be removed.
    """
    _remove_left_over(layout)
    path = layout.folder / "host.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    for above in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - a folder of our own in it
        apart = Path(tempfile.mkdtemp(prefix=_APART, dir=above)) / path.name
        if len(os.fsencode(apart)) <= LONGEST_SOCKET_PATH:
            return apart
        apart.parent.rmdir()
    raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path))


def forget_address(layout: Layout) -> None:
    """Nobody listens any more; the caller still holds the lock."""
    _remove_left_over(layout)
    with suppress(OSError):
        layout.host.unlink(missing_ok=True)


def _remove_left_over(layout: Layout) -> None:
    known = read_address(layout)
    if known is None or known.socket is None:
        return
    path = Path(known.socket)
    if path.parent == layout.folder:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    elif path.parent.name.startswith(_APART):
        shutil.rmtree(path.parent, ignore_errors=True)
