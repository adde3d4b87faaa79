"""What the user asks of agents about their branches: kept, listed, and told with the next call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from understudy.app.accept.files import changed_files
from understudy.app.asks import MOST_CHARACTERS, ask_for_change
from understudy.app.check.asked import CheckQuestion, answer
from understudy.faces.answers.agent_text import MAX_BYTES, capped
from understudy.faces.answers.hunks import Choice
from understudy.faces.calls.branches import ask_json, open_asks
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Json, Side
from understudy.faces.calls.rehearsals import rehearsals_of
from understudy.faces.params import requests, review
from understudy.shadow.asks import SETTLE, Ask
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, Refused
from understudy.values.findings import Finding, counts
from understudy.values.lines import line_texts
from understudy.values.printable import printable
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session

if TYPE_CHECKING:
    from understudy.shadow.merge import MarkedText

_MOST, _LINES, _CHARACTERS = 5, 3, 300
_MOST_SENT = 20


async def ask(side: Side, params: review.AskForChange, _: Audience) -> Json:
    """Keep what the user wants changed."""
    lines = params.start, params.end
    session, base = side.host.session, side.live_base
    made = await ask_for_change(session, params.branch, params.path, lines, params.text, base)
    return ask_json(made)


async def send_conflict(side: Side, params: review.SendConflict, _: Audience) -> Json:
    """Leave it to the agent to settle a file in which both sides changed the same lines."""
    session, base = side.host.session, await side.live_base.fresh()
    if params.branch in await rehearsals_of(side):
        text = "who lives in the branch sees its files only: end it first, or use the merge editor"
        raise Refused("branch-in-use", text, params.branch)
    path = session.root.relative(params.path)
    return ask_json(await session.branches.ask_to_settle(params.branch, base, path))


async def unask(side: Side, params: review.WithdrawAsk, _: Audience) -> Json:
    """Take it back."""
    await side.host.session.branches.unask(params.branch, params.ask)
    return {"branch": params.branch}


async def list_asks(side: Side, params: requests.NameBranch, _: Audience) -> Json:
    """What is open of a branch."""
    found = await open_asks(side, params.branch)
    return {"branch": params.branch, "asks": [ask_json(one) for one in found]}


async def send_back(session: Session, live_base: LiveBase, choice: Choice) -> None:
    """Ask for a change of a hunk's lines, or of the first of a file.

    Raises BadInput `unknown-hunk`, and as `ask_for_change` does.
    """
    base = await live_base.fresh()
    _, changes = await changed_files(session, choice.branch, base, choice.path)
    for part in (part for one in changes if one.path == choice.path for part in one.parts):
        if choice.hunk in (None, part.id):
            lines = part.new_start, max(part.new_end, part.new_start + 1)
            await ask_for_change(session, choice.branch, choice.path, lines, choice.text, live_base)
            return
    raise BadInput("unknown-hunk", "the branch has no such change", choice.path)


async def send_findings(side: Side, params: requests.NameBranch, audience: Audience) -> Json:
    """Ask for each line in which a branch introduces findings that they go; judged first, unless
    its last check is of now.

    What is open with these words is not asked again.
    """
    session, base = side.host.session, side.live_base
    kept = session.verdicts.of(params.branch, base)
    branch = await session.branches.get(params.branch)
    if kept is not None and kept.is_of_now(branch):
        checked = kept.checked
    else:
        question = CheckQuestion(branch.id)
        checked = (await answer(session, question, base, owner="send", audience=audience)).checked
    lines: dict[tuple[str, int], list[Finding]] = {}
    for found in sorted((*checked.report.introduced, *checked.report.unattributed)):
        if counts(found.severity, checked.severity):
            lines.setdefault((found.path, found.range.start.line), []).append(found)
    wishes = {place: _wish(found) for place, found in lines.items()}
    open_ones = {(one.path, one.text) for one in branch.asks}
    new = {at: text for at, text in wishes.items() if (at[0], text) not in open_ones}
    made: list[Ask] = []
    for (path, line), text in [*new.items()][:_MOST_SENT]:
        at = line, line + 1
        made.append(await ask_for_change(session, branch.id, path, at, text, base))
    return {
        "branch": branch.id,
        "verdict": checked.report.verdict,
        "asks": [ask_json(one) for one in made],
        "open": len(wishes) - len(new),
        "left": len(new) - len(made),
    }


def _wish(found: list[Finding]) -> str:
    """What is to go, in the words of who says it."""
    told = "; ".join(
        f"{one.message}{'' if one.code is None else f' [{one.code}]'} ({one.server})"
        for one in found
    )
    return f"your edits introduce: {told}"[:MOST_CHARACTERS]


async def with_asks(conversation: Conversation, answered: Json) -> Json:
    """An agent's answer, begun with what the user has asked since the one before."""
    session, base = conversation.host.session, conversation.live_base
    told = await asks_told(session, base, conversation.told_asks, conversation.bound)
    if not told:
        return answered
    text = "\n".join([*told, "", str(answered["text"])])
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        text = capped(text.removesuffix("\n").split("\n"))
    return {**answered, "text": text}


async def asks_told(
    session: Session, base: LiveBase, told: set[tuple[str, int, int]], bound: str | None = None
) -> list[str]:
    """The lines about what is open and not in `told` yet, which has it then; none for nothing.

    With `bound`, of that branch alone.
    """
    lines: list[str] = []
    left = 0
    for summary in session.branches.summaries():
        if not summary.n_asks or bound not in (None, summary.id):
            continue
        try:
            new, asked = await _new_asks(session, base, summary.id, told, bound)
        except (BadInput, Moved):
            continue  # put away meanwhile, or on its way: the next call tells
        told |= new
        for text in asked:
            if len(lines) >= _MOST * (_LINES + 1):
                left += 1
            else:
                lines += text
    if not lines:
        return []
    more = [f"[{left} more; understudy_context with diff shows the branch]"] if left else []
    first = (
        "The user has looked at your edits and asks for changes; edit these lines of the branch:"
    )
    return [first, *lines, *more]


async def _new_asks(
    session: Session, base: LiveBase, branch: str, told: set[tuple[str, int, int]],
    bound: str | None,
) -> tuple[set[tuple[str, int, int]], list[list[str]]]:  # fmt: skip
    """What is not in `told` yet of a branch, and the lines about each that is still open.

    Raises BadInput and Moved, as looking at the branch does.
    """
    kept = (await session.branches.get(branch)).asks
    new = {one.number: (branch, one.number, one.revision) for one in kept}
    new = {number: key for number, key in new.items() if key not in told}
    if not new:
        return set(), []
    found = await session.branches.asks(branch, await base.fresh())
    snapshot = await session.branches.snapshot(branch, base.now)
    both = await _to_settle(session, base, branch, bound)
    asked: list[list[str]] = []
    for one in (one for one in found if one.number in new):
        if one.text == SETTLE:
            if one.path in both:
                asked.append(_told_to_settle(branch, one, both[one.path]))
            continue
        text = snapshot.read(one.path)
        asked.append(_told(branch, one, [] if text is None else line_texts(text.content)))
    waiting = {one.number for one in kept if one.text == SETTLE and one.path not in both}
    return {key for number, key in new.items() if number not in waiting}, asked


def ask_line(branch: str, one: Ask) -> str:
    """An ask in a line: where, counted from 1, and what is to be different."""
    place = f"{one.path}:{one.start + 1}"
    if one.end > one.start + 1:
        place += f"-{one.end}"
    wish = " ".join((one.text or "not like this; make it better").split())
    return printable(f"{branch}: {place}: {wish}")[: _CHARACTERS * 5]


async def _to_settle(
    session: Session, base: LiveBase, branch: str, bound: str | None
) -> Mapping[str, MarkedText]:
    """What an agent's edits find; one that lives in a branch edits files, where it finds none."""
    return await session.branches.both_sides(branch, base.now) if bound is None else {}


async def asked_lines(
    session: Session, base: LiveBase, branch: str, bound: str | None = None
) -> list[str]:
    """The lines about all that is open of a branch; raises as looking at it does."""
    found = await session.branches.asks(branch, await base.fresh())
    both = await _to_settle(session, base, branch, bound)
    lines: list[str] = []
    for one in found:
        if one.text == SETTLE and one.path in both:
            first, *places = _told_to_settle(branch, one, both[one.path])
            lines += [f"asked: {first}", *places]
        elif one.text != SETTLE:
            lines.append(f"asked: {ask_line(branch, one)}")
    return lines


def _told_to_settle(branch: str, one: Ask, marked: MarkedText) -> list[str]:
    """An ask for the settling of a conflict, with both sides as an edit finds them."""
    how = "Replacements and diffs of the file find both, as below; in one call, leave no mark"
    lines = [f"    {line}" for place in marked.places() for line in place]
    return [f"{ask_line(branch, one)}. {how}", *lines]


def _told(branch: str, one: Ask, texts: list[str]) -> list[str]:
    quoted = texts[one.start : one.end][:_LINES]
    return [ask_line(branch, one), *(f"    {printable(line)[:_CHARACTERS]}" for line in quoted)]
