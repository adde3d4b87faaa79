"""Refactorings for every face: a server's edits land in a branch, and the branch is checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.app.code.act import act, format_file, organize_imports
from understudy.app.code.refactor import Refactored, RefactorWish, move_file, rename
from understudy.faces.answers.check import check_json
from understudy.faces.answers.refactored import refactored_json
from understudy.faces.answers.report_text import check_text
from understudy.faces.calls.entry import Json, Side, refuse_switched_off
from understudy.faces.params import code as of_code
from understudy.values.frozen import frozen
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session

Verb = Callable[[Session, LiveBase, RefactorWish], Awaitable[Refactored]]
VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "rename": rename,
        "move": move_file,
        "act": act,
        "format": format_file,
        "imports": organize_imports,
    }
)


@frozen
class JudgedRefactoring:
    """A refactoring and the verdict on its branch; None where it has not come to edits."""

    refactored: Refactored
    check: CheckAnswer | None


async def rename_symbol(side: Side, params: of_code.RenameSymbol, audience: Audience) -> Json:
    """Rename what stands at a place, and judge it."""
    return judged_json(await refactored(side, rename, _wish(params), audience), "rename")


async def move(side: Side, params: of_code.MoveFile, audience: Audience) -> Json:
    """Move a file, and judge it."""
    return judged_json(await refactored(side, move_file, _wish(params), audience), "move")


async def act_at(side: Side, params: of_code.TakeAction, audience: Audience) -> Json:
    """Take what a server offers at a place, and judge it."""
    return judged_json(await refactored(side, act, _wish(params), audience), "act")


async def format_text(side: Side, params: of_code.LayOutFile, audience: Audience) -> Json:
    """Lay a file out, and judge it."""
    return judged_json(await refactored(side, format_file, _wish(params), audience), "format")


async def sort_imports(side: Side, params: of_code.LayOutFile, audience: Audience) -> Json:
    """Sort the imports of a file, and judge it."""
    return judged_json(await refactored(side, organize_imports, _wish(params), audience), "imports")


async def refactored(
    side: Side, verb: Verb, wish: RefactorWish, audience: Audience
) -> JudgedRefactoring:
    """What a refactoring comes to, over the asker's own text."""
    refuse_switched_off(side, "navigation")
    session, base = side.host.session, side.live_base
    with session.watching_servers(audience.progress):
        found = await verb(session, base, wish)
    if found.branch is None:
        return JudgedRefactoring(found, None)
    options = CheckOptions(timeout_s=wish.timeout_s)
    question = CheckQuestion(found.branch, options=options)
    return JudgedRefactoring(found, await answer(session, question, base, audience=audience))


def judged_json(judged: JudgedRefactoring, name: str) -> Json:
    """All fields; `check` is a check's JSON, `report` its text."""
    check = judged.check
    return {
        **refactored_json(judged.refactored, name),
        "verdict": None if check is None else check.checked.report.verdict,
        "check": None if check is None else check_json(check.checked),
        "report": "" if check is None else check_text(check.checked),
    }


def _wish(
    params: of_code.RenameSymbol | of_code.MoveFile | of_code.LayOutFile | of_code.TakeAction,
) -> RefactorWish:
    to = None if isinstance(params, of_code.LayOutFile) else params.to
    return RefactorWish(params.target, to, params.branch, params.server, params.timeout)
