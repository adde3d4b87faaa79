"""What watches or steers the runner of the tests, where an edit adds it: by rules that are data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from understudy.dependents.test_files import is_test
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts
from understudy.values.toml import loads
from understudy.workspace.workers import Workers

_LONGEST = 2_000
"""Characters of a line that are looked at."""
_WEIGHT = 100
"""How many times as long as comparing its lines it may take: patterns are quadratic in a text."""
_MOST_SECONDS = 10.0
_STEERS = (
    "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "sitecustomize.py", "usercustomize.py",
    "*.pth", "jest.config.*", "vitest.config.*", ".mocharc*", "karma.conf.*",
)  # fmt: skip
_TEST_FOLDERS = re.compile(r"(?:^|/)(?:tests|__tests__|__mocks__|__snapshots__)/|^(?:test|spec)/")


@frozen
class TamperingRule:
    """Of which files it is, and what in them steers."""

    files: tuple[str, ...]
    added: tuple[re.Pattern[str], ...] = ()
    whole: tuple[re.Pattern[str], ...] = ()
    gone: tuple[re.Pattern[str], ...] = ()
    tests: bool = False

    def is_about(self, path: str) -> bool:
        """Whether it is looked for in a file."""
        name = path.rpartition("/")[2]
        return any(fnmatchcase(name, form) for form in self.files) and (
            self.tests or not belongs_to_tests(path)
        )

    def count(self, before: str, after: str) -> int:
        """How much of it an edit of one file adds."""
        here = Counter(line_texts(after))
        added = "\n".join(line[:_LONGEST] for line in (here - Counter(line_texts(before))))
        known = "" if self.tests else before
        found = sum(
            form.search(added) is not None and not form.search(known) for form in self.added
        )
        found += sum(len(form.findall(after)) > len(form.findall(before)) for form in self.whole)
        return found + sum(
            len(form.findall(after)) < len(form.findall(before)) for form in self.gone
        )


async def tampering_in(
    workers: Workers, path: str, before: str | None, after: str | None
) -> int | None:
    """As `tampering_of`, beside the event loop where a text is long; None where it has no end."""
    if before == after or not any(rule.is_about(path) for rule in _rules()):
        return 0
    size = _WEIGHT * (len(before or "") + len(after or ""))
    try:
        if size < workers.inline_below:
            return await workers.run(tampering_of, path, before, after, size=size)
        return await workers.run_elsewhere(tampering_of, path, before, after, seconds=_MOST_SECONDS)
    except OutsideFailure:
        return None


def tampering_of(path: str, before: str | None, after: str | None) -> int:
    """How many ways to watch or steer the runner of the tests an edit of a file adds."""
    if before == after:
        return 0
    return sum(rule.count(before or "", after or "") for rule in _rules() if rule.is_about(path))


def belongs_to_tests(path: str) -> bool:
    """Whether a file is one of the tests': looked for by a runner, or beside those that are."""
    return is_test(path) or _TEST_FOLDERS.search(path) is not None


def steers_tests(path: str) -> bool:
    """Whether a file is one that decides what the tests say, beside the code that they test."""
    name = path.rpartition("/")[2]
    return belongs_to_tests(path) or any(fnmatchcase(name, form) for form in _STEERS)


@cache
def _rules() -> tuple[TamperingRule, ...]:
    text = files("understudy.app.reward").joinpath("tampering.toml").read_text(encoding="utf-8")
    return tuple(
        TamperingRule(
            tuple(raw["files"]),
            _forms(raw.get("added", ())),
            _forms(raw.get("whole", ())),
            _forms(raw.get("gone", ())),
            raw.get("tests", False),
        )
        for raw in loads(text)["rule"]
    )


def _forms(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.MULTILINE) for one in patterns)
