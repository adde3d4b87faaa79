"""What an edit of a script may reach, form by form; `tests/agreement` asks the compiler, too."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import edits_between, reach_of
from tests.support.script_forms import USUAL, Form
from tests.support.script_forms_rare import RARE
from tests.support.script_forms_spaces import SPACES

FORMS = (*USUAL, *RARE, *SPACES)


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_an_edit_reaches_those_who_see_it(form: Form):
    found = reach_of(form.files, edits_between(form.files, form.after))
    assert found.keys() - form.changes.keys() == set(form.reached.split())
