"""A check without any host: judges a patch or the working tree and leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.disk.layout import Layout, without_log
from understudy.values.verdicts import CheckReport, Reason
from understudy.workspace.branches.checked import Mended
from understudy.workspace.options import FixWish, refuse_unknown_servers, time_limit
from understudy.workspace.passing_session import passing_session
from understudy.workspace.progress import Audience, Progress, silent


async def check_alone(
    folder: Path,
    question: CheckQuestion,
    wish: FixWish | None = None,
    *,
    explain: bool = False,
    traces: bool = False,
    trust: bool = False,
    progress: Progress = silent,
) -> CheckAnswer:
    """What edits, or the folder as it is on disk, introduce; mended and explained if so wished.

    Raises BadInput for a folder or settings that cannot be used, and as `answer` does.
    """
    async with passing_session(folder, trust=trust) as session:
        refuse_unknown_servers(session.servers, question.options)
        time_limit(question.options.timeout_s, session.settings.timeout_s)
        base, audience = session.bases.own, Audience(progress)
        if wish is None and not explain:
            found = await answer(session, question, base, owner="check", audience=audience)
        else:
            from understudy.app.check.fixes.asked import mended_answer  # noqa: PLC0415 - few ask for it

            found = await mended_answer(
                session, question, wish, base, explain=explain, owner="check", audience=audience
            )
        if traces:
            from understudy.app.check.traced import last_traces  # noqa: PLC0415 - few ask for it

            found = replace(found, trace=last_traces(session)[0])
        report = _without_logs(found.checked.report, session.layout)
        mended = _told_without_logs(found.checked.mended, session.layout)
        return replace(found, checked=replace(found.checked, report=report, mended=mended))


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


def _told_without_logs(mended: Mended | None, layout: Layout) -> Mended | None:
    if mended is None:
        return None
    told = [
        one if one.why is None else replace(one, why=without_log(one.why, layout))
        for one in mended.fixes
    ]
    return replace(mended, fixes=tuple(told))
