"""Edits whose one finding names its edit, so that a stale or a foreign answer is told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.support.kits import SAMPLES
from tests.support.sample import Language
from understudy.values.findings import Finding

_MARKER = re.compile(r"undefined_\w+")


def marked(language: Language, text: str, name: str) -> tuple[str, str]:
    """The text with one use of a name that nothing defines, and that name: the marker."""
    marker = f"undefined_{name}"
    make = SAMPLES[language].marked
    assert make is not None, language
    return make(text, marker), marker


def markers(findings: Iterable[Finding]) -> list[str]:
    """The markers that findings name, sorted; a finding that names none gives its message."""
    return message_markers(finding.message for finding in findings)


def message_markers(messages: Iterable[str]) -> list[str]:
    """What `markers` gives, of findings' messages."""
    matches = {message: _MARKER.search(message) for message in messages}
    return sorted({message if m is None else m[0] for message, m in matches.items()})
