"""What servers prove about one file of one snapshot: all of it, with nothing to compare."""

from __future__ import annotations

from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.progress import silent
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.sights import sights


async def judge_document(
    session: Session,
    snapshot: Snapshot,
    path: str,
    *,
    owner: str,
    deadline: float,
    only: tuple[str, ...] = (),
) -> list[Answer]:
    """An answer of every server that judges the file; none: there is no server for it.

    `deadline` is loop time; `only` names the servers wanted. Raises Moved, BadInput.
    """
    choices = session.servers.choose(path, only)
    asked = [_judge(session, choice, snapshot, path, owner, deadline) for choice in choices]
    return list(await all_of(asked))


async def _judge(
    session: Session,
    choice: ServerChoice,
    snapshot: Snapshot,
    path: str,
    owner: str,
    deadline: float,
) -> Answer:
    if choice.is_command:
        return await _ask_command(session, choice, snapshot, path, deadline)
    (sight,) = await sights(session, choice, [snapshot])
    reason = choice.reason or sight.blind.get("*") or sight.blind.get(path)
    if reason is not None or sight.spec is None:
        reason = reason or Reason("not-installed", f"{choice.name} is not installed")
        return Answer(path, choice.name, choice.rule, None, reason, 0.0)
    configured = sight.spec.configured
    kept = session.answers.get(choice, snapshot, path, staged=sight.staged, configured=configured)
    if kept is not None:
        return kept
    async with session.pool.lease(sight.spec, owner, deadline) as lease:
        answer = (await lease.judge(snapshot, [path], deadline))[path]
    session.answers.put(choice, snapshot, answer, staged=sight.staged, configured=configured)
    return answer


async def _ask_command(
    session: Session, choice: ServerChoice, snapshot: Snapshot, path: str, deadline: float
) -> Answer:
    from understudy.app.check.blast_radius import Radius  # noqa: PLC0415 - see below
    from understudy.app.check.command_answers import CommandAnswerer  # noqa: PLC0415 - needs a stage

    answerer = CommandAnswerer(
        session, choice, snapshot, snapshot, Radius(frozenset({path}), {}, {}),
        deadline, silent, whole_project=False,
    )  # fmt: skip
    for judged in await answerer.ask([path]):
        if judged.path == path and judged.after is not None:
            return judged.after
    reason = Reason("unproven", f"{choice.name} said nothing about it")
    return Answer(path, choice.name, choice.rule, None, reason, 0.0)
