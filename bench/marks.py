"""Edits whose one finding names its edit, so that a stale or a foreign answer is told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tests.support.sample import Language
from understudy.values.findings import Finding

_MARKER = re.compile(r"undefined_\w+")
_MARKED: Mapping[Language, Callable[[str, str], str]] = {
    "python": lambda text, marker: f"{text}\n\nat_{marker} = {marker}\n",
    "typescript": lambda text, marker: f"{text}\nexport const at_{marker} = {marker};\n",
    "json": lambda text, marker: text.replace("{\n", f'{{\n  "{marker}": 1,\n', 1),
    "cpp": lambda text, marker: f'{text}\nstatic_assert({marker}, "");\n',
    "go": lambda text, marker: f"{text}\nvar _ = {marker}\n",
    "javascript": lambda text, marker: f"{text}\n{marker}();\n",
    "css": lambda text, marker: f"{text}\n.at {{\n  {marker}: 1;\n}}\n",
    "html": lambda text, marker: f"{text}\n<style>\n  .at {{ {marker}: 1; }}\n</style>\n",
    "shell": lambda text, marker: f'{text}\necho "${marker}"\n',
}


def marked(language: Language, text: str, name: str) -> tuple[str, str]:
    """The text with one use of a name that nothing defines, and that name: the marker."""
    marker = f"undefined_{name}"
    return _MARKED[language](text, marker), marker


def markers(findings: Iterable[Finding]) -> list[str]:
    """The markers that findings name, sorted; a finding that names none gives its message."""
    return message_markers(finding.message for finding in findings)


def message_markers(messages: Iterable[str]) -> list[str]:
    """What `markers` gives, of findings' messages."""
    matches = {message: _MARKER.search(message) for message in messages}
    return sorted({message if m is None else m[0] for message, m in matches.items()})
