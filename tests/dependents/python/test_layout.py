"""Lines whose depth no block has room for: a parser takes them, and Python does not."""

from __future__ import annotations

import pytest

from tests.dependents.python.test_declarations import declared

_METHOD = """\
class C:
    @property
    def name(self):
        '''A name,
    of any kind.'''
{body}
    def other(self): ...
"""


@pytest.mark.parametrize(
    ("body", "is_sound"),
    [
        ("        return 1", True),
        ("            return 1", False),  # too deep: a checker ends the class here
        ("        x = 1\n            return x", False),
        ("        if x:\n            return 1\n          # and\n        return 2", True),
        ("        if x:\n            return 1\n          return 2", False),
        ("        return f(\n    1)", True),
        ("        x = 1 + \\\n  2", True),
        ("\n        for x in y:  # type: int\n            pass", True),
        ("        if x:\n\t\tpass", False),
    ],
)
def test_a_line_that_no_block_has_room_for_makes_a_text_unsound(body: str, is_sound: bool):
    assert declared(_METHOD.format(body=body)).is_sound == is_sound
