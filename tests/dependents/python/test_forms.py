"""What an edit of Python may reach, form by form; `tests/agreement` asks checkers, too."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import edits_between, reach_of
from tests.support.python_forms import PythonForm, python_forms


@pytest.mark.parametrize("form", python_forms(), ids=lambda form: "_".join(form.before))
def test_what_an_edit_may_reach(form: PythonForm):
    edited = form.edited()
    assert edited
    there = reach_of(form.before, edits_between(form.before, form.after))
    assert there.keys() - edited == form.expected
    back = reach_of(form.after, edits_between(form.after, form.before))
    assert back.keys() - edited == form.expected
