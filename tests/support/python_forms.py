"""Small projects of Python with an edit each, as `python_forms.txt` has them.

All can lie in one folder: names that end in `_` get the number of their form, so one process of a
checker a side looks at all of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FORMS = Path(__file__).with_name("python_forms.txt").read_text(encoding="utf-8")
_SECTION = re.compile(r"^\n# .*\n", re.MULTILINE)


class PythonForm(NamedTuple):
    """An edit of a small project: its files before and after, and the others that it may reach."""

    before: dict[str, str]
    after: dict[str, str]
    expected: frozenset[str]

    @classmethod
    def of(cls, number: int, text: str) -> PythonForm:
        """The form that a block of the file of forms describes."""
        numbered = re.sub(r"\b([a-z]+)_(?=\W)", rf"\g<1>_{number:03}", text)
        expected, _, rest = numbered.partition("\n")
        return cls(_files(rest, 0), _files(rest, 1), frozenset(expected.split()))

    def edited(self) -> set[str]:
        """The files that the edit touches."""
        paths = {*self.before, *self.after}
        return {path for path in paths if self.before.get(path) != self.after.get(path)}


def _files(text: str, side: int) -> dict[str, str]:
    """The files of a form: as they are before the edit, or after it."""
    one = re.sub("«(.*?)→(.*?)»", lambda match: match[1 + side], text, flags=re.DOTALL)
    parts = re.split(r"^== (\S+)\n", one, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def python_forms() -> list[PythonForm]:
    """All forms, in the order of their numbers."""
    blocks = _SECTION.sub("", FORMS).split(">>>")[1:]
    return [PythonForm.of(number, block) for number, block in enumerate(blocks)]
