"""A check without any host: judges a patch or the working tree and leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.disk.layout import Layout, without_log
from understudy.values.verdicts import CheckReport, Reason
from understudy.workspace.options import refuse_unknown_servers, time_limit
from understudy.workspace.passing_session import passing_session
from understudy.workspace.progress import Audience, Progress, silent


async def check_alone(
    folder: Path, question: CheckQuestion, *, trust: bool = False, progress: Progress = silent
) -> CheckAnswer:
    """What edits, or the folder as it is on disk, introduce.

    Raises BadInput for a folder or settings that cannot be used, and as `answer` does.
    """
    async with passing_session(folder, trust=trust) as session:
        refuse_unknown_servers(session.servers, question.options)
        time_limit(question.options.timeout_s, session.settings.timeout_s)
        base = session.bases.own
        found = await answer(session, question, base, owner="check", audience=Audience(progress))
        report = _without_logs(found.checked.report, session.layout)
        return replace(found, checked=replace(found.checked, report=report))


def _without_logs(report: CheckReport, layout: Layout) -> CheckReport:
    def cleaned(reason: Reason | None) -> Reason | None:
        return reason and replace(reason, text=without_log(reason.text, layout))

    files = [
        replace(
            file,
            reason=cleaned(file.reason),
            servers=tuple(replace(one, reason=cleaned(one.reason)) for one in file.servers),
        )
        for file in report.files
    ]
    return replace(report, files=tuple(files))
