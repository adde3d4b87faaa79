"""What every face may ask about kept things: `understudy/context/*`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from understudy.app.context import pack as context_pack
from understudy.app.context import put as context_put
from understudy.app.context import record as context_record
from understudy.app.context import search as context_search
from understudy.app.context import simulate as context_simulate
from understudy.app.context import skills as context_skills
from understudy.app.context import stats as context_stats
from understudy.app.context.get import get_part
from understudy.app.context.outlines import has_long_texts, outlines_of
from understudy.context.entries import Result, output_of
from understudy.context.excerpt import ExcerptPart
from understudy.context.simulate import Prices
from understudy.context.summary import topic_text
from understudy.disk.store.search_index import KINDS
from understudy.faces.answers import context as answers
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import context as requests
from understudy.values.errors import BadInput
from understudy.values.structure import structure
from understudy.workspace.agents.models import model_named, policy_for
from understudy.workspace.progress import Audience

if TYPE_CHECKING:
    from understudy.context.skill_index import SkillIndex


async def put(side: Side, params: requests.PutOutput, _: Audience) -> Json:
    """Store an output."""
    place = side.host.session.context
    data = output_of(Result("", "", params.text, params.base64), "params")
    policy = policy_for(params.policy)
    done = await asyncio.to_thread(
        context_put.put_output, place, data, params.label, params.exit, params.kind, policy,
        params.tier,
    )  # fmt: skip
    return answers.put_json(done, data)


async def get(side: Side, params: requests.GetPart, _: Audience) -> Json:
    """A part of a stored text."""
    session = side.host.session
    if params.lines is not None and len(params.lines) != 2:
        raise BadInput("bad-params", "give the first and the last line", "lines")
    lines = None if params.lines is None else (params.lines[0], params.lines[1])
    part = ExcerptPart(lines, params.tail, params.grep, params.regex, params.budget)
    found = await get_part(session.context, session.workers, params.path, part)
    return answers.excerpt_json(found, params.path)


async def append(side: Side, params: requests.AppendLog, _: Audience) -> Json:
    """Append to a log."""
    session = side.host.session
    policy = policy_for(params.policy)
    outlines: dict[str, str] = {}
    if has_long_texts(params.events, policy):
        outlines = await outlines_of(session.root, session.outliner, params.events, policy)
    done = await asyncio.to_thread(
        context_record.record, session.context, params.log, params.events, policy, outlines
    )
    return answers.recorded_json(done)


async def pack(side: Side, params: requests.PackLog, _: Audience) -> Json:
    """The prompt of a log."""
    place = side.host.session.context
    policy = policy_for(params.policy)
    packed = await asyncio.to_thread(context_pack.pack_log, place, params.log, policy, params.at)
    model = model_named(policy.model) if policy.model else None
    return answers.packed_json(packed, model)


async def topic(side: Side, params: requests.TopicOfLog, _: Audience) -> Json:
    """The last rounds in short."""
    log = side.host.session.context.log(params.log)
    return {"text": topic_text(await asyncio.to_thread(log.read), policy_for(params.policy))}


async def simulate(side: Side, params: requests.SimulateLog, _: Audience) -> Json:
    """What the prompts cost."""
    place = side.host.session.context
    policy = policy_for(params.policy)
    prices = structure(params.prices, Prices, "bad-policy", "prices")
    done = await asyncio.to_thread(context_simulate.simulate_log, place, params.log, policy, prices)
    return answers.simulated_json(done)


async def stats(side: Side, params: requests.StatsOfLogs, _: Audience) -> Json:
    """What logs have saved and cost."""
    policy = policy_for(params.policy)
    place = side.host.session.context
    found = await asyncio.to_thread(context_stats.log_stats, place, params.log, policy)
    return {"logs": [one.as_json() for one in found]}


async def skills(side: Side, params: requests.ListSkills, _: Audience) -> Json:
    """The skills, and their static text."""
    index = await _skills(side, params.client, strict=params.strict)
    await asyncio.to_thread(context_skills.write_index, side.host.session.context, index)
    return answers.skills_json(index)


async def search(side: Side, params: requests.SearchContext, _: Audience) -> Json:
    """Ranked words, or every line."""
    session = side.host.session
    question = context_search.SearchQuestion(
        params.text, params.grep, params.regex, params.kinds or KINDS, params.limit
    )
    index = await _skills(side, None, strict=False)
    found = await context_search.search_context(session.context, session.workers, index, question)
    return answers.answer_json(found)


async def _skills(side: Side, client: str | None, *, strict: bool) -> SkillIndex:
    session = side.host.session
    return await asyncio.to_thread(
        context_skills.index_skills, session.root, trusted=session.trusted, client=client,
        strict=strict,
    )  # fmt: skip
