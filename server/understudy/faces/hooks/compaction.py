"""What a hook does when an agent drops what was said: a copy before, one line of where it is after.

An agent that cannot be told then is told with the next event whose answer it reads.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from understudy.app.context.transcript import keep_transcript, told_of
from understudy.disk.trust import is_trusted
from understudy.faces.inside.place import way_out
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root
from understudy.workspace import settings
from understudy.workspace.agents.events import AgentEvent
from understudy.workspace.agents.folders import folder_of
from understudy.workspace.agents.profile import Agent
from understudy.workspace.agents.touched import note_compaction, note_untold
from understudy.workspace.agents.transcripts import entries_told, transcript_at
from understudy.workspace.context_place import ContextPlace


def keep_and_tell(agent: Agent, event: AgentEvent) -> str:
    """Keep the session's transcript; the line for the agent, where it can be told now.

    Raises BadInput `bad-transcript`, and as `keep_transcript`.
    """
    assert agent.hook is not None
    if way_out() is not None:  # inside, nothing of ours can be written, and the copy would go
        return ""
    trouble = ""
    try:
        note_compaction(event.session)
    except OutsideFailure as error:  # the copy is made all the same
        what = "`as before` may count what was dropped"
        trouble = f"\n[understudy] {what}: {error.code}: {error}"
    here = (event.folder or Path()).absolute()
    folder = folder_of(here, agent, here)
    if folder is None:
        return ""
    named = event.transcript
    if isinstance(named, str):
        file = transcript_at(agent, named, os.environ)
        if not file.is_of(folder, agent):
            raise BadInput("bad-transcript", f"it is not of {folder}", str(file.path))
        raw = file.entries()
    elif isinstance(named, list) and agent.transcript and not agent.transcript.files:
        raw = entries_told(cast("list[object]", named))
    else:
        raise BadInput("bad-transcript", "the event names none", agent.name)
    root = Root.open(folder)
    patterns = settings.load(root, trusted=is_trusted(root)).terminal_redact
    place = ContextPlace.of_workspace(folder)
    told = told_of(keep_transcript(place, agent, event.session, raw, patterns)) + trouble
    if event.moment == "compact" and "compacted" in agent.hook.events.values():
        return ""
    if event.moment == "compacted" and agent.hook.compacted:
        return told
    note_untold(event.session, told)
    return ""
