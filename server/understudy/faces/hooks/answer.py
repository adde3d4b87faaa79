"""`understudy check --format hook --agent NAME`: answers an event of an agent's hooks.

It always ends with 0: another code is an error to every agent, and to some a failed edit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.faces.hosting.warm import Run, ask_warm_host
from understudy.faces.inside.place import way_out
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.agents.catalogue import agent_named
from understudy.workspace.agents.events import (
    ALL,
    AgentEvent,
    filled,
    read_event,
)
from understudy.workspace.agents.folders import folder_of
from understudy.workspace.agents.touched import (
    forget_touched,
    is_of_this_turn,
    memory_of,
    note_said,
    note_touched,
    note_unread,
    take_untold,
    touched_by,
)
from understudy.workspace.progress import NOBODY

if TYPE_CHECKING:
    from understudy.workspace.agents.profile import Agent


_HEARS = "+compactions"
"""Behind an agent's name: its hooks, as they are installed, tell of compactions, too.

The table alone does not know what stands in a user's files.
"""


def answer_event(name: str, data: bytes, run: Run) -> tuple[str, str]:
    """The agent's form of an answer to an event, and what is for the log; nothing if all is fine.

    `run` runs to its end what it is given. Raises BadInput `unknown-agent`; all else that goes
    wrong is told in the answer itself.
    """
    agent = agent_named(name.removesuffix(_HEARS))
    event: AgentEvent | None = None
    template: Mapping[str, Any] | None
    try:
        event = read_event(agent, data)
        text = _told(_Occasion(agent, event, run, name.endswith(_HEARS)))
        template = _template(agent, event)
    except UnderstudyError as error:
        if event is None:
            note_unread()
        what = "checked" if event is None or event.moment not in _COMPACTING else "kept"
        text = _trouble(what, error)
        template = None if agent.hook is None else agent.hook.trouble
        if not template:
            return "", text
    if not text or not template:
        return "", ""
    return json.dumps(filled(template, text, event.name if event is not None else "")), ""


def _trouble(what: str, error: UnderstudyError) -> str:
    return f"understudy: nothing was {what}: {error.code}: {error}"


def _template(agent: Agent, event: AgentEvent) -> Mapping[str, Any]:
    hook = agent.hook
    assert hook is not None
    by_moment = {"edit": hook.edit, "prompt": hook.prompt_answer, "compacted": hook.compacted}
    return by_moment.get(event.moment or "", hook.end)


_COMPACTING = ("compact", "compacted")


@frozen
class _Edited:
    folder: Path
    path: str | None


@frozen
class _Occasion:
    """An event of an agent, and what is at hand to answer it."""

    agent: Agent
    event: AgentEvent
    run: Run
    hears: bool


def _told(occasion: _Occasion) -> str:
    """What the agent is told of an event, of each folder that it is about."""
    agent, event = occasion.agent, occasion.event
    here = (event.folder or Path()).absolute()
    if event.moment is None:
        return ""
    if event.moment in _COMPACTING:
        from understudy.faces.hooks.compaction import keep_and_tell  # noqa: PLC0415 - seldom

        return keep_and_tell(agent, event)
    is_read = event.moment != "end" and bool(_template(agent, event))
    judged = _judged(occasion, here)  # where it fails, the rest is told another time
    untold = take_untold(event.session) if is_read else ""
    return "\n".join(filter(None, [untold, judged]))


def _judged(occasion: _Occasion, here: Path) -> str:
    """What the check of an event says."""
    agent, event = occasion.agent, occasion.event
    if event.moment == "edit":
        edited = [one for path in event.paths if (one := _edited(here / path, here, agent))]
        note_touched(event.session, [one.folder for one in edited])
        return "\n".join(text for _, text in _asked(occasion, edited))
    if way_out() is not None:  # inside, there is but one branch, whatever folder a turn ends in
        return _ask(occasion, _Edited(here, None))
    main = folder_of(here, agent, here)
    if event.moment == "prompt":
        return _prompted(occasion, main)
    texts = _asked(occasion, _with_touched(occasion, main))
    if texts:
        note_said(event.session, [text for _, text in texts])
    return "\n".join(text if one == main else f"in {one}:\n{text}" for one, text in texts)


def _prompted(occasion: _Occasion, main: Path | None) -> str:
    """Another turn begins in each folder of the one before, unless the prompt goes on with that."""
    event = occasion.event
    if is_of_this_turn(event.session, event.prompt):
        # A folder that was touched has had its beginning: by now its text may be broken.
        if main is not None and main not in touched_by(event.session):
            _ask(replace(occasion, event=replace(event, prompt="")), _Edited(main, None))
        return ""
    try:
        _asked(occasion, _with_touched(occasion, main))
    finally:  # one that cannot be asked is not asked with each prompt from here on
        forget_touched(event.session)
    return ""


def _with_touched(occasion: _Occasion, main: Path | None) -> list[_Edited]:
    touched = touched_by(occasion.event.session)
    folders = dict.fromkeys([main, *touched] if main is not None else touched)
    return [_Edited(one, None) for one in folders]


def _asked(occasion: _Occasion, every: Sequence[_Edited]) -> list[tuple[Path, str]]:
    """The folders where there is something to tell, and what; where one fails, that is a line.

    Raises the first failure where nothing else is to be told.
    """
    texts: list[tuple[Path, str]] = []
    failures: list[UnderstudyError] = []
    for one in every:
        try:
            text = _ask(occasion, one)
        except UnderstudyError as error:  # what others tell counts as told from here on
            failures.append(error)
            text = _trouble("checked", error)
        if text:
            texts.append((one.folder, text))
    if failures and len(failures) == len(texts):
        raise failures[0]
    return texts


def _edited(place: Path, here: Path, agent: Agent) -> _Edited | None:
    folder = folder_of(place, agent, here)
    if folder is None:
        return None
    real = place.parent.resolve() / place.name
    if not real.is_relative_to(folder):
        return None
    return _Edited(folder, real.relative_to(folder).as_posix())


def _ask(occasion: _Occasion, edited: _Edited) -> str:
    event, run = occasion.event, occasion.run
    root = Root.open(edited.folder)
    is_heard = occasion.hears and event.session != ALL  # else another conversation has read it
    is_kept = is_heard and event.moment == "end" and way_out() is None
    params = {
        "session": event.session,
        "moment": event.moment,
        "path": edited.path,
        "prompt": event.prompt,
        "memory": memory_of(event.session) if is_kept else None,
    }
    answer = ask_warm_host(run, root, "turn", params, NOBODY, trusts=False)
    if answer is not None:
        return str(answer["text"])
    return "" if event.moment == "prompt" else _alone(root, event, edited, run)


def _alone(root: Root, event: AgentEvent, edited: _Edited, run: Run) -> str:
    """The same where no host may stay, so that nobody has seen the turn begin: against HEAD."""
    from understudy.app.check.alone import check_alone  # noqa: PLC0415 - where there is no host
    from understudy.app.check.asked import CheckQuestion  # noqa: PLC0415 - where there is no host
    from understudy.faces.answers.report_hook import edit_text, end_text  # noqa: PLC0415 - where there is no host
    from understudy.workspace.options import CheckOptions  # noqa: PLC0415 - where there is no host

    scope = "edited" if event.moment == "edit" else None
    question = CheckQuestion(revision="HEAD", options=CheckOptions(scope=scope))
    try:
        found = run(lambda: check_alone(root.path, question))
    except BadInput as error:
        if error.code == "no-repository":
            return ""
        raise
    if event.moment == "edit":
        return edit_text(found.checked, edited.path or "")
    return end_text(found.checked, found.revision or "HEAD").text
