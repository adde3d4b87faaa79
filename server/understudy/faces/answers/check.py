"""The answers of the verbs as JSON: the outer contract's words, for every face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from understudy.findings.lines import finding_json, range_json
from understudy.langserver.pool import ServerStatus
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch
from understudy.shadow.called import called
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, PositionEncoding
from understudy.values.silencing import Silencing
from understudy.values.texts import PackedText
from understudy.values.verdicts import CheckReport, FileVerdict, FirstWave, Reason, ServerVerdict
from understudy.workspace.branches.checked import Checked
from understudy.workspace.branches.overlaps import Overlap
from understudy.workspace.branches.rebase import PathConflict
from understudy.workspace.branches.reports import BranchSummary
from understudy.workspace.branches.settling import can_be_left
from understudy.workspace.session import Session

SCHEMA = 1


def check_json(checked: Checked, encoding: PositionEncoding = "utf-16") -> dict[str, Any]:
    """A check's JSON (docs/reference/verdicts.md); ranges are 0-based, in UTF-16."""
    report = checked.report
    n_affected = report.affected_files
    return {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "stamp": report.stamp,
        "base_moved": report.base_moved,
        "introduced": findings_json(report.introduced, checked.after, encoding),
        "fixed": findings_json(report.fixed, checked.before, encoding),
        "hidden": _hidden_json(checked, encoding),
        "silenced": [_silencing_json(one, checked.before, encoding) for one in report.silenced],
        "unattributed": findings_json(report.unattributed, checked.after, encoding),
        "remaining": report.remaining,
        "passed_over": report.passed_over,
        "out_of_reach": report.out_of_reach,
        "unjudged": list(report.unjudged),
        "late": [{"distance": far, "files": n} for far, n in report.late.items()],
        "files": [_file_json(file) for file in report.files],
        **({} if n_affected is None else {"affected_files": n_affected}),
        **_not_asked_json(report),
        **_mended_json(checked, encoding),
        **_explained_json(checked),
        "elapsed_ms": round(report.elapsed_ms, 1),
    }


def _not_asked_json(report: CheckReport) -> dict[str, Any]:
    groups = report.not_asked.items()
    listed = [{"group": group, "files": list(paths)} for group, paths in groups]
    return {"not_asked": listed} if listed else {}


def first_wave_json(wave: FirstWave, after: Snapshot) -> dict[str, Any]:
    """What a check knows before its answer, in that answer's own words."""
    return {
        "introduced": findings_json(wave.introduced, after),
        "unattributed": findings_json(wave.unattributed, after),
        "judged": wave.judged,
        "to_come": wave.to_come,
    }


def findings_json(
    findings: Iterable[Finding], snapshot: Snapshot, encoding: PositionEncoding = "utf-16"
) -> list[dict[str, Any]]:
    """Findings as JSON; their columns are counted in the snapshot's own lines."""
    lines: dict[str, LineIndex] = {}
    listed: list[dict[str, Any]] = []
    for finding in findings:
        if finding.path not in lines:
            lines[finding.path] = line_index(snapshot, finding.path)
        listed.append(finding_json(finding, lines[finding.path], encoding))
    return listed


def _mended_json(checked: Checked, encoding: PositionEncoding) -> dict[str, Any]:
    """The account of all fixes; a finding's range is in the text that its fix was for."""
    mended = checked.mended
    if mended is None:
        return {}
    accounts = [
        {
            "finding": findings_json([one.finding], one.seen, encoding)[0],
            "title": one.title,
            "kept": one.kept,
            "why": one.why,
        }
        for one in mended.fixes
    ]
    told = {
        "fixes": accounts,
        "without_fix": mended.without_fix,
        "rounds": mended.rounds,
        "ended": mended.ended,
        "patch": mended.patch,
        "fixes_patch": mended.fixes_patch,
    }
    return {"mended": told}


def _explained_json(checked: Checked) -> dict[str, Any]:
    """What is known of introduced findings, by their index there."""
    if checked.explained is None:
        return {}
    index = {finding: number for number, finding in enumerate(checked.report.introduced)}
    told = [
        {**asdict(one), "finding": index[one.finding]}
        for one in checked.explained
        if one.finding in index
    ]
    return {"explanations": told}


def _hidden_json(checked: Checked, encoding: PositionEncoding) -> list[dict[str, Any]]:
    """The hidden findings, as they were before, each with what hides it, as that is after."""
    hidden = checked.report.hidden
    found = findings_json((one.finding for one in hidden), checked.before, encoding)
    lines: dict[str, LineIndex] = {}
    told: list[dict[str, Any]] = []
    for finding, one in zip(found, hidden, strict=True):
        by = one.by
        if by.range is not None and by.path not in lines:
            lines[by.path] = line_index(checked.after, by.path)
        place = None if by.range is None else range_json(by.range, lines[by.path], encoding)
        told.append({**finding, "by": {"path": by.path, "range": place, "message": by.message}})
    return told


def branch_json(branch: Branch, overlaps: Sequence[Overlap] | None = None) -> dict[str, Any]:
    """A branch after a change: its id, stamp and what it touches; where others do, if asked."""
    return {
        "branch": branch.id,
        "title": branch.title,
        "called": called(branch.title, branch.files),
        "stamp": branch.stamp,
        "revision": branch.revision,
        "files": sorted(branch.files),
        **({} if overlaps is None else {"overlaps": overlaps_json(overlaps)}),
    }


def overlaps_json(overlaps: Sequence[Overlap]) -> list[dict[str, Any]]:
    """Where other branches change the same lines: first and last, from 1, of the user's text."""
    return [
        {"branch": one.branch, "path": one.path, "lines": [list(run) for run in one.lines]}
        for one in overlaps
    ]


def overlap_line(told: dict[str, Any]) -> str:
    """One of these in words, for people and agents."""
    runs = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in told["lines"])
    return f"{told['branch']} changes the same lines: {told['path']}:{runs}"


def summary_json(
    summary: BranchSummary, overlaps: Sequence[Overlap] = (), *, in_folder: bool | None = None
) -> dict[str, Any]:
    """A branch in a list; times in s since 1970."""
    return {
        "branch": summary.id,
        "title": summary.title,
        "called": summary.called,
        "created": summary.created,
        "used": summary.used,
        "revision": summary.revision,
        "files": summary.n_files,
        "archived": summary.archived,
        "ended": summary.ended,
        "in_folder": in_folder,
        "overlaps": overlaps_json(overlaps),
    }


def left_json(left: Mapping[str, str]) -> list[dict[str, Any]]:
    """What an accept has left in the branch, as it runs something and was not named."""
    return [{"path": path, "runs": runs} for path, runs in sorted(left.items())]


def conflict_json(conflict: PathConflict) -> dict[str, Any]:
    """A conflict with all three texts, so that nothing is lost and either side can be chosen."""
    return {
        "path": conflict.path,
        "reason": conflict.reason,
        "can_send": can_be_left(conflict),
        "base": _content(conflict.base),
        "ours": _content(conflict.ours),
        "theirs": _content(conflict.theirs),
        "regions": [asdict(region) for region in conflict.regions],
        "seen": conflict.seen,
    }


def status_json(session: Session, base: Base, servers: Sequence[ServerStatus]) -> dict[str, Any]:
    """What the host is doing."""
    return {
        "root": str(session.root.path),
        "trusted": session.trusted,
        "generation": base.generation,
        "branches": len(session.branches.summaries()),
        "servers": [asdict(server) for server in servers],
    }


def _content(text: PackedText | None) -> str | None:
    return None if text is None else text.unpack().sendable


def line_index(snapshot: Snapshot, path: str) -> LineIndex:
    """The lines of a file of the snapshot; of an absent one, none."""
    text = snapshot.read(path)
    return LineIndex("" if text is None else text.content)


def _silencing_json(
    silencing: Silencing, before: Snapshot, encoding: PositionEncoding
) -> dict[str, Any]:
    return {
        "path": silencing.path,
        "line": silencing.line,
        "how": silencing.how,
        "what": silencing.what,
        "findings": findings_json(silencing.findings, before, encoding),
    }


def _file_json(file: FileVerdict) -> dict[str, Any]:
    return {
        "path": file.path,
        "verdict": file.verdict,
        "reason": _reason_json(file.reason),
        "servers": [_server_json(server) for server in file.servers],
    }


def _server_json(server: ServerVerdict) -> dict[str, Any]:
    return {
        "name": server.name,
        "verdict": server.verdict,
        "rule": server.rule,
        "ms": round(server.elapsed_ms, 1),
        "reason": _reason_json(server.reason),
    }


def _reason_json(reason: Reason | None) -> dict[str, str] | None:
    return None if reason is None else {"code": reason.code, "text": reason.text}
