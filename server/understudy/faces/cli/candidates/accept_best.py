"""`understudy rank --accept-best`: the winner goes into the folder, where a condition holds."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput
from understudy.values.printable import printable


class Condition(str, Enum):
    """What has to hold of the best candidate, so that it is accepted."""

    clean = "clean"
    tested = "tested"


def refuse_early(condition: Condition | None, command: object) -> None:
    """Raise for what is known before anything is judged.

    Refused `accept-not-allowed` where no person has started this, BadInput `conflicting-options`
    for tests without a command.
    """
    if condition is None:
        return
    from understudy.app.accept.attended import refuse_unattended

    refuse_unattended()
    if condition is Condition.tested and not command:
        text = "name the test command behind `--`"
        raise BadInput("conflicting-options", text, "--accept-best tested")


def accept_best(root: Path, best: dict[str, Any], given: dict[str, Any], form: Condition) -> bool:
    """Take the best candidate if the condition holds; says what was done, or why nothing was."""
    why_not = _why_not(best, form)
    if why_not is not None:
        complain(f"{best['id']} is not accepted: {why_not}")
        return False
    for line in common.run(lambda: _accepted(root, given)):
        say(printable(line), err=True)
    return True


def _why_not(best: dict[str, Any], condition: Condition) -> str | None:
    if best["verdict"] != "clean":
        return f"the verdict on it is {best['verdict']}"
    if best["silenced"]:
        return f"it silences {best['silenced']}"
    if condition is Condition.clean:
        return None
    tests = best["tests"]
    if tests is None or not tests["ended"]:
        return "its tests have not ended"
    if tests["broken"] or tests["status"] != 0:
        return f"{len(tests['broken'])} tests broken, exit status {tests['status']}"
    return None


async def _accepted(root: Path, given: dict[str, Any]) -> list[str]:
    """What was written and deleted; a patch goes by way of a branch, which is gone afterwards."""
    from understudy.faces.answers.check import left_json
    from understudy.faces.cli.branches import left_lines
    from understudy.faces.python.async_workspace import AsyncWorkspace

    if "branch" in given:
        from understudy.faces.hosting.link import ask_host

        report = await ask_host(root, "accept", {"branch": given["branch"]})
        left = left_lines(given["branch"], report["left"])
        return _lines(report["written"], report["deleted"], left)
    async with AsyncWorkspace(root) as workspace, workspace.branch("the best of many") as branch:
        try:
            await branch.edit(given["edits"])
            found = await branch.accept()
        except BaseException:  # whatever it is: the folder is as it was, and so are the branches
            await branch.discard()
            raise
        return _lines(found.written, found.deleted, left_lines(branch.id, left_json(found.left)))


def _lines(written: Any, deleted: Any, left: list[str]) -> list[str]:  # noqa: ANN401 - lists of JSON, or tuples
    done = [*(f"wrote {path}" for path in written), *(f"deleted {path}" for path in deleted)]
    return [*done, *left]
