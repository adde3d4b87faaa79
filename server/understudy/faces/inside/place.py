"""Where an agent's way to its branch is: one socket, which is all that a stage gets of its host."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from understudy.values.errors import Refused
from understudy.values.started_by import BRANCH_SOCKET, BRANCH_SOCKET_PLACE

MAX_FRAME = 32 * 1024 * 1024
"""Bytes of one message from inside."""


@cache
def way_out() -> Path | None:
    """The socket of the branch that this process lives in; None outside of one."""
    return way_out_of(os.environ)


def way_out_of(environ: Mapping[str, str]) -> Path | None:
    """The same for a process with this environment.

    Many clients start their servers with a few variables of their own choice: then the place counts
    to which every stage binds it.
    """
    named = environ.get(BRANCH_SOCKET)
    if named is not None:
        return Path(named)
    return BRANCH_SOCKET_PLACE if _is_socket(BRANCH_SOCKET_PLACE) else None


def refuse_trust_inside(*, trusts: bool = True) -> None:
    """Raise Refused `not-in-a-rehearsal` for a caller inside who would trust the folder."""
    if trusts and way_out() is not None:
        text = "from inside a branch nobody can trust its folder; the user does, outside"
        raise Refused("not-in-a-rehearsal", text, "trust")


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.stat().st_mode)
    except OSError:
        return False
