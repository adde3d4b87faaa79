"""Prompts of logs: what stands in them, what leaves, and that the rest never moves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.histories import history_of
from understudy.context.canonical import digest_of
from understudy.context.events import Event, History, rounds_of
from understudy.context.offload import OffloadPlan, plan_offload
from understudy.context.pack import pack
from understudy.context.policy import DEFAULT, Policy, policy_of, tokens_of
from understudy.values.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]


def place(event: Event, data: bytes) -> tuple[str, str]:
    sha256 = digest_of(data.decode("utf-8", "surrogatepass"))
    return f"tool/{event.tool}-{sha256[:16]}.txt", sha256


BATCH = Policy(rule="batch")


def log(*events: tuple[str, str], **more: str) -> History:
    return History("s", [Event(n, k, 0, t) for n, (k, t) in enumerate(events, 1)])  # type: ignore[arg-type]


def turns(n_rounds: int, size: int = 400, steps: int = 1) -> History:
    """Rounds of a call and an output each, 20 s a step."""
    made: list[Event] = [Event(1, "system", 0, "You are.")]
    for number in range(1, n_rounds + 1):
        made.append(Event(len(made) + 1, "user", 60 * number, f"turn {number}"))
        for step in range(steps):
            call, at = f"c{number}.{step}", 60 * number + step
            made.append(Event(len(made) + 1, "call", at, "{}", tool="bash", call=call))
            text = f"{number}".ljust(size, "x")
            made.append(Event(len(made) + 1, "result", at, text, tool="bash", call=call))
    return History("s", made)


def decided(history: History, plan: OffloadPlan) -> History:
    event = Event(len(history.events) + 1, "offload", items=plan.items)
    return History(history.name, [*history.events, event])


def left(history: History, plan: OffloadPlan) -> list[int]:
    """The rounds whose outputs leave."""
    rounds = rounds_of(history.events)
    return [rounds[item.seq - 1] for item in plan.items]


def test_a_prompt() -> None:
    history = log(
        ("system", "You are."), ("user", "hi"), ("todo", "one"), ("assistant", "yes"),
        ("todo", "two"),
    )  # fmt: skip
    made = pack(history)
    assert [(m.role, m.text) for m in made.messages] == [
        ("system", "You are."), ("user", "hi"), ("assistant", "yes"), ("user", "two"),
    ]  # fmt: skip
    assert (made.stable, made.breakpoints) == (3, (0, 2))
    assert made.key == pack(History("s", history.events[:1])).key != pack(History("t", [])).key
    assert made.stats.tokens == 2 + 1 + 1 + 1
    assert pack(History("s", [])).messages == ()


def test_the_tools_stay_and_what_may_be_chosen_is_data() -> None:
    tools = Event(1, "tools", definitions=({"name": "shell_run"}, {"name": "browser_open"}))
    choice = Event(2, "availability", mode="required", names=("shell_",))
    before, after = pack(History("s", [tools])), pack(History("s", [tools, choice]))
    assert before.tools == after.tools == tools.definitions
    assert (before.mode, before.prefixes) == ("auto", ())
    assert (after.mode, after.prefixes) == ("required", ("shell_",))


def test_the_numbers_of_the_default_policy() -> None:
    assert (DEFAULT.ingest, DEFAULT.kept, DEFAULT.batch, DEFAULT.counted) == (None, 6, 5, "step")
    assert (DEFAULT.head_lines, DEFAULT.tail_lines, DEFAULT.receipt_bytes) == (5, 15, 2048)
    assert (DEFAULT.read, DEFAULT.write, DEFAULT.warm) == (0.1, 1.25, 300)
    assert (DEFAULT.summary_at, DEFAULT.topic_min, DEFAULT.topic_min_warm) == (0.7, 3000, 30_000)
    assert (DEFAULT.topic_rounds, DEFAULT.outline_lines, DEFAULT.variation) == (3, 3000, None)


@pytest.mark.parametrize(
    "raw",
    [
        {"keep": 0}, {"summary_at": 2}, {"write": 0.05}, {"nope": 1}, {"rule": "often"}, [],
        {"batch": "5"}, {"receipt_bytes": 10}, {"patience": float("nan")},
    ],
)  # fmt: skip
def test_a_policy_that_makes_no_sense_is_refused(raw: object) -> None:
    with pytest.raises(BadInput) as caught:
        policy_of(raw)
    assert caught.value.code == "bad-policy"


def test_five_rounds_leave_at_once_when_ten_are_there() -> None:
    for n_rounds in range(1, 10):
        assert plan_offload(turns(n_rounds), BATCH, 9**9, place).items == ()
    history = turns(10)
    plan = plan_offload(history, BATCH, 9**9, place)
    assert left(history, plan) == [1, 2, 3, 4, 5]
    assert plan_offload(decided(history, plan), BATCH, 9**9, place).items == ()
    later = turns(14).events[len(history.events) :]
    moved = [replace(e, seq=e.seq + 1) for e in later]
    longer = History("s", [*decided(history, plan).events, *moved])
    assert plan_offload(longer, BATCH, 9**9, place).items == ()


def test_steps_are_counted_where_the_policy_says_so() -> None:
    history = turns(1, steps=12)
    assert plan_offload(history, BATCH, 0, place).items == ()
    plan = plan_offload(history, Policy(rule="batch", unit="step"), 0, place)
    assert len(plan.items) == 7, "12 calls, the last five stay"


def test_what_leaves_is_a_line_and_a_failure_keeps_its_end() -> None:
    events = list(turns(10, 1000).events)
    failure = "\n".join(f"line {n}" for n in range(300)) + "\nValueError: bad\n"
    events[3] = replace(events[3], text=failure, exit=1)
    events[6] = replace(events[6], exit=0)
    plan = plan_offload(History("s", events), BATCH, 0, place)
    texts = {item.seq: item.text for item in plan.items}
    assert texts[4].startswith(f"[understudy] {len(failure)} bytes, exit status 1: tool/")
    assert "| ValueError: bad" in texts[4]
    assert texts[7].count("\n") == 0


def test_what_was_read_from_the_store_and_skills_never_leave() -> None:
    events = list(turns(11).events)
    events[3] = replace(events[3], fixed=True)
    events.insert(0, Event(0, "skill", text="x" * 4000, path="lint", fixed=True))
    events = [replace(event, seq=n) for n, event in enumerate(events, 1)]
    plan = plan_offload(History("s", events), BATCH, 0, place)
    assert [item.seq for item in plan.items] == [8, 11, 14, 17, 20]


def test_break_even() -> None:
    """0.1 * S * k > 1.15 * T: with S = T it takes 11.5 calls, with S = 4T 2.9."""
    policy = Policy(rule="cost", keep=1, patience=0)

    def leaves(saved: int, rewritten: int, calls: int) -> bool:
        # The output that may leave, then one that stays, a call of the model each.
        texts = ["y" * (4 * saved + 4 * 25), "z" * (4 * rewritten)]
        made = [Event(1, "user", 0, "")]
        for _ in range(calls - 2):
            made.append(Event(len(made) + 1, "assistant", 0, ""))
            made.append(Event(len(made) + 1, "user", 0, ""))
        for number, text in enumerate(texts):
            made.append(Event(len(made) + 1, "call", 0, "", tool="t", call=f"c{number}"))
            made.append(Event(len(made) + 1, "result", 0, text, tool="t", call=f"c{number}"))
            if number == 0:
                made.append(Event(len(made) + 1, "user", 0, ""))
        plan = plan_offload(History("s", made), policy, 0, place)
        assert plan.rule in ("", "cost")
        return bool(plan.items)

    assert not leaves(1000, 1000, 11)
    assert leaves(1000, 1000, 13)
    assert not leaves(2000, 500, 2)
    assert leaves(2000, 500, 4)
    assert not leaves(500, 3000, 60), "it would take 69 calls, the horizon is 50"


def test_what_may_leave_has_cost_as_much_first() -> None:
    """It is carried until that has cost what the rewrite will."""
    found = [
        n
        for n in range(2, 60)
        if plan_offload(turns(n, steps=1), Policy(rule="cost", keep=1), 0, place).items
    ]
    bare = [
        n
        for n in range(2, 60)
        if plan_offload(turns(n), Policy(rule="cost", keep=1, patience=0), 0, place).items
    ]
    assert min(bare) < min(found)


def test_when_the_cache_is_cold_everything_old_leaves() -> None:
    policy = Policy(rule="cost")
    history = turns(7)
    last = history.events[-1].at
    assert plan_offload(history, policy, last + 299, place).items == ()
    plan = plan_offload(history, policy, last + 300, place)
    assert (plan.rule, left(history, plan)) == ("cold", [1, 2])


def test_never() -> None:
    assert plan_offload(turns(40), Policy(rule="never"), 9**9, place).items == ()


def replayed(history: History, policy: Policy) -> list[tuple[History, bool]]:
    """The log as it grows, decisions included; True where one was just made."""
    events: list[Event] = []
    new_number: dict[int, int] = {}
    found: list[tuple[History, bool]] = []
    for event in history.events:
        new_number[event.seq] = len(events) + 1
        events.append(replace(event, seq=len(events) + 1))
        now = History(history.name, list(events))
        plan = plan_offload(now, policy, event.at, place)
        if plan.items:
            events.append(Event(len(events) + 1, "offload", event.at, items=plan.items))
            now = History(history.name, list(events))
        found.append((now, bool(plan.items)))
    return found


@settings(max_examples=6, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(
        [Policy(), Policy(rule="cost"), BATCH, Policy(read=1, write=1, warm=0), Policy(variation=7)]
    ),
    st.booleans(),
)
def test_prompts_share_their_whole_prefix_but_at_decisions(
    seed: int, policy: Policy, cold: bool
) -> None:
    before: Sequence[object] = ()
    n_decisions = 0
    for now, is_decision in replayed(history_of(seed, 11, cold=cold), policy):
        made = pack(now, policy)
        stable = made.messages[: made.stable]
        if not is_decision:
            assert stable[: len(before)] == before
        n_decisions += is_decision
        before = stable
    assert n_decisions or policy.rule == "cost"


def test_variation_is_fixed_by_its_seed() -> None:
    history = history_of(3, 4)
    plain, varied = pack(history), pack(history, Policy(variation=1))
    assert varied.messages == pack(history, Policy(variation=1)).messages
    assert varied.messages != pack(history, Policy(variation=2)).messages
    results = [(a, b) for a, b in zip(plain.messages, varied.messages, strict=True)]
    assert {b.text.replace(a.text, "{}") for a, b in results if a.kind == "result"} >= {
        "{}", "Output of bash:\n{}", "bash answered:\n{}",
    }  # fmt: skip
    assert all(a == b for a, b in results if a.kind != "result")


def test_the_same_bytes_in_every_process() -> None:
    """Other hash seeds, other processes: no order of a set or dict gets into a prompt."""
    program = (
        "from tests.support.histories import history_of; from understudy.context.pack import pack; "
        "print(pack(history_of(5, 8)).digest())"
    )
    digests = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True,
            timeout=60, cwd=os.fspath(ROOT),
        )  # fmt: skip
        digests.add(done.stdout.decode().strip())
    assert digests == {pack(history_of(5, 8)).digest()}


def test_tokens_are_bytes_by_four() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde", "ääää", "\ud800")] == [
        0, 1, 1, 2, 2, 1,
    ]  # fmt: skip


def test_auto_lets_leave_what_pays_and_keeps_what_is_read_again() -> None:
    """Prices, sizes and what the log was seen to read again decide; the newest steps stay."""
    history = turns(1, 6000, steps=60)
    plan = plan_offload(history, DEFAULT, history.events[-1].at, place)
    assert plan.rule == "cost"
    newest = [event.seq for event in history.events if event.kind == "result"][-DEFAULT.kept :]
    assert not {item.seq for item in plan.items} & set(newest)
    small = turns(1, 130, steps=20)
    assert plan_offload(small, DEFAULT, small.events[-1].at, place).items == ()
    tight = Policy(window=2 * pack(history).stats.tokens)
    assert plan_offload(turns(1, 6000, steps=60), tight, 0, place).rule in ("cost", "room")
    full = Policy(window=pack(history).stats.tokens)
    assert plan_offload(history, full, history.events[-1].at, place).rule == "room"


def test_what_a_newer_output_refers_to_stays_with_it() -> None:
    events = list(turns(1, 6000, steps=40).events)
    again = replace(events[-1], text="[the same]", form="again", upto=4)
    plan = plan_offload(History("s", [*events[:-1], again]), DEFAULT, 9**9, place)
    left_now = {item.seq for item in plan.items}
    assert 4 not in left_now
    assert 6 in left_now, "the one behind it leaves"


def test_usage_moves_the_estimate_and_a_model_has_one_of_its_own() -> None:
    events = list(turns(3, 4000).events)
    said = {"input": 3000, "cached": 0, "written": 0, "output": 9}
    ours = pack(History("s", events)).stats
    usage = Event(len(events) + 1, "usage", definitions=(said,), size=ours.bytes // 4)
    moved = pack(History("s", [*events, usage])).stats
    assert ours.tokens == ours.bytes // 4
    assert moved.tokens == 3000
    assert pack(History("s", events), Policy(bytes_a_token=2.0)).stats.tokens == 2 * ours.tokens


def test_the_goal_is_recited_before_the_list() -> None:
    goal, todo = ("goal", "ship it"), ("todo", "- test")
    assert pack(log(("user", "hi"), goal)).messages[-1].text == "Goal: ship it"
    both = pack(log(goal, ("user", "hi"), todo, ("assistant", "yes")))
    assert (both.messages[-1].text, both.stable) == ("Goal: ship it\n\n- test", 2)
