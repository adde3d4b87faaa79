"""What `doctor` has found, as text: for the command line, and for an editor by a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from understudy.faces import params as wire

if TYPE_CHECKING:
    from understudy.app.doctor import Finding
    from understudy.faces.lsp_server import UnderstudyServer

_MARKS = {"ok": "ok     ", "problem": "PROBLEM", "unused": "-      "}


def doctor_text(found: Sequence[Finding]) -> str:
    """One line a finding."""
    width = max(len(finding.subject) for finding in found)
    lines = [f"{_MARKS[one.state]} {one.subject:<{width}}  {one.text}" for one in found]
    return "\n".join(lines) + "\n"


async def examine(server: UnderstudyServer, _params: wire.Examine) -> dict[str, Any]:
    """Answer `understudy/doctor`."""
    from understudy.app.doctor import doctor_beside  # noqa: PLC0415 - asked for now and then

    found = await doctor_beside(server.host.session)
    return {"text": doctor_text(found), "findings": [asdict(finding) for finding in found]}
