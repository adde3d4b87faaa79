"""Which files are tests, by the names that the runners of each language look for."""

from __future__ import annotations

import re

_NAMES = (
    r"test_[^/]*\.py",  # pytest, unittest
    r"[^/]*_test\.(?:py|go|cc|cpp|cxx|c)",  # pytest, go test, GoogleTest by habit
    r"[^/]*[._-](?:test|spec)s?\.(?:[cm]?[jt]sx?|vue|svelte)",  # Jest, Vitest, Mocha, Jasmine
    r"[^/]*(?:Test|Tests|_unittest)\.(?:cc|cpp|cxx|c)",
)
_FOLDERS = (
    r"__tests__/(?:[^/]*/)*[^/]*\.[cm]?[jt]sx?",  # Jest
    r"tests/[^/]*\.rs",  # cargo's integration tests
    r"tests/[^/]*/main\.rs",
)
_TEST = re.compile("|".join(rf"(?:^|.*/){form}" for form in (*_NAMES, *_FOLDERS)))


def is_test(path: str) -> bool:
    """Whether a root-relative path is a file that a runner takes for tests."""
    return _TEST.fullmatch(path) is not None
