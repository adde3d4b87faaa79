"""Coming from a stage to the branch that lives there: the inner side of its socket.

One line of JSON each way, then frames: calls as `faces/calls/serve.py` has them, or LSP.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Literal

from understudy.app.host.attach import Attached
from understudy.faces.answers.sound_json import told_error
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root

Kind = Literal["calls", "lsp"]
BRANCH_WIRE = 1
"""Of the socket: both sides know the version before their own, too."""

_STREAM_LIMIT = 1 << 20
_HELLO_SECONDS = 60.0
"""What the agent wrote last is taken into the branch first."""


async def come_out(way: Path, root: Root | None, kind: Kind, branch: str | None = None) -> Attached:
    """A connection that speaks of the branch; `root` and `branch` are those that the caller means.

    Raises Refused `other-root`, `other-branch` and what else the other side refuses, OutsideFailure
    `no-rehearsal` where nobody listens any more.
    """
    if sys.platform == "win32":
        raise OutsideFailure("no-rehearsal", "there are no rehearsals on this system")
    try:
        reader, writer = await asyncio.open_unix_connection(way, limit=_STREAM_LIMIT)
    except (OSError, ValueError) as error:
        raise _ended(way) from error
    attached = Attached(reader, writer)
    try:
        place = None if root is None else str(root.path)
        hello = {"wire": BRANCH_WIRE, "kind": kind, "root": place, "branch": branch}
        writer.write(json.dumps(hello).encode() + b"\n")
        line = await asyncio.wait_for(reader.readline(), _HELLO_SECONDS)
        told: dict[str, Any] = json.loads(line)
    except (OSError, ValueError, asyncio.TimeoutError) as error:
        await attached.close()
        raise _ended(way) from error
    except BaseException:  # whatever it is: undone, and raised again
        await attached.close()
        raise
    if "error" in told:
        await attached.close()
        raise told_error(told["error"])
    return attached


def _ended(way: Path) -> OutsideFailure:
    text = "whoever started this rehearsal does not answer; the files here stay as they are"
    return OutsideFailure("no-rehearsal", text, str(way))
