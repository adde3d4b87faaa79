"""Whether a server that judges Python infers results from bodies; it is asked for its own word."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from understudy.dependents.families import family_of
from understudy.langserver.json_values import fields_of
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.python.inferred import inferred_function
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace.sight.questions import ask_server

if TYPE_CHECKING:
    from understudy.workspace.servers.choice import ServerChoice
    from understudy.workspace.session import Session

_HOVER = "textDocument/hover"
_NO_RESULT = "-> Unknown"


async def infers_results(
    session: Session,
    after: Snapshot,
    changed: Collection[str],
    only: tuple[str, ...],
    *,
    owner: str,
    deadline: float,
) -> bool:
    """Whether any server that judges other files than the changed ones may infer a result.

    One whose profile says that it does not is asked about a function of a changed file, once for
    each state of the program and its settings; `deadline` is loop time.
    """
    paths = sorted(path for path in changed if family_of(path) == "python")
    judging: dict[ServerChoice, str] = {}
    for path in paths:
        for choice in session.servers.choose(path, only):
            if choice.sees_project:
                judging.setdefault(choice, path)
    if not judging or any(_may_infer(choice) for choice in judging):
        return True
    for choice in judging:
        said = session.words.get(choice.stamp)
        if said is None:
            said = await _said(session, choice, after, paths, owner, deadline)
            if said is None:
                return True
            session.words[choice.stamp] = said
        if said != _NO_RESULT:
            return True
    return False


def _may_infer(choice: ServerChoice) -> bool:
    return choice.reason is not None or choice.is_command or choice.profile.infers_results


async def _said(
    session: Session,
    choice: ServerChoice,
    after: Snapshot,
    paths: Collection[str],
    owner: str,
    deadline: float,
) -> str | None:
    """The server's word for the result of a function that gives back something; None for none."""
    for path in paths:
        try:
            text = after.read(path)
            place = None if text is None else inferred_function(text.content.encode())
            if place is None:
                continue
            params = {
                "textDocument": {"uri": path},
                "position": {"line": place[0], "character": place[1]},
            }
            answer = await ask_server(
                session, after, _HOVER, params, owner=owner, deadline=deadline, server=choice.name
            )
        except (BadInput, OutsideFailure, Refused):
            return None
        return _result(answer.result)
    return None


def _result(hover: object) -> str:
    """What stands behind the signature in a hover."""
    value = fields_of(fields_of(hover).get("contents")).get("value")
    lines = value.splitlines() if isinstance(value, str) else []
    found = [line for line in lines if "->" in line]
    return found[0][found[0].rindex("->") :].strip().rstrip(":") if found else ""
