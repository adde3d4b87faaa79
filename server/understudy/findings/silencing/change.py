"""What one changed file brings and loses: the silencings and tests whose lines are not the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from understudy.findings.line_map import LineMap, line_map
from understudy.findings.silencing.forms import Form, TestCase, forms_of, tests_of
from understudy.findings.silencing.rules import LanguageRules, rules
from understudy.syntax.queries import QueriedText, queried
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts

T = TypeVar("T", Form, TestCase)


@frozen
class TwoTexts:
    """A changed file: its text on both sides, None where there is none; `path` is the one after.

    `path_before` is another one where the file was renamed.
    """

    path: str
    before: str | None
    after: str | None
    was_test: bool
    is_test: bool
    path_before: str = ""

    @property
    def language(self) -> LanguageRules | None:
        """The rules for the file: as it is, or as it was if it has become something else."""
        return rules().language_of(self.path) or rules().language_of(self.path_before)

    @property
    def leaves_tests(self) -> bool:
        """Whether the runner of its language no longer looks for tests in it."""
        return self.was_test and not self.is_test


@frozen
class SilencingChange:
    """Of a file: what silences before and after, without what stands on unchanged lines.

    `words_left` are all words of the text after where no parser understands it: a test that it
    still names may still be there.
    """

    path: str
    is_gone: bool = False
    old: tuple[Form, ...] = ()
    new: tuple[Form, ...] = ()
    old_tests: tuple[TestCase, ...] = ()
    new_tests: tuple[TestCase, ...] = ()
    words_left: frozenset[str] = frozenset()


def may_matter(texts: TwoTexts) -> bool:
    """Whether a line that could silence came or went, or a test can have: nothing is parsed."""
    language = texts.language
    if language is None:
        return False
    if texts.before == texts.after:
        return texts.leaves_tests
    if texts.is_test or texts.was_test:
        return True
    if language.tests_anywhere and "test" in (texts.before or ""):
        return True
    hint = re.compile(language.hint)
    before = Counter(line_texts(texts.before or ""))
    after = Counter(line_texts(texts.after or ""))
    return any(hint.search(line) for lines in (after - before, before - after) for line in lines)


def change_of(texts: TwoTexts) -> SilencingChange | None:
    """Read both sides of a file; None where nothing in it can silence."""
    language = texts.language
    if language is None:
        return None
    is_code = rules().language_of(texts.path) is not None
    before, after = (
        _parsed(text, language) for text in (texts.before, texts.after if is_code else None)
    )
    if before is None or after is None:
        return None
    lines = line_map(texts.before or "", texts.after or "")
    old = forms_of(texts.path, before, language, is_test=texts.was_test)
    new = forms_of(texts.path, after, language, is_test=texts.is_test)
    known = {form.name for form in old}
    if texts.before is None:
        known.update(form.name for form in new)
    new = [form for form in new if form.when != "added-to-a-file" or form.name not in known]
    old, new = _without_unchanged(old, new, lines)
    old_tests: list[TestCase] = []
    new_tests: list[TestCase] = []
    if language.tests is not None and (texts.was_test or language.tests_anywhere):
        old_tests = _placed(tests_of(texts.path, before, language), lines.block_before)
    if language.tests is not None and (texts.is_test or language.tests_anywhere):
        new_tests = _placed(tests_of(texts.path, after, language), lines.block_after)
    names = frozenset(word for test in old_tests for word in re.findall(r"\w+", test.name))
    new = [form for form in new if form.when != "added-to-a-test" or form.words & names]
    left = frozenset(re.findall(r"\w+", after.text)) if after.is_broken else frozenset[str]()
    return SilencingChange(
        texts.path, texts.after is None or texts.leaves_tests, tuple(old), tuple(new),
        tuple(old_tests), tuple(new_tests), left,
    )  # fmt: skip


def _parsed(text: str | None, language: LanguageRules) -> QueriedText | None:
    return queried(language.grammar, text or "")


def _without_unchanged(
    old: Sequence[Form], new: Sequence[Form], lines: LineMap
) -> tuple[list[Form], list[Form]]:
    at: dict[tuple[str, int], list[Form]] = {}
    for form in old:
        at.setdefault((form.name, form.line), []).append(form)
    kept: list[Form] = []
    for form in new:
        line = lines.to_before(form.line)
        twins = [] if line is None else at.get((form.name, line), [])
        twin = next((twin for twin in twins if _accounts_for(twin, form)), None)
        if twin is None:
            kept.append(form)
        else:
            twins.remove(twin)
    left = [form for forms in at.values() for form in forms]
    return _placed(left, lines.block_before), _placed(kept, lines.block_after)


def _accounts_for(old: Form, new: Form) -> bool:
    return new.covers(old) if new.when == "gone" else old.covers(new)


def _placed(found: Sequence[T], block: Callable[[int], int | None]) -> list[T]:
    return [replace(one, block=block(one.line)) for one in found]
