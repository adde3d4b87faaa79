"""The verb `trace`: how a check judged, told from what is kept of it; nobody is asked anything."""

from __future__ import annotations

from contextlib import suppress

from understudy.app.check.blast_radius import changed_paths
from understudy.langserver.find import installed_version
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.traces import CheckSide, CheckTrace, TextOrigin, TracedAnswer, TracedServer
from understudy.values.verdicts import Answer
from understudy.workspace.branches.checked import Checked
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session


def last_traces(session: Session, branch: str | None = None) -> list[CheckTrace]:
    """How the last checks have judged, the latest first; of a branch its last one alone.

    Raises BadInput `not-checked` where that is not known any more, or never was.
    """
    kept = session.last_checks.all()
    if branch is not None:
        kept = [one for one in kept if one[0] == branch]
        if not kept:
            text = "this host knows of no check of it; check it, and ask again"
            raise BadInput("not-checked", text, branch)
    return [traced(session, *one) for one in kept]


def traced(session: Session, subject: str, checked: Checked) -> CheckTrace:
    """How one check has judged."""
    report = checked.report
    choices: dict[str, ServerChoice] = {}
    answers: list[TracedAnswer] = []
    for judged in checked.answers:
        for choice in session.servers.choose(judged.path, (judged.server,)):
            choices.setdefault(choice.name, choice)
        if judged.before is not None:
            answers.append(_answer("before", checked.before, judged.before))
        if judged.after is not None:
            answers.append(_answer("after", checked.after, judged.after))
    return CheckTrace(
        subject, report.verdict, report.stamp, checked.severity,
        tuple(sorted(changed_paths(checked.before, checked.after))),
        tuple(_server(session, choices[name]) for name in sorted(choices)),
        tuple(answers), report.elapsed_ms,
    )  # fmt: skip


def _answer(side: CheckSide, snapshot: Snapshot, answer: Answer) -> TracedAnswer:
    with suppress(BadInput, Moved):  # what is no text was shown to nobody
        packed = snapshot.packed(answer.path)
        if packed is not None:
            origin = _origin(snapshot, answer.path)
            return TracedAnswer(side, origin, packed.size, packed.digest, answer)
    return TracedAnswer(side, None, 0, "", answer)


def _origin(snapshot: Snapshot, path: str) -> TextOrigin:
    real = snapshot.base.folder.links.real(path)
    if real in snapshot.edits:
        return "branch"
    return "buffer" if path in snapshot.base.buffers else "disk"


def _server(session: Session, choice: ServerChoice) -> TracedServer:
    command = () if choice.spec is None else choice.spec.command
    version = installed_version(command, session.root.path) if command else ""
    profile = choice.profile
    return TracedServer(choice.name, profile.group, profile.rule, command, version, choice.origin)
