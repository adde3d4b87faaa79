"""A server's raw diagnostics as findings; anything malformed spoils the whole answer."""

from __future__ import annotations

from collections.abc import Callable

from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.values.findings import SEVERITIES, Finding, Severity
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex, PositionEncoding, Range
from understudy.values.verdicts import Reason


@frozen(slots=True)
class Proof:
    """Diagnostics that a freshness rule has accepted, in the server's own positions."""

    diagnostics: list[Json]
    encoding: PositionEncoding


class Malformed(Exception):
    """A diagnostic is not what the protocol says."""


def proof_of(items: Json, encoding: PositionEncoding) -> Proof | Reason:
    """Accept a list of diagnostics; its items are looked at by `findings_of`."""
    if not isinstance(items, list):
        return Reason("unproven", "the server's answer holds no list of diagnostics")
    return Proof(items_of(items), encoding)


def findings_of(
    proof: Proof, path: str, server: str, index: Callable[[], LineIndex]
) -> tuple[Finding, ...]:
    """The findings, sorted; `index` gives the lines of the text that was shown.

    Ranges are moved to the nearest that exist in the text. Raises Malformed.
    """
    return tuple(finding for finding, _ in told_of(proof, path, server, index))


def told_of(
    proof: Proof, path: str, server: str, index: Callable[[], LineIndex]
) -> list[tuple[Finding, Json]]:
    """The findings, sorted, each with the diagnostic that it is made of; raises Malformed."""
    if not proof.diagnostics:
        return []
    lines, items = index(), proof.diagnostics
    try:
        found = [(_finding(one, path, server, lines, proof.encoding), one) for one in items]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Malformed(f"the server sent a malformed diagnostic ({error!r})") from error
    return sorted(found, key=lambda told: _order(told[0]))


def severity_of(number: Json) -> Severity:
    """The word for a number of the protocol; a missing one is an error, as clients may decide."""
    if number is None:
        return "error"
    if number not in (1, 2, 3, 4):
        raise ValueError(f"severity {number!r}")
    return SEVERITIES[number - 1]


def code_of(code: Json) -> str | None:
    """A code as text: number, text, or the older `{value}` form."""
    if isinstance(code, dict):
        code = fields_of(code).get("value")
    return None if code is None or code == "" else str(code)


def _finding(
    item: Json, path: str, server: str, lines: LineIndex, encoding: PositionEncoding
) -> Finding:
    start, end = item["range"]["start"], item["range"]["end"]
    source = item.get("source")
    return Finding(
        path=path,
        range=Range(
            lines.clamped(_whole(start["line"]), _whole(start["character"]), encoding),
            lines.clamped(_whole(end["line"]), _whole(end["character"]), encoding),
        ),
        severity=severity_of(item.get("severity")),
        code=code_of(item.get("code")),
        source=None if source is None else str(source),
        message=_message(item["message"]),
        server=server,
    )


def _message(message: Json) -> str:
    if isinstance(message, dict):  # MarkupContent, proposed for a later protocol
        message = fields_of(message).get("value")
    if not isinstance(message, str):
        raise TypeError("message")
    return message


def _whole(number: Json) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError("position")
    return number


def _order(finding: Finding) -> tuple[Range, int, str, str]:
    severity = SEVERITIES.index(finding.severity)
    return (finding.range, severity, finding.code or "", finding.message)
