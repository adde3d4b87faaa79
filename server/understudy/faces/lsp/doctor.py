"""The request `understudy/doctor`."""

from __future__ import annotations

from dataclasses import asdict

from understudy.faces.answers.doctor import doctor_text
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import requests
from understudy.workspace.progress import Audience


async def examine(server: UnderstudyServer, _params: requests.Examine, _: Audience) -> Json:
    """Answer `understudy/doctor`."""
    from understudy.app.doctor import doctor_beside  # noqa: PLC0415 - asked for now and then

    found = await doctor_beside(server.host.session)
    return {"text": doctor_text(found), "findings": [asdict(finding) for finding in found]}
