"""A project of which it is known what each edit breaks, whatever the user does meanwhile."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
N_MODULES, N_TEXTS = 24, 6
TYPED = "typed.py"
"""What the user types in, and never saves so."""
_FIRST, _OTHER = "main", "other"
_APART = "\n\n" + "# nobody changes this line\n" * 8
"""Between what agents change and what a formatter does: no collision of both."""
GIT_BRANCHES = (_FIRST, _OTHER)


@dataclass(frozen=True)
class State:
    """What decides who uses whom: the git branch, and the module that the typed text uses."""

    git_branch: str = _FIRST
    typed_uses: int = 0

    def users(self, number: int) -> frozenset[str]:
        """The files that import the function of a module."""
        found = {
            name_of(user) for user in range(N_MODULES) if number in uses(user, self.git_branch)
        }
        return frozenset(found | {TYPED} if number == self.typed_uses else found)


@dataclass(frozen=True)
class Asked:
    """An edit, and where errors of which it is the cause must and may be told.

    What only may be is what the user has changed while it was judged.
    """

    kind: str
    edit: Mapping[str, str]
    number: int
    breaks_itself: bool = False
    breaks_users: bool = False

    def expected(self, states: list[State]) -> tuple[frozenset[str], frozenset[str]]:
        """The files that must be told, and those that may be, by the states that there were."""
        found = [self._broken(state) for state in states]
        return frozenset.intersection(*found), frozenset.union(*found)

    def _broken(self, state: State) -> frozenset[str]:
        users = state.users(self.number) if self.breaks_users else frozenset[str]()
        return users | {self.edit["path"]} if self.breaks_itself else users


@dataclass
class History(Generic[Value]):
    """Which values there were when; one that is being left may still be seen, and the next may."""

    now: Value
    _spans: list[tuple[Value, float, float]] = field(default_factory=lambda: [])
    """Of those that were: since when, and until when."""
    _since: float = 0.0

    @contextmanager
    def becoming(self, value: Value) -> Iterator[None]:
        """The change to another value goes on within; one at a time."""
        began = time.monotonic()
        before, since = self.now, self._since
        self._spans.append((value, began, math.inf))
        try:
            yield
        finally:
            self._spans[-1] = before, since, time.monotonic()
            self.now, self._since = value, began

    def between(self, began: float, ended: float) -> set[Value]:
        """All values that may have been seen in that time."""
        spans = (*self._spans, (self.now, self._since, math.inf))
        return {value for value, since, until in spans if since <= ended and until >= began}


@dataclass
class Timeline:
    """What the user has done when."""

    git_branch: History[str] = field(default_factory=lambda: History(_FIRST))
    typed_uses: History[int] = field(default_factory=lambda: History(0))
    formatted: History[int] = field(default_factory=lambda: History(0))

    def between(self, began: float, ended: float) -> list[State]:
        """All states that may have been seen in that time."""
        branches = self.git_branch.between(began, ended)
        typed = self.typed_uses.between(began, ended)
        return [State(*both) for both in itertools.product(branches, typed)]

    def has_moved(self, began: float, ended: float) -> bool:
        """Whether the user was changing anything in that time."""
        histories = self.git_branch, self.typed_uses, self.formatted
        return any(len(one.between(began, ended)) > 1 for one in histories)


def name_of(number: int) -> str:
    """The path of a module."""
    return f"m{number}.py"


def uses(number: int, git_branch: str) -> tuple[int, ...]:
    """The modules whose functions a module uses."""
    step = 2 if git_branch == _FIRST else 3
    return tuple(sorted({number - 1, number // step} if number > 1 else set(range(number))))


def module(number: int, git_branch: str) -> str:
    """The text of a module."""
    used = uses(number, git_branch)
    imports = "".join(f"from m{one} import f{one}\n" for one in used)
    value = " + ".join(f"f{one}(a)" for one in used) or "a + 1"
    return f"{imports}\n\ndef f{number}(a: int) -> int:\n    return {value}\n{_APART}"


def typed(number: int, version: int) -> str:
    """What the user has typed."""
    return f"from m{number} import f{number}\n\nx: int = f{number}({version})\n"


def files(git_branch: str = _FIRST) -> dict[str, str]:
    """All files of the project in one of its git branches, but what is typed."""
    modules = {name_of(number): module(number, git_branch) for number in range(N_MODULES)}
    texts = {f"t{number}.txt": f"all is well in {number}\n" for number in range(N_TEXTS)}
    settings = {"pyrightconfig.json": "{}\n", ".gitignore": ""}
    return {**modules, **texts, **settings}


def some_edit(chance: Random, marker: str) -> Asked:
    """An edit by chance; `marker` is a word that nobody else uses."""
    number = chance.randrange(N_MODULES)
    path, old = name_of(number), f"def f{number}(a: int)"

    def replaced(new: str) -> Mapping[str, str]:
        return {"kind": "replace", "path": path, "old": old, "new": new}

    kind = chance.choice(("rename", "retype", "own", "harmless", "delete", "text"))
    if kind == "rename":
        return Asked(kind, replaced(f"def {marker}(a: int)"), number, breaks_users=True)
    if kind == "retype":
        new = replaced(f"def f{number}(a: str)")
        return Asked(kind, new, number, breaks_itself=True, breaks_users=True)
    if kind == "own":
        new = replaced(f"x_{marker} = {marker}\n\n\n{old}")
        return Asked(kind, new, number, breaks_itself=True)
    if kind == "harmless":
        new = replaced(f"def {marker}(a: int) -> int:\n    return a\n\n\n{old}")
        return Asked(kind, new, number)
    if kind == "delete":
        return Asked(kind, {"kind": "delete", "path": path}, number, breaks_users=True)
    text = number % N_TEXTS
    edit = {"kind": "replace", "path": f"t{text}.txt", "old": "all is well", "new": f"BAD {marker}"}
    return Asked(kind, edit, -1, breaks_itself=True)


def wrong(asked: Asked, states: list[State], report: Mapping[str, Any]) -> str | None:
    """What is wrong with an answer, in words; None for a right one, `unknown` is never wrong."""
    must, may = asked.expected(states)
    errors = [one for one in report["introduced"] if one["severity"] == "error"]
    told = {one["path"] for one in errors}
    unknown = {one["path"] for one in report["files"] if one["verdict"] == "unknown"}
    if told - may:
        return f"errors are told that it does not cause: {sorted(told - may)}"
    if report["fixed"]:
        return f"it mends nothing: {report['fixed']}"
    if report["verdict"] == "clean" and must:
        return f"clean, and it breaks {sorted(must)}"
    if report["verdict"] == "findings" and must - told - unknown:
        return f"not told: {sorted(must - told - unknown)}"
    if report["verdict"] == "findings" and not told:
        return "findings without one"
    return None
