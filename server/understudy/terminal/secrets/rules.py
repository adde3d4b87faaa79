"""The rules for secrets: gitleaks' and ours, each with what tells quickly that it may apply.

A rule is tried on a line only if one of its words is in it, and lines are looked at only where one
pattern made of all gates matches: ordinary output costs that one search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cache, cached_property
from importlib.resources import files

from understudy.terminal.secrets import named_values, token_shapes
from understudy.terminal.secrets.linear import Pattern
from understudy.values.frozen import frozen

Span = tuple[int, int]
Judge = Callable[[Sequence[str | None]], bool]
"""Says of a match's groups, the whole match first, whether there is a secret in it."""

_RUN = r"\b[a-z]{2,12}(?:[_-][a-z0-9]{1,10}){0,3}[_-][A-Za-z0-9]{28,}"
_RUN_GATE = "[a-z0-9][_-][A-Za-z0-9]{28}"
_VARIABLE = re.compile(
    "(?:^|_)(?:\\w*KEY|PAT|PASS|DSN)$|SECRET|TOKEN|PASSW|PASSPHRASE|PWD|CREDENTIAL"
)
_HEAD = re.compile(r"(?:[A-Za-z0-9_-]|\\\.)+(?![A-Za-z0-9_?*+{|-])")
"""The characters that every secret of a shape begins with."""

_N_BASE64 = 20
_BASE64 = re.compile(r"[A-Za-z0-9+/]*")


@frozen
class Rule:
    """What one kind of secret looks like.

    `words` (in lower case): one must be in the line; none: every line is tried. `gate` matches
    wherever the rule may. The secret is the first group from `group` on that took part in the
    match, or the whole match.
    """

    kind: str
    pattern: str
    words: Sequence[str] = ()
    gate: str | None = None
    group: int = 0
    judge: Judge | None = None
    is_shape: bool = False
    """Whether its look alone tells: not within a long piece of base64, where anything stands."""

    @cached_property
    def compiled(self) -> Pattern:
        """Compiled when it is first needed; raises BadInput `bad-pattern`."""
        return Pattern(self.pattern)

    def secrets(self, text: str, data: bytes) -> Iterator[Span]:
        """The places of its secrets in a line, in characters; `data` is the line in UTF-8."""
        for groups in self.compiled.matches(data):
            chosen = next((g for g in groups[self.group :] if g[0] >= 0 and self.group), groups[0])
            if self.judge is not None:
                said = [data[a:b].decode("utf-8", "ignore") if a >= 0 else None for a, b in groups]
                if not self.judge(said):
                    continue
            start, end = chosen
            if len(text) != len(data):
                start, end = (len(data[:at].decode("utf-8", "ignore")) for at in chosen)
            if not (self.is_shape and _is_inside_base64(text, start)):
                yield start, end


@frozen
class Rules:
    """Some rules, and the one search that says whether any may apply to a text."""

    rules: Sequence[Rule]
    gate: Pattern = field(init=False)

    def __post_init__(self) -> None:
        gates = dict.fromkeys(rule.gate or rule.pattern for rule in self.rules)
        object.__setattr__(self, "gate", Pattern("|".join(f"(?:{gate})" for gate in gates)))

    def secrets(self, line: str) -> Iterator[tuple[int, int, str]]:
        """The places of all secrets in a line, each with its kind; they may overlap."""
        data, lowered = line.encode("utf-8"), line.lower()
        for rule in self.rules:
            if not rule.words or any(word in lowered for word in rule.words):
                for start, end in rule.secrets(line, data):
                    if start < end:
                        yield start, end, rule.kind or kind_of(line[start:end])


@cache
def built_in() -> Rules:
    """Every rule that is always there."""
    return Rules((*_shapes(), *_named(), *_gitleaks()))


def unfinished(line: str) -> int | None:
    """Where something begins, at the end of a line, that may become one of the shapes."""
    data = line.encode("utf-8", "replace")
    starts = [groups[1][0] for groups in _unfinished().matches(data)]
    return len(data[: starts[0]].decode("utf-8", "ignore")) if starts else None


def own_rule(pattern: str) -> Rule:
    """The rule of a pattern that the user has set; raises what `Pattern` does.

    A pattern with one group takes that out, any other its whole match.
    """
    compiled = Pattern(pattern)
    return Rule("own", pattern, group=1 if compiled.n_groups == 1 else 0)


def literal_rule(kind: str, text: str) -> Rule:
    """The rule that takes out one known text."""
    return Rule(kind, re.escape(text))


def kind_of(secret: str) -> str:
    """Which of the shapes it is."""
    for kind, shape in _compiled_shapes():
        if shape.is_whole(secret.encode("utf-8", "replace")):
            return kind
    return "token"


def _shapes() -> Iterator[Rule]:
    every = "|".join(f"(?:{shape})" for _, shape in token_shapes.SHAPES)
    gate = "|".join(token_shapes.GATES)
    yield Rule("", rf"(?:\b|\\[nrt])({every})", (), gate, 1, is_shape=True)
    yield Rule("token", _RUN, (), _RUN_GATE, judge=_is_random_run, is_shape=True)


def _named() -> Iterator[Rule]:
    words = ("secret", "token", "passw", "passphrase", "pwd", "credential", "key", "pat", "pass",
             "dsn", "auth")  # fmt: skip
    gate = named_values.GATE
    yield Rule("password", r"://[^\s/:@\"']{0,256}:([^\s\"'/]+)@", ("://",), "://[^ /@]{0,256}:", 1,
               _is_no_stand_in)  # fmt: skip
    yield Rule("password", r"://([^\s/:@\"']{16,}):?@", ("://",), "://[^ /:@]{16,256}:?@", 1,
               _has_digit)  # fmt: skip
    yield Rule(
        "bearer", r"(?i)\bauthorization\\?[\"']?\s{0,2}[:=]\s{0,2}\\?[\"']?"
        r"(?:[a-z][a-z-]{2,20}\s+)?(?:token=)?[\"']?([\w.~+/:|-]{8,}=*)", ("authorization",),
        "(?i:authorization)", 1,
    )  # fmt: skip
    yield Rule("bearer", r"(?i)\bbearer ([\w.~+/|-]{16,}=*)", ("bearer",), "(?i:bearer )", 1,
               _is_bearer)  # fmt: skip
    yield Rule("basic", r"(?i)\bbasic ([A-Za-z0-9+/]{12,}={1,2})", ("basic",), "(?i:basic )", 1)
    yield Rule(
        "value", r"(?i)[?&;](?:key|sig|signature|auth|x-amz-signature|x-goog-signature|"
        r"x-amz-credential)=([\w%+/.~-]{16,}=*)", ("=",),
        "(?i:[?&;](?:key|sig|signature|auth|x-[a-z-]+)=)", 1, _has_digit,
    )  # fmt: skip
    yield Rule(
        "value", r"(?i)\b(?:cookie|set-cookie)\\?[\"']?:\s{0,2}\\?[\"']?[^\s=]{1,60}"
        r"=([^;\s\"']{16,})", ("cookie",), "(?i:cookie)", 1, _has_digit,
    )  # fmt: skip
    yield Rule(
        "password", r"\b(?:sshpass|docker login|podman login|mysql\w*|mariadb\w*)\b.{0,200}?"
        r"\s-(?:p|-password[ =])[ =]?['\"]?([^\s'\"-][^\s'\"]{3,})",
        ("sshpass", " login", "mysql", "mariadb"), "(?:sshpass|r login|n login|mysql|mariadb)", 1,
    )  # fmt: skip
    yield Rule("value", named_values.QUOTED, words, gate, 2, _is_quoted_secret)
    yield Rule("value", named_values.PLAIN, words, gate, 2, _is_plain_secret)
    yield Rule("value", named_values.ENVIRONMENT, words, gate, 2, _is_environment_secret)
    yield Rule("value", named_values.FLAG, words, gate, 2, _is_plain_secret)


def _gitleaks() -> Iterator[Rule]:
    content = files("understudy.terminal.secrets").joinpath("gitleaks.json").read_text("utf-8")
    for rule in json.loads(content)["rules"]:
        yield Rule(
            rule["name"], rule["pattern"], tuple(rule["words"]), rule["gate"], rule["group"],
            _has_digit if rule["by_name"] else None, is_shape=not rule["by_name"],
        )  # fmt: skip


@cache
def _unfinished() -> Pattern:
    heads = [_HEAD.match(shape) for _, shape in token_shapes.SHAPES]
    known = [head[0] for head in heads if head is not None and len(head[0]) > 2]
    begun = "|".join((*known, *token_shapes.GATES))
    return Pattern(rf"(?:^|\W)((?:{begun})[\w.+/=~-]*)$")


@cache
def _compiled_shapes() -> Sequence[tuple[str, Pattern]]:
    return tuple((kind, Pattern(shape)) for kind, shape in token_shapes.SHAPES)


def _is_inside_base64(text: str, start: int) -> bool:
    """Whether the text goes on around a place as an image in base64 does."""
    if start <= _N_BASE64 or text[start - 1] not in "+/":
        return False
    before = text[start - _N_BASE64 - 1 : start - 1]
    kinds = (str.isupper, str.islower, str.isdigit)
    return _BASE64.fullmatch(before) is not None and all(any(map(kind, before)) for kind in kinds)


def _has_digit(groups: Sequence[str | None]) -> bool:
    secret = next((group for group in groups[1:] if group is not None), groups[0]) or ""
    return any(map(str.isdigit, secret))


def _is_no_stand_in(groups: Sequence[str | None]) -> bool:
    return not named_values.is_stand_in(groups[1] or "")


def _is_bearer(groups: Sequence[str | None]) -> bool:
    return _has_digit(groups) and _is_no_stand_in(groups)


def _is_random_run(groups: Sequence[str | None]) -> bool:
    return named_values.is_random_run(groups[0] or "")


def _is_quoted_secret(groups: Sequence[str | None]) -> bool:
    value = next((group for group in groups[2:] if group is not None), "")
    return named_values.is_secret(groups[1] or "", value, is_quoted=True)


def _is_plain_secret(groups: Sequence[str | None]) -> bool:
    return named_values.is_secret(groups[1] or "", groups[2] or "", is_quoted=False)


def _is_environment_secret(groups: Sequence[str | None]) -> bool:
    name = groups[1] or ""
    is_named = re.search(
        r"(?:^|_)(?:\w*KEY|PAT|PASS|DSN)$|SECRET|TOKEN|PASSW|PASSPHRASE|PWD|CREDENTIAL", name
    )
    return is_named is not None and named_values.is_secret(name, groups[2] or "", is_quoted=False)
