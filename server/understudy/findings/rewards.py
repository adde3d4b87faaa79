"""A score: what is known of a patch as a reward for who learns, each fact a field of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from math import isfinite
from typing import Literal, cast

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen


@frozen
class Weights:
    """How the facts of a score become one number: shares, of which only proportions count.

    `unverified` is the most that a patch earns which nobody could verify; it is below 1.
    Raises BadInput `bad-weights`.
    """

    fail_to_pass: float = 0.2
    pass_to_pass: float = 0.6
    lints: float = 0.2
    unverified: float = 0.5

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not isinstance(value, int | float) or not isfinite(value) or value < 0:
                raise BadInput("bad-weights", "a weight is a number, at least 0", one.name)
        if self.unverified >= 1:
            text = "what nobody could verify never earns 1: it is less"
            raise BadInput("bad-weights", text, "unverified")
        if self.lints <= 0:
            raise BadInput("bad-weights", "findings always count: it is more than 0", "lints")


@frozen
class Score:
    """What is known of a patch, and its reward from 0 to 1.

    Rates are None where no tests were asked for; `resolved` is that all named tests pass, and that
    none is broken. What learners exploit is a count each: `silenced` earns nothing for lints, any
    other of `deleted_tests`, `emptied_tests`, `skipped_tests`, `tampered` (what watches or steers
    the runner of the tests) and `empty` (no code was changed) makes the reward 0. `unread` are
    changed files that could not be looked through for those. `why` says what it lost, in words.
    """

    verdict: Literal["clean", "findings", "unknown", "refused"]
    reward: float = 0.0
    verified: bool = False
    resolved: bool | None = None
    fail_to_pass: float | None = None
    pass_to_pass: float | None = None
    introduced: int = 0
    milder: int = 0
    fixed: int = 0
    hidden: int = 0
    unknown: int = 0
    silenced: int = 0
    deleted_tests: int = 0
    emptied_tests: int = 0
    skipped_tests: int = 0
    tampered: int = 0
    empty: bool = False
    unread: int = 0
    not_passed: tuple[str, ...] = ()
    tests_ended: bool | None = None
    refused: str | None = None
    why: tuple[str, ...] = ()
    seconds: float = 0.0


EXPLOITS = ("deleted_tests", "emptied_tests", "skipped_tests", "tampered", "empty")
"""Fields of a score any of which makes its reward 0."""


def rewarded(score: Score, weights: Weights) -> tuple[float, tuple[str, ...]]:
    """The reward of a score by its other fields, and what it has lost, in words."""
    if score.refused is not None:
        return 0.0, (f"refused: {score.refused}",)
    exploits = [name.replace("_", " ") for name in EXPLOITS if getattr(score, name)]
    if exploits:
        return 0.0, tuple(f"exploit: {name}" for name in exploits)
    why: list[str] = []
    progress = 1.0 if score.fail_to_pass is None else score.fail_to_pass
    parts = [(weights.lints, _lints(score, why))]
    if score.fail_to_pass is not None:
        parts.append((weights.fail_to_pass, 1.0))
        if progress < 1:
            why.append(f"{progress:.0%} of the tests to mend pass")
    if score.pass_to_pass is not None:
        keeps = score.pass_to_pass >= 1
        parts.append((weights.pass_to_pass, float(keeps)))
        if not keeps:
            why.append(f"{score.pass_to_pass:.0%} of the tests that passed still pass")
    if score.tests_ended is False:
        progress = 0.0
        why.append("the tests did not come to their end")
    reward = progress * sum(weight * value for weight, value in parts)
    reward /= sum(weight for weight, _ in parts)
    if not score.verified:
        why.append("nobody could verify all of it")
        reward = min(reward, weights.unverified)
    return reward, tuple(why)


def _lints(score: Score, why: list[str]) -> float:
    """What the findings leave of 1; what is silenced earns nothing."""
    if score.introduced:
        why.append(f"{score.introduced} introduced")
    if score.silenced:
        why.append(f"{score.silenced} silenced")
    if score.verdict == "unknown" or score.silenced:
        return 0.0
    return 1 / (1 + score.introduced)


def names_of_tests(raw: object, where: str) -> tuple[str, ...]:
    """Names of tests: a list, or one as JSON, as SWE-bench has it; raises BadInput `bad-tests`."""
    if isinstance(raw, str):
        try:
            raw = json.loads(raw or "[]")
        except ValueError as error:
            raise BadInput(
                "bad-tests", f"expected a list of names as JSON: {error}", where
            ) from error
    if raw is None:
        return ()
    names = cast("Sequence[object]", raw) if isinstance(raw, Sequence) else None
    if (
        names is None
        or isinstance(raw, str)
        or not all(isinstance(one, str) and one for one in names)
    ):
        raise BadInput("bad-tests", "expected a list of names of tests", where)
    return tuple(cast("Sequence[str]", names))
