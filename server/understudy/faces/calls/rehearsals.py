"""What rehearsals ask of a host, and what is listed of them."""

from __future__ import annotations

import asyncio
import shutil
import sys
from base64 import b64encode
from typing import Any

from understudy.app.rehearse.begin import begin
from understudy.app.rehearse.stop import stop_rehearsal
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params.calls import Rehearse
from understudy.faces.params.requests import NameBranch, Nothing
from understudy.workspace.agents.catalogue import agent_named, agent_names
from understudy.workspace.progress import Audience
from understudy.workspace.rehearsals.place import places


async def begin_one(side: Side, params: Rehearse, _: Audience) -> Json:
    """The branch of a rehearsal, and the texts that its stage is to show; then it is followed."""
    branch, texts = await begin(side.host.session, side.live_base, params.branch, params.title)
    side.host.follow_rehearsals()
    told = [[path, _text(base), _text(shown)] for path, (base, shown) in sorted(texts.items())]
    return {"branch": branch, "texts": told}


async def installed_agents(_side: Side, _params: Nothing, _: Audience) -> Json:
    """The agents of the table whose programs are on this machine, and whether one can rehearse."""
    found = await asyncio.to_thread(
        lambda: [
            {"name": agent.name, "title": agent.title, "program": program, "preset": has_preset}
            for agent in map(agent_named, agent_names())
            if agent.binary and (program := shutil.which(agent.binary)) is not None
            for has_preset in (agent.rehearsal is not None,)
        ]
    )
    why = None if sys.platform == "linux" else "a rehearsal needs Linux; in WSL it works"
    return {"agents": found, "why": why}


async def stop(side: Side, params: NameBranch, _: Audience) -> Json:
    """Ask who lives in a branch to end; it stays, with all that was written."""
    return {"stopped": list(await stop_rehearsal(side.host.session, params.branch))}


async def rehearsals_of(side: Side) -> dict[str, dict[str, Any]]:
    """What is known of each rehearsal at work, by its branch."""
    session = side.host.session
    found = await asyncio.to_thread(
        lambda: [place.record() for place in places(session.layout) if place.is_live]
    )
    told: dict[str, dict[str, Any]] = {}
    for record in found:
        if record is None:
            continue
        verdict = session.verdicts.of(record.branch, side.live_base)
        told[record.branch] = {
            "command": list(record.command),
            "pid": record.pid,
            "stage": record.stage,
            "onSnapshot": record.on_snapshot,
            "network": record.network,
            "warnings": list(record.warnings),
            "leftOut": [[path, why] for path, why in sorted((record.left_out or {}).items())],
            "collisions": list(record.collisions),
            "published": list(record.published),
            "verdict": None if verdict is None else verdict.checked.report.verdict,
            "introduced": 0 if verdict is None else len(verdict.checked.report.introduced),
        }
    return told


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode("ascii")
