"""Which silencings an edit adds: what is moved, laid out anew or renamed adds nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from understudy.findings.silencing.change import SilencingChange
from understudy.findings.silencing.forms import Form, TestCase

_MOST_PAIRS = 100_000
"""Forms of one name that are compared one by one; of more, only the equal ones are matched."""


def added_forms(changes: Sequence[SilencingChange]) -> list[Form]:
    """The silencings after that none before accounts for, over all files of the edit."""
    old = _by_name(form for change in changes for form in change.old)
    new = _by_name(form for change in changes for form in change.new)
    added: list[Form] = []
    for name in {**new, **old}:
        come, gone = new.get(name, []), old.get(name, [])
        if (come or gone)[0].when == "gone":
            come, gone = gone, come
        added += _unmatched(gone, come)
    added += _from_tests(changes)
    return sorted(added, key=lambda form: (form.path, form.line, form.how, form.what))


def _by_name(forms: Iterator[Form]) -> dict[str, list[Form]]:
    found: dict[str, list[Form]] = {}
    for form in forms:
        found.setdefault(form.name, []).append(form)
    return found


def _unmatched(old: list[Form], new: list[Form]) -> list[Form]:
    """What is left of `new` after passes from the surest likeness to the weakest."""
    for is_alike in (_equal_here, _equal):
        old, new = _pass_equal(old, new, is_alike)
    for is_alike in (_same_block, _like_here, _like):
        if not old or not new or len(old) * len(new) > _MOST_PAIRS:
            break
        left: list[Form] = []
        for form in new:
            twin = next((o for o in old if o.covers(form) and is_alike(o, form)), None)
            if twin is None:
                left.append(form)
            else:
                old = [one for one in old if one is not twin]
        new = left
    return new


def _pass_equal(
    old: list[Form], new: list[Form], key: Callable[[Form], object]
) -> tuple[list[Form], list[Form]]:
    waiting: dict[object, list[Form]] = {}
    for form in old:
        waiting.setdefault(key(form), []).append(form)
    left: list[Form] = []
    for form in new:
        twins = waiting.get(key(form), [])
        twin = next((twin for twin in twins if twin.covers(form)), None)
        if twin is None:
            left.append(form)
        else:
            twins.remove(twin)
    return [form for twins in waiting.values() for form in twins], left


def _equal_here(form: Form) -> object:
    return form.path, form.words


def _equal(form: Form) -> object:
    return form.words


def _same_block(old: Form, new: Form) -> bool:
    if old.path != new.path or old.block is None or old.block != new.block:
        return False
    return _shared(old, new) >= min(len(old.words), len(new.words)) / 2


def _like_here(old: Form, new: Form) -> bool:
    return old.path == new.path and _likeness(old.words, new.words) >= 0.6


def _like(old: Form, new: Form) -> bool:
    return _likeness(old.words, new.words) >= 0.8


def _shared(old: Form, new: Form) -> int:
    return len(old.words & new.words)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _from_tests(changes: Sequence[SilencingChange]) -> Iterator[Form]:
    """Tests that are gone, and those that check nothing any more."""
    old = [test for change in changes for test in change.old_tests]
    new = [test for change in changes for test in change.new_tests]
    left = frozenset(word for change in changes for word in change.words_left)
    yield from _emptied(old, new)
    gone = _gone(old, new, left)
    files = {change.path for change in changes if change.is_gone}
    for path in sorted(files):
        tests = [test for test in gone if test.path == path]
        if tests:
            what = f"{len(tests)} test{'s' if len(tests) > 1 else ''}, with the file"
            yield _form(tests[0], "deleted-test", what, 0)
    for test in gone:
        if test.path not in files:
            yield _form(test, "deleted-test", test.name, test.line)


def _emptied(old: Sequence[TestCase], new: Sequence[TestCase]) -> Iterator[Form]:
    """A test that did something and has no statement now, or that lost its checks for nothing."""
    n_new = Counter((test.path, test.name) for test in new)
    before: dict[tuple[str, str], list[TestCase]] = {}
    for test in old:
        before.setdefault((test.path, test.name), []).append(test)
    for test in new:
        was = before.get((test.path, test.name), [])
        if len(was) != 1 or n_new[test.path, test.name] != 1:
            continue
        lost = was[0].has_checks and not test.has_checks and test.telling <= was[0].words
        if (test.is_blank and not was[0].is_blank) or lost:
            yield _form(test, "emptied-test", test.name, test.line)


def _gone(old: Sequence[TestCase], new: Sequence[TestCase], left: frozenset[str]) -> list[TestCase]:
    """The tests that no test after has the name of, or most of the words of."""
    names = Counter(test.name for test in new)
    missing: list[TestCase] = []
    for test in old:
        if names[test.name] > 0:
            names[test.name] -= 1
        else:
            missing.append(test)
    known = {test.name for test in old}
    come = [test for test in new if test.name not in known]
    come += [test for test in new if test.name in known and test.block is not None]
    if len(missing) * len(come) > _MOST_PAIRS:
        come = []
    return [
        test
        for test in missing
        if not frozenset(re.findall(r"\w+", test.name)) <= left
        if not any(_lives_on(test, other) for other in come)
    ]


def _lives_on(test: TestCase, other: TestCase) -> bool:
    """Whether most of a test is in another one: it was renamed, or both were made one.

    Of one whose name is much the same, half is enough.
    """
    shared = len(test.words & other.words) / len(test.words)
    if shared >= 0.5 and test.path == other.path:
        return shared >= 0.65 or SequenceMatcher(None, test.name, other.name).ratio() >= 0.85
    return shared >= 0.65


def _form(test: TestCase, how: str, what: str, line: int) -> Form:
    assert how in ("deleted-test", "emptied-test")
    return Form(test.path, how, how, what, line, line, line, "none")
