"""The verb `simulate`: what a log's prompts cost, as they were and as a policy would have it."""

from __future__ import annotations

from dataclasses import replace

from understudy.context.policy import Policy, Rule
from understudy.context.simulate import CostReport, Prices, as_logged, planned, simulate
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace

_RULES: tuple[Rule, ...] = ("never", "batch", "cost", "auto")


@frozen
class Simulated:
    """The report of the log as it is, and one for each rule in its place."""

    logged: CostReport
    rules: dict[str, CostReport]


def simulate_log(place: ContextPlace, name: str, policy: Policy, prices: Prices) -> Simulated:
    """Replay a log; it is not changed. Raises as `HistoryLog.read`."""
    history = place.log(name).read()
    return Simulated(
        simulate(as_logged(history, policy), prices),
        {rule: simulate(planned(history, replace(policy, rule=rule)), prices) for rule in _RULES},
    )
