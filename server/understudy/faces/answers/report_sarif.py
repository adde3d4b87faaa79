"""A check's report as SARIF 2.1.0 (OASIS standard), for tools that take static analysis results.

What is introduced is `new`, what is fixed is `absent`; what is hidden is `open`, as nobody could
say whether it is gone; what nobody knows is no result but a notification, and then the execution
was not successful. What is silenced is a result that is `absent` and suppressed, never only absent;
each silencing is a notification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from understudy.faces.answers.report_text import behind, reasons, silencing_words, unjudged
from understudy.values.findings import Finding, Severity
from understudy.values.silencing import Silencing
from understudy.values.verdicts import Hidden
from understudy.values.version import __version__
from understudy.workspace.branches.checked import Checked

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "ROOT"
_LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "information": "note",
    "hint": "note",
}


def check_sarif(checked: Checked, exit_code: int) -> dict[str, Any]:
    """The whole report as one run; lines and columns from 1, columns in code points."""
    report = checked.report
    n_affected = report.affected_files
    rules: dict[str, int] = {}
    results = [
        *_results(report.introduced, "new", rules),
        *_results(report.fixed, "absent", rules),
        *_results(report.unattributed, None, rules),
        *_hidden(report.hidden, rules),
        *_suppressed(report.silenced, rules),
    ]
    notifications = [*_silenced(checked), *_unknown(checked), *_unjudged(checked)]
    run = {
        "tool": {
            "driver": {
                "name": "Understudy",
                "semanticVersion": __version__,
                "rules": [{"id": rule} for rule in rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not any(f.verdict == "unknown" for f in report.files),
                "exitCode": exit_code,
                "toolExecutionNotifications": notifications,
            }
        ],
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "the folder that was checked (--root)"}}
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "verdict": report.verdict,
            "stamp": report.stamp,
            "baseMoved": report.base_moved,
            "remaining": report.remaining,
            "passedOver": report.passed_over,
            "outOfReach": report.out_of_reach,
            "late": [{"distance": far, "files": n} for far, n in report.late.items()],
            "silenced": sum(not one.is_unread for one in report.silenced),
            "notLookedThrough": sum(one.is_unread for one in report.silenced),
            **({} if n_affected is None else {"affectedFiles": n_affected}),
            "notAsked": {group: list(paths) for group, paths in report.not_asked.items()},
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(
    findings: Iterable[Finding], state: str | None, rules: dict[str, int]
) -> Iterator[dict[str, Any]]:
    for finding in findings:
        rule = f"{finding.server}/{finding.code}" if finding.code else finding.server
        result: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": rules.setdefault(rule, len(rules)),
            "level": _LEVELS[finding.severity],
            "message": {"text": _plain(finding.message)},
            "locations": [_location(finding)],
            "properties": {"server": finding.server, "severity": finding.severity},
        }
        if state is not None:
            result["baselineState"] = state
        yield result


def _hidden(hidden: Iterable[Hidden], rules: dict[str, int]) -> Iterator[dict[str, Any]]:
    """What is no longer said: of kind `open`, which has no level (3.27.9)."""
    for by, found in behind(hidden):
        for result in _results(found, None, rules):
            told = {**result["properties"], "hiddenBy": by}
            yield {**result, "kind": "open", "level": "none", "properties": told}


def _suppressed(silenced: Iterable[Silencing], rules: dict[str, int]) -> Iterator[dict[str, Any]]:
    """The findings that were silenced: there still, though their checker says them no more."""
    for one in silenced:
        kind = "external" if one.how == "setting" else "inSource"
        suppression = {
            "kind": kind,
            "justification": f"{one.how}: {_plain(one.what)}",
            "location": _place(one),
        }
        for result in _results(one.findings, "absent", rules):
            yield {**result, "suppressions": [suppression]}


def _silenced(checked: Checked) -> Iterator[dict[str, Any]]:
    for one in checked.report.silenced:
        what = "not known whether anything is silenced" if one.is_unread else "silenced"
        yield {
            "descriptor": {"id": "not-looked-through" if one.is_unread else "silenced"},
            "level": "warning",
            "message": {"text": _plain(f"{what}: {silencing_words(one)}")},
            "locations": [_place(one)],
        }


def _place(silencing: Silencing) -> dict[str, Any]:
    region = {"startLine": silencing.line + 1}
    return {"physicalLocation": {**_artifact(silencing.path), "region": region}}


def _unknown(checked: Checked) -> Iterator[dict[str, Any]]:
    for reason, paths in reasons(checked.report.files):
        yield {
            "descriptor": {"id": reason.partition(":")[0] or "unknown"},
            "level": "error",
            "message": {"text": _plain(f"not known, which is not clean: {reason}")},
            "locations": [{"physicalLocation": _artifact(path)} for path in paths],
        }


def _unjudged(checked: Checked) -> Iterator[dict[str, Any]]:
    for why_not, paths in unjudged(checked.report):
        yield {
            "descriptor": {"id": "no-server"},
            "level": "note",
            "message": {"text": f"not judged: {why_not}"},
            "locations": [{"physicalLocation": _artifact(path)} for path in paths],
        }


def _location(finding: Finding) -> dict[str, Any]:
    start, end = finding.range.start, finding.range.end
    region = {
        "startLine": start.line + 1,
        "startColumn": start.column + 1,
        "endLine": end.line + 1,
        "endColumn": end.column + 1,
    }
    return {"physicalLocation": {**_artifact(finding.path), "region": region}}


def _plain(text: str) -> str:
    """A message without links: SARIF would read `[shown](target)` as one (3.11.6)."""
    return re.sub(r"[\[\]]", r"\\\g<0>", text) if "](" in text else text


def _artifact(path: str) -> dict[str, Any]:
    uri = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}}
