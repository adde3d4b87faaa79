"""The simulator against cases that are worked out by hand, and the rules against each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.histories import history_of
from understudy.context.messages import PromptMessage
from understudy.context.policy import Policy
from understudy.context.simulate import Prices, Prompt, as_logged, planned, simulate
from understudy.values.errors import BadInput


def prompt(at: int, *sizes: int, stable: int | None = None) -> Prompt:
    made = tuple(
        PromptMessage("user", "user", n, f"{size}", tokens=size) for n, size in enumerate(sizes, 1)
    )
    return Prompt(at, made, len(made) if stable is None else stable)


def test_by_hand() -> None:
    report = simulate([prompt(0, 100, 50), prompt(10, 100, 50, 30), prompt(20, 100, 60)])
    # all written; 150 read and 30 written; 100 read and 60 written
    assert report.cost == pytest.approx(150 * 1.25 + (15 + 30 * 1.25) + (10 + 60 * 1.25))
    assert (report.calls, report.tokens, report.peak) == (3, 490, 180)
    assert report.hit == pytest.approx(250 / 490)
    assert (report.rewrites, report.diverged) == (1, 2)


def test_a_cold_cache_is_written_again() -> None:
    warm = simulate([prompt(0, 100), prompt(299, 100)])
    cold = simulate([prompt(0, 100), prompt(300, 100)])
    assert (warm.cost, cold.cost) == (135.0, 250.0)
    assert simulate([prompt(0, 100), prompt(300, 100)], Prices(ttl=301)).cost == 135.0
    assert simulate([prompt(0, 100), prompt(1, 100)], Prices(read=0, write=1)).cost == 100.0


def test_what_is_recited_is_not_cached() -> None:
    report = simulate([prompt(0, 100, 7, stable=1), prompt(1, 100, 7, stable=1)])
    assert report.cost == pytest.approx(107 * 1.25 + 10 + 7 * 1.25)
    assert report.rewrites == 0


def test_nothing() -> None:
    report = simulate([])
    assert (report.calls, report.cost, report.hit, report.diverged) == (0, 0.0, 0.0, None)
    with pytest.raises(BadInput):
        Prices(read=-1)


def test_append_only_never_diverges() -> None:
    history = history_of(1)
    report = simulate(planned(history, Policy(rule="never")))
    assert (report.rewrites, report.diverged) == (0, None)
    assert report == simulate(as_logged(history, Policy()))


@pytest.mark.parametrize("cold", [False, True])
def test_the_break_even_rule_is_never_much_worse(cold: bool) -> None:
    """The benchmark does this for more and longer logs."""
    history = history_of(1, 14, cold=cold)
    cost = {
        rule: simulate(planned(history, replace(Policy(), rule=rule))).cost
        for rule in ("never", "batch", "cost")
    }
    assert cost["cost"] <= 1.02 * min(cost["never"], cost["batch"])
