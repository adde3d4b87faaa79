"""How a check judged, as JSON and as text: a block a server, a line for each text it was shown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from understudy.findings.lines import finding_line
from understudy.values.findings import Finding
from understudy.values.printable import first_few, printable
from understudy.values.traces import CheckTrace, TracedAnswer

_MOST_EDITED = 20
_DIGITS = 12
"""Of a digest, in the text form."""

_EVIDENCE: Mapping[str, str] = {
    "pull": "it was asked after it had the text, and nothing was sent in between",
    "pull_status": "it was asked after it had the text, and told that it had validated it",
    "pull_command": "it was asked by its own command after it had the text",
    "version": "its findings named the version of the text",
    "reopen": "its findings named the version with which the text was opened last of all",
    "canary": "its findings had a line in them that was added to the text",
    "command": "it ran to its end on a stage with all texts, and its output was understood",
}
"""What makes an answer a proof, by the rule of its server."""


def trace_json(trace: CheckTrace) -> dict[str, Any]:
    """All fields; lines and columns are 1-based, in code points, as in text."""
    return {
        "schema": 1,
        "subject": trace.subject,
        "verdict": trace.verdict,
        "stamp": trace.stamp,
        "severity": trace.severity,
        "edited": list(trace.edited),
        "servers": [
            {**asdict(one), "command": list(one.command), "evidence": _EVIDENCE.get(one.rule)}
            for one in trace.servers
        ],
        "answers": [_answer_json(one) for one in trace.answers],
        "elapsed_ms": round(trace.elapsed_ms, 1),
    }


def _answer_json(traced: TracedAnswer) -> dict[str, Any]:
    answer = traced.answer
    reason, found = answer.reason, answer.findings
    return {
        "path": answer.path,
        "side": traced.side,
        "server": answer.server,
        "from": traced.text_from,
        "bytes": traced.size,
        "sha256": traced.digest,
        "showing": None if answer.showing is None else asdict(answer.showing),
        "kept": answer.kept,
        "findings": None if found is None else [_finding_json(one) for one in found],
        "reason": None if reason is None else {"code": reason.code, "text": reason.text},
        "ms": round(answer.elapsed_ms, 1),
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    start = finding.range.start
    return {
        "line": start.line + 1,
        "column": start.column + 1,
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "text": finding_line(finding),
    }


def trace_text(trace: dict[str, Any]) -> str:
    """The JSON for people."""
    return "\n".join(_lines(trace)) + "\n"


def _lines(trace: dict[str, Any]) -> Iterator[str]:
    yield printable(
        f"{trace['verdict']} of {trace['subject']} in {trace['elapsed_ms']} ms: "
        f"stamp {trace['stamp']}, severity {trace['severity']} or worse counts"
    )
    edited = [printable(path) for path in trace["edited"]]
    yield f"edited: {first_few(edited, _MOST_EDITED)}"
    for server in trace["servers"]:
        yield ""
        yield printable(f"{server['name']} ({server['group']}) {_program(server)}")
        if server["evidence"]:
            yield f"  an answer is proven (rule {server['rule']}) as {server['evidence']}"
        for answer in trace["answers"]:
            if answer["server"] == server["name"]:
                yield from (printable(f"  {line}") for line in _answer_lines(answer))


def _program(server: dict[str, Any]) -> str:
    if not server["command"]:
        return "was not started"
    return f"{server['version']}, {server['origin']}: {shlex.join(server['command'])}"


def _answer_lines(answer: dict[str, Any]) -> Iterator[str]:
    """What was shown, and what was said of it, a line a finding."""
    reason, found = answer["reason"], answer["findings"]
    n_found = f"{len(found or ())} finding{'' if len(found or ()) == 1 else 's'}"
    said = f"{reason['code']}: {reason['text']}" if found is None else n_found
    took = "known from an earlier check" if answer["kept"] else f"{answer['ms']} ms"
    yield f"{answer['path']} {answer['side']}: {_shown(answer)}: {said} ({took})"
    yield from (f"  {finding['text']}" for finding in found or ())


def _shown(answer: dict[str, Any]) -> str:
    if answer["from"] is None:
        return "no text"
    text = f"{answer['bytes']} bytes of the {answer['from']}, {answer['sha256'][:_DIGITS]}"
    showing = answer["showing"]
    if showing is None:
        return text
    place = " on a stage" if showing["staged"] else ""
    return f"{text}, version {showing['version']} to process {showing['generation']}{place}"
