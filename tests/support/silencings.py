"""What an edit silences by the rules alone: texts in, rows out, no server and no session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.dependents.test_files import is_test
from understudy.findings.silencing.change import TwoTexts, change_of, may_matter
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.matching import added_forms
from understudy.findings.silencing.settings import weakened


def silencings_of(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[Form]:
    """What is told of an edit where no finding has gone; paths of both sides, None for no file."""
    texts = list(_texts(before, after))
    changes = [change_of(one) for one in texts if may_matter(one)]
    found = added_forms([change for change in changes if change is not None])
    return [form for form in [*found, *weakened(texts)] if form.told == "always"]


def _texts(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> Iterable[TwoTexts]:
    for path in sorted({*before, *after}):
        yield TwoTexts(path, before.get(path), after.get(path), is_test(path), is_test(path))
