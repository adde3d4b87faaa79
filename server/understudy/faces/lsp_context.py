"""The requests `understudy/context/*`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from understudy.app import (
    context_pack,
    context_put,
    context_record,
    context_search,
    context_simulate,
    context_skills,
)
from understudy.app.context_get import get_part
from understudy.app.context_outlines import has_long_texts, outlines_of
from understudy.context.entries import Result, output_of
from understudy.context.excerpt import Part
from understudy.context.policy import policy_of
from understudy.context.simulate import Prices
from understudy.context.summary import topic_text
from understudy.disk.search_index import KINDS
from understudy.faces import context_json as answers
from understudy.faces import context_params as wire
from understudy.values.errors import BadInput
from understudy.values.structure import structure

if TYPE_CHECKING:
    from understudy.context.skill_index import SkillIndex
    from understudy.faces.lsp_server import UnderstudyServer


async def put(server: UnderstudyServer, params: wire.PutOutput) -> dict[str, Any]:
    """Store an output."""
    place = server.host.session.context
    data = output_of(Result("", "", params.text, params.base64), "params")
    policy = policy_of(params.policy)
    done = await asyncio.to_thread(
        context_put.put_output, place, data, params.label, params.exit, params.kind, policy,
        params.tier,
    )  # fmt: skip
    return answers.put_json(done, data)


async def get(server: UnderstudyServer, params: wire.GetPart) -> dict[str, Any]:
    """A part of a stored text."""
    session = server.host.session
    if params.lines is not None and len(params.lines) != 2:
        raise BadInput("bad-params", "give the first and the last line", "lines")
    lines = None if params.lines is None else (params.lines[0], params.lines[1])
    part = Part(lines, params.tail, params.grep, params.regex, params.budget)
    found = await get_part(session.context, session.workers, params.path, part)
    return answers.excerpt_json(found, params.path)


async def append(server: UnderstudyServer, params: wire.AppendLog) -> dict[str, Any]:
    """Append to a log."""
    session = server.host.session
    policy = policy_of(params.policy)
    outlines: dict[str, str] = {}
    if has_long_texts(params.events, policy):
        outlines = await outlines_of(session.root, session.outliner, params.events, policy)
    done = await asyncio.to_thread(
        context_record.record, session.context, params.log, params.events, policy, outlines
    )
    return answers.recorded_json(done)


async def pack(server: UnderstudyServer, params: wire.PackLog) -> dict[str, Any]:
    """The prompt of a log."""
    place = server.host.session.context
    policy = policy_of(params.policy)
    packed = await asyncio.to_thread(context_pack.pack_log, place, params.log, policy, params.at)
    return answers.packed_json(packed)


async def topic(server: UnderstudyServer, params: wire.TopicOfLog) -> dict[str, Any]:
    """The last rounds in short."""
    log = server.host.session.context.log(params.log)
    return {"text": topic_text(await asyncio.to_thread(log.read), policy_of(params.policy))}


async def simulate(server: UnderstudyServer, params: wire.SimulateLog) -> dict[str, Any]:
    """What the prompts cost."""
    place = server.host.session.context
    policy = policy_of(params.policy)
    prices = structure(params.prices, Prices, "bad-policy", "prices")
    done = await asyncio.to_thread(context_simulate.simulate_log, place, params.log, policy, prices)
    return answers.simulated_json(done)


async def skills(server: UnderstudyServer, params: wire.ListSkills) -> dict[str, Any]:
    """The skills, and their static text."""
    index = await _skills(server, params.client, strict=params.strict)
    await asyncio.to_thread(context_skills.write_index, server.host.session.context, index)
    return answers.skills_json(index)


async def search(server: UnderstudyServer, params: wire.SearchContext) -> dict[str, Any]:
    """Ranked words, or every line."""
    session = server.host.session
    question = context_search.Question(
        params.text, params.grep, params.regex, params.kinds or KINDS, params.limit
    )
    index = await _skills(server, None, strict=False)
    found = await context_search.search_context(session.context, session.workers, index, question)
    return answers.answer_json(found)


async def _skills(server: UnderstudyServer, client: str | None, *, strict: bool) -> SkillIndex:
    session = server.host.session
    return await asyncio.to_thread(
        context_skills.index_skills, session.root, trusted=session.trusted, client=client,
        strict=strict,
    )  # fmt: skip
