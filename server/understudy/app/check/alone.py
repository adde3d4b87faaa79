"""A check without any host: judges a patch or the working tree and leaves nothing behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.disk.layout import Layout, without_log
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.branches.checked import Checked
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
        checked, trace = _without_logs(found.checked, session.layout), None
        if traces:
            from understudy.app.check.traced import traced  # noqa: PLC0415 - few ask for it

            trace = traced(session, question.subject, checked)
        return replace(found, checked=checked, trace=trace)


def _without_logs(checked: Checked, layout: Layout) -> Checked:
    """The same, but no reason names a log: those go with the session."""

    def cleaned(text: str | None) -> str | None:
        return text and without_log(text, layout)

    def plain(reason: Reason | None) -> Reason | None:
        return reason and replace(reason, text=without_log(reason.text, layout))

    def said(answer: Answer | None) -> Answer | None:
        return answer and replace(answer, reason=plain(answer.reason))

    files = [
        replace(
            file,
            reason=plain(file.reason),
            servers=tuple(replace(one, reason=plain(one.reason)) for one in file.servers),
        )
        for file in checked.report.files
    ]
    answers = [
        replace(one, before=said(one.before), after=said(one.after), doubt=plain(one.doubt))
        for one in checked.answers
    ]
    mended, explained = checked.mended, checked.explained
    if mended is not None:
        fixes = (replace(one, why=cleaned(one.why)) for one in mended.fixes)
        mended = replace(mended, fixes=tuple(fixes))
    if explained is not None:
        explained = tuple(
            replace(
                one,
                fixes=tuple(replace(fix, leaves=cleaned(fix.leaves)) for fix in one.fixes),
                unknown=cleaned(one.unknown),
            )
            for one in explained
        )
    return replace(
        checked,
        report=replace(checked.report, files=tuple(files)),
        answers=tuple(answers),
        mended=mended,
        explained=explained,
    )
