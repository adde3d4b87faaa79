"""What a server is asked when its profile is proven, and what it has to answer.

Each branch has its one error, if any, on a line and with a name of its own: an answer of another
branch, an old answer and an empty one are all told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from understudy.langserver.proven.kit import Kit, fill
from understudy.values.findings import Finding, counts
from understudy.values.frozen import frozen
from understudy.values.verdicts import Answer

MARK = "us_mark_"
Outcome = Literal["right", "unknown", "wrong"]
Edits = Mapping[str, "str | None"]


@frozen
class KitQuestion:
    """A text that a branch has, the file that is asked about, and what must be found there.

    lines: where something must be found, and nowhere else; empty: nothing may be; None: anything
    at all must be. marker: the name of ours that may stand in a message.
    """

    path: str
    edits: Edits
    lines: range | None
    marker: str = ""

    def outcome(self, answer: Answer, kit: Kit) -> Outcome:
        """Whether an answer is right."""
        if answer.findings is None:
            return "unknown"
        found = [one for one in answer.findings if counts(one.severity, kit.severity)]
        return "right" if self._fits(found) else "wrong"

    def is_missed(self, answer: Answer, kit: Kit) -> bool:
        """Whether what has to be found is not, whatever else is."""
        found = [one for one in answer.findings or () if counts(one.severity, kit.severity)]
        if self.lines is None:
            return not found
        found = [one for one in found if one.range.start.line in self.lines]
        return bool(self.lines) and not any(self._is_own(one.message) for one in found)

    def _is_own(self, message: str) -> bool:
        """Whether a message has no name of another branch."""
        return MARK not in (message.replace(self.marker, "") if self.marker else message)

    def _fits(self, found: list[Finding]) -> bool:
        if self.lines is None:
            return bool(found)
        if not all(self._is_own(one.message) for one in found):
            return False
        places = [one.range.start.line for one in found]
        return bool(places) == bool(self.lines) and all(place in self.lines for place in places)

    def wanted(self) -> str:
        """What had to be answered, in words."""
        if self.lines is None:
            return "a finding"
        if not self.lines:
            return "nothing"
        return f"a finding in line {self.lines.start + 1}"


def branch_text(kit: Kit, number: int) -> tuple[str, range, str]:
    """The text of a branch, the lines of its error, and the error's name; every fourth has none."""
    n_filled = number % 11 + 1
    if number % 4 == 3:
        return kit.text(None, n_filled), range(0), ""
    marker = f"{MARK}{number}x"
    text = kit.text(marker, n_filled)
    first = kit.text(None, n_filled).removesuffix(kit.tail).count("\n")
    n_wrong = fill(kit.wrong, marker=marker).rstrip("\n").count("\n") + 1
    return text, range(first, first + n_wrong), marker


def alone(kit: Kit, number: int, path: str) -> KitQuestion:
    """A branch that differs from the disk in the asked file alone."""
    text, lines, marker = branch_text(kit, number)
    return KitQuestion(path, {path: text}, lines, marker)


def definition(kit: Kit, number: int, *, broken: bool) -> str:
    """The text of the module that defines, so that every use is wrong (`broken`) or right."""
    template = kit.broken if broken else kit.definition
    return fill(template, name="us_name", number=number, module="us_lib")


def use(kit: Kit, module: str = "us_lib") -> str:
    """The text of a file that uses what that module defines."""
    return fill(kit.use, name="us_name", module=module)


def across(kit: Kit, number: int, path: str, more: Edits | None = None) -> KitQuestion:
    """A branch that edits the module alone, and is asked about a file that uses it."""
    broken = number % 2 == 0
    edits = {kit.module_path("us_lib"): definition(kit, number, broken=broken), **(more or {})}
    return KitQuestion(path, edits, None if broken else range(0))


def project(kit: Kit) -> dict[str, str]:
    """The files of a project of the kit: three files alone, and users of a module."""
    files = dict(kit.files)
    for name in ("us_one", "us_two", "us_three"):
        files[kit.path(name)] = kit.text(None, 1)
    files[kit.path("us_wrong")] = kit.text(f"{MARK}disk", 3)
    if kit.crosses_files:
        files[kit.module_path("us_lib")] = definition(kit, 0, broken=False)
        for name in ("us_user", "us_other", "us_third"):
            files[kit.path(name)] = use(kit)
        if kit.names_files:
            files[kit.path("us_wants")] = use(kit, "us_extra")
    return files
