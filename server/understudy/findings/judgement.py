"""From answers about two snapshots to the verdict on their difference.

For a file and a server: no counting findings after -> clean; counting findings after while the
file before is unknown -> unknown, and they are `unattributed`; else the difference decides. `fixed`
needs proof on both sides; what an answer is known to leave out is `hidden`, and `hiding.py` tells
what else is. A deleted file has no findings, but a server that could say nothing of it
before has said nothing at all: unknown. The whole: `findings` if anything counts as introduced,
else `unknown` if any file is, else `clean`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from understudy.findings.delta import delta
from understudy.findings.line_map import LineMap
from understudy.values.findings import Finding, Severity, counts
from understudy.values.frozen import frozen
from understudy.values.verdicts import (
    Answer,
    FileVerdict,
    Hidden,
    Hider,
    Reason,
    ReasonCode,
    ServerVerdict,
    Verdict,
)

_NOBODY_KNOWS: frozenset[ReasonCode] = frozenset({"base-unknown", "too-large"})
"""Why no server was asked about a text: that of a deleted file is needed by nobody."""

LineMaps = Callable[[str], tuple[str, LineMap | None]]
"""After-path -> its path before, and the map of its lines (None: the same text)."""


@frozen(slots=True)
class Judged:
    """One server's answers about one file; None for a side on which there is no such file."""

    path: str
    before: Answer | None
    after: Answer | None
    doubt: Reason | None = None
    """Why `after` leaves findings out, where that is known.

    Then none of them is fixed, and without a new one nothing is known.
    """

    @property
    def server(self) -> str:
        """The server's name."""
        answer = self.after or self.before
        assert answer is not None
        return answer.server

    def doubted(self, doubt: Reason) -> Judged:
        """The same of a server whose silence proves nothing, on neither side."""
        before = self.before
        if before is not None and before.findings == ():
            before = replace(before, findings=None, reason=doubt)
        return replace(self, before=before, doubt=self.doubt or doubt)


@dataclass
class Difference:
    """What all answers together say, before it is stamped."""

    introduced: list[Finding] = field(default_factory=lambda: [])
    fixed: list[Finding] = field(default_factory=lambda: [])
    hidden: list[Hidden] = field(default_factory=lambda: [])
    unattributed: list[Finding] = field(default_factory=lambda: [])
    remaining: int = 0
    files: list[FileVerdict] = field(default_factory=lambda: [])
    is_proven: bool = False
    """Whether any server has proven anything, on either side."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole."""
        verdicts = {file.verdict for file in self.files}
        if "findings" in verdicts:
            return "findings"
        return "unknown" if "unknown" in verdicts else "clean"


def judge(answers: Iterable[Judged], maps: LineMaps, severity: Severity) -> Difference:
    """Combine all answers; `severity` is the mildest that counts for the verdicts."""
    by_path: dict[str, list[Judged]] = {}
    for judged in answers:
        by_path.setdefault(judged.path, []).append(judged)
    whole = Difference()
    for path in sorted(by_path):
        servers = [_judge_one(judged, maps, severity, whole) for judged in by_path[path]]
        whole.files.append(_file_verdict(path, servers))
    for findings in (whole.introduced, whole.fixed, whole.unattributed):
        findings.sort(key=_order)
    return whole


def _judge_one(
    judged: Judged, maps: LineMaps, severity: Severity, whole: Difference
) -> ServerVerdict:
    before, after = judged.before, judged.after
    whole.is_proven |= any(one is not None and one.reason is None for one in (before, after))
    elapsed = sum(answer.elapsed_ms for answer in (before, after) if answer is not None)
    rule = (after or before or _absent(judged)).rule

    def say(verdict: Verdict, reason: Reason | None = None) -> ServerVerdict:
        return ServerVerdict(judged.server, verdict, rule, elapsed, reason)

    if after is not None and after.reason is not None:
        return say("unknown", after.reason)
    now = _findings(after)
    if before is not None and before.reason is not None:
        if after is None and before.reason.code not in _NOBODY_KNOWS:
            return say("unknown", before.reason)
        whole.unattributed.extend(now)
        if not _counting(now, severity):
            return say("unknown", judged.doubt) if judged.doubt else say("clean")
        text = f"what was there before is not known: {before.reason.text}"
        return say("unknown", Reason("base-unknown", text))
    change = delta(_findings(before), now, maps)
    whole.introduced.extend(change.introduced)
    if judged.doubt is None:
        whole.fixed.extend(change.fixed)
    else:
        by = Hider(judged.path, None, judged.doubt.text)
        whole.hidden.extend(Hidden(finding, by) for finding in change.fixed)
    whole.remaining += change.remaining
    if _counting(change.introduced, severity):
        return say("findings")
    return say("unknown", judged.doubt) if judged.doubt else say("clean")


def _file_verdict(path: str, servers: Sequence[ServerVerdict]) -> FileVerdict:
    verdicts = {server.verdict for server in servers}
    if "findings" in verdicts:
        return FileVerdict(path, "findings", None, tuple(servers))
    for server in servers:
        if server.verdict == "unknown":
            return FileVerdict(path, "unknown", server.reason, tuple(servers))
    return FileVerdict(path, "clean", None, tuple(servers))


def _findings(answer: Answer | None) -> tuple[Finding, ...]:
    """The answer's findings; a file that does not exist has none, which needs no server to say."""
    return () if answer is None else answer.findings or ()


def _counting(findings: Iterable[Finding], severity: Severity) -> bool:
    return any(counts(finding.severity, severity) for finding in findings)


def _absent(judged: Judged) -> Answer:
    return Answer(judged.path, "", "absent", (), None, 0.0)


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.path, finding.range, finding.server, finding.code or "", finding.message)
