"""Takes secrets out of text before it reaches the disk, and counts them.

Lines are looked at closely only when one of a few literal words is in them, so ordinary output
costs a handful of searches. What is taken out is replaced by `[REDACTED:kind:length]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Rule = tuple[str, tuple[str, ...], re.Pattern[str]]
"""Kind, the words of which one must be in the line (none: every line), and the pattern.

A pattern with one group takes that out, any other its whole match.
"""

_RULES: Sequence[Rule] = (
    (
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ),
    ("github", ("github_pat_",), re.compile(r"\bgithub_pat_\w{22,}")),
    ("gitlab", ("glpat-",), re.compile(r"\bglpat-[\w-]{20,}")),
    ("aws", ("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("slack", ("xox",), re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("key", ("sk-", "sk_live_"), re.compile(r"\bsk(?:-|_live_)(?=[\w-]*\d)[A-Za-z0-9_-]{20,}")),
    ("google", ("AIza",), re.compile(r"\bAIza[\w-]{35}")),
    ("npm", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("pypi", ("pypi-",), re.compile(r"\bpypi-AgE[\w-]{50,}")),
    ("jwt", ("eyJ",), re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    ("password", ("://",), re.compile(r"(?<=://)[^\s/:@]*:([^\s/@]+)(?=@)")),
    ("bearer", ("earer ",), re.compile(r"\b[Bb]earer ((?=[^ ]*\d)[\w.~+/-]{16,}=*)")),
    ("basic", ("asic ",), re.compile(r"\b[Bb]asic ([A-Za-z0-9+/]{12,}={1,2})")),
    (
        "value",
        ("secret", "token", "passw", "api_key", "apikey", "api-key", "access_key", "private_key",
         "SECRET", "TOKEN", "PASSW", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY"),
        re.compile(
            r"(?i)[\w-]*(?:secret|token|passw(?:or)?d|api[_-]?key|access_key|private_key)[\w-]*"
            r"[\"']?(?:=|: ?)[\"']?((?=[^\s\"',;]*\d)(?=[^\s\"',;]*[a-z])[^\s\"',;()<>\[\]{}]{8,})"
        ),
    ),
)  # fmt: skip

_KEY_BEGIN = "PRIVATE KEY-----"
_KEY = re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----)")
_KEY_END = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")


def own_rule(pattern: re.Pattern[str]) -> Rule:
    """The rule of a pattern that the user has set."""
    return ("own", (), pattern)


def literal_rule(kind: str, text: str) -> Rule:
    """The rule that takes out one known text."""
    return (kind, (text,), re.compile(re.escape(text)))


class Redactor:
    """Redacts a text that comes in pieces of whole lines; `count` is how many secrets it took."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.count = 0
        self._rules = (*_RULES, *rules)
        self._in_key = False

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        if self._in_key or _KEY_BEGIN in text:
            text = "".join(self._without_keys(line) for line in text.splitlines(keepends=True))
        for kind, words, pattern in self._rules:
            if not words or any(word in text for word in words):
                text = self._replace(text, kind, words, pattern)
        return text

    def peek(self, text: str) -> str:
        """The same for text that may come again: nothing is counted or remembered."""
        count, in_key = self.count, self._in_key
        text = self.redact(text)
        self.count, self._in_key = count, in_key
        return text

    def _replace(self, text: str, kind: str, words: Sequence[str], pattern: re.Pattern[str]) -> str:
        """Apply one rule to the lines that have one of its words."""
        lines = text.split("\n")
        for index, line in enumerate(lines):
            if not words or any(word in line for word in words):
                lines[index] = pattern.sub(lambda found: self._stand_in(kind, found), line)
        return "\n".join(lines)

    def _stand_in(self, kind: str, found: re.Match[str]) -> str:
        group = 1 if found.re.groups == 1 and found[1] is not None else 0
        secret = found[group]
        if not secret or secret.startswith("[REDACTED:"):
            return found[0]
        self.count += 1
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return f"{found[0][:start]}[REDACTED:{kind}:{len(secret)}]{found[0][end:]}"

    def _without_keys(self, line: str) -> str:
        if self._in_key:
            end = _KEY_END.search(line)
            if end is None:
                return "[REDACTED:private-key:line]\n"
            self._in_key = False
            return line[end.start() :]
        begin = _KEY.search(line)
        if begin is not None and not _KEY_END.search(line, begin.end()):
            self._in_key = True
            self.count += 1
            return line[: begin.end()] + "\n"
        return line
