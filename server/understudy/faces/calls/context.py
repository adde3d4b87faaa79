"""What agents ask about kept things and of the tools of the workspace's other MCP servers."""

from __future__ import annotations

import asyncio

from understudy.app.context.call_tool import call_tool
from understudy.app.context.notes import add_note, notes_text
from understudy.app.context.search import SearchQuestion, search_context
from understudy.app.context.skills import index_skills
from understudy.faces.answers.agent_text import MAX_BYTES, capped
from understudy.faces.calls.code import range_of
from understudy.faces.params import calls as takes
from understudy.values.errors import BadInput
from understudy.values.printable import printable
from understudy.workspace.session import Session


async def called(session: Session, params: takes.Context) -> str:
    """The answer of another server's tool, whole if it is short, else its receipt."""
    if params.tool is None:
        raise BadInput("bad-params", "`call` needs a tool: SERVER/TOOL", "tool")
    answer = await call_tool(
        session.tool_servers, session.context, params.tool, params.arguments, params.timeout
    )
    if len(answer.text.encode("utf-8", "replace")) <= MAX_BYTES:
        return answer.text
    return capped(answer.text.splitlines())


async def noted(session: Session, params: takes.Context) -> str:
    """Keep a fact, or list all; with what is stale."""
    if params.action == "notes":
        return capped(await asyncio.to_thread(notes_text, session.context, session.root))
    if params.pattern is None:
        raise BadInput("bad-params", "`note` needs the fact", "pattern")
    lines = range_of(params.lines)
    note = await asyncio.to_thread(
        add_note, session.context, session.root, params.pattern, "an agent", params.path, lines
    )
    return f"noted as {note.number}\n"


async def searched(session: Session, params: takes.Context) -> str:
    """The best passages for some words in all that is kept, and in the tools and skills."""
    if params.pattern is None:
        raise BadInput("bad-params", "`search` needs words", "pattern")
    question = SearchQuestion(params.pattern, limit=20 if params.count is None else params.count)
    skills = await asyncio.to_thread(index_skills, session.root, trusted=session.trusted)
    found = await search_context(session.context, session.workers, skills, question)
    lines = [f"{len(found.hits)} passages, best first; read one by its path and line"]
    for hit in found.hits:
        event = f" (#{hit.event})" if hit.event else ""
        lines.append(printable(f"{hit.path}:{hit.line}:{event} {hit.text}"))
    if found.cut or found.unread:
        lines.append(f"{found.cut} files were searched in part, {found.unread} not at all")
    return capped(lines)
