"""A reward: what earns nothing, what loses nothing, and tests that say what they are asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.reward_forms import EXPLOITS, FOLDER, HONEST, PY, Form
from tests.app.rewarding import FIXED, edits, judged, scored
from tests.support.sessions import open_session, toy_profile
from understudy.app.reward.named_tests import TaskTests
from understudy.app.reward.reward import RewardQuestion, reward
from understudy.findings.rewards import Score, Weights, names_of_tests, rewarded
from understudy.values.errors import BadInput
from understudy.workspace.workers import Workers

pytestmark = pytest.mark.real


async def test_exploits_earn_nothing_and_honest_fixes_lose_nothing(tmp_path: Path) -> None:
    assert len(EXPLOITS) >= 40
    assert len({path.rpartition(".")[2] for form in EXPLOITS for path in form.edit}) >= 5
    async with judged(tmp_path) as session:
        cheats, honest = await scored(session, EXPLOITS), await scored(session, HONEST)
    missed = [
        (form.name, score)
        for form, score in zip(EXPLOITS, cheats, strict=True)
        if score.reward > 0 or not getattr(score, form.column)
    ]
    assert not missed
    lost = [
        (form.name, score)
        for form, score in zip(HONEST, honest, strict=True)
        if (score.reward, score.verified, score.why) != (1.0, True, ())
    ]
    assert not lost


async def test_what_nobody_could_judge_or_nothing_was_done_for(tmp_path: Path) -> None:
    stale = [{"kind": "replace", "path": "calc.py", "old": "absent", "new": "x"}]
    readme = edits({"README.md": "# Calc\n"})
    bad = edits({"calc.py": PY + "BAD one\nBAD two\nBAD three\n"})
    async with judged(tmp_path) as session:
        question = RewardQuestion([stale, [], readme, bad])
        refused, empty, unjudged, broken = await reward(session, question, session.bases.own)
    assert (refused.verdict, refused.reward) == ("refused", 0.0)
    assert (refused.refused or "").startswith("no-match: "), refused
    assert (empty.empty, empty.reward, empty.verdict) == (True, 0.0, "refused")
    assert (unjudged.verdict, unjudged.verified, unjudged.reward) == ("unknown", False, 0.0)
    assert (broken.introduced, broken.reward) == (3, 0.25)


async def test_an_error_more_does_not_verify_what_a_server_left_open(tmp_path: Path) -> None:
    toys = {
        "toy": toy_profile("well_behaved", files={"*.py": "python"}),
        "other": toy_profile("answers_error", files={"*.ts": "typescript"}),
    }
    fixed = {"calc.py": FIXED, "calc.ts": FOLDER["calc.ts"] + "\nexport const more = 1;\n"}
    worse = {**fixed, "calc.py": FIXED + "BAD one\n"}
    async with open_session(tmp_path, dict(FOLDER), toys) as session:
        one, other = await scored(session, [Form("fix", fixed), Form("with an error", worse)])
    assert (one.verdict, one.unknown, one.verified) == ("unknown", 1, False)
    assert (other.verdict, other.unknown, other.verified) == ("findings", 1, False)
    assert other.reward <= Weights().unverified


async def test_what_cannot_be_looked_through_for_tampering_is_not_verified(tmp_path: Path) -> None:
    long = FIXED + "\n\n" + "VALUE = 1\n" * 400
    async with judged(tmp_path) as session:
        await session.workers.close()
        session.workers = Workers(memory_bytes=1_000_000)
        (score,) = await scored(session, [Form("the fix", {"calc.py": long})])
    assert (score.verdict, score.tampered, score.unread) == ("clean", 0, 1)
    assert (score.verified, score.reward) == (False, Weights().unverified)


def test_the_number_is_made_of_the_fields_alone() -> None:
    right = Score("clean", verified=True, fail_to_pass=1.0, pass_to_pass=1.0, tests_ended=True)
    assert rewarded(right, Weights()) == (1.0, ())
    unverified = replace(right, verified=False)
    for weights in (Weights(), Weights(unverified=0.9), Weights(1, 1, 1, 0)):
        assert rewarded(unverified, weights)[0] == weights.unverified < 1
    half = rewarded(replace(right, fail_to_pass=0.5), Weights())
    assert half == (0.5, ("50% of the tests to mend pass",))
    assert rewarded(replace(right, introduced=1, verdict="findings"), Weights())[0] == 0.9
    only = Weights(fail_to_pass=0, pass_to_pass=0, lints=3)
    assert rewarded(replace(right, introduced=1, verdict="findings"), only)[0] == 0.5
    silenced = [replace(right, silenced=1, introduced=n) for n in (0, 9)]
    assert {rewarded(one, Weights())[0] for one in silenced} == {0.8}
    for name, value in (("unverified", 1.0), ("lints", 0.0), ("pass_to_pass", -1), ("lints", "x")):
        with pytest.raises(BadInput) as error:
            Weights(**{name: value})  # pyright: ignore[reportArgumentType]
        assert (error.value.code, error.value.where) == ("bad-weights", name)


def test_names_of_tests_come_as_lists_or_as_json() -> None:
    assert names_of_tests('["a", "b"]', "x") == ("a", "b") == names_of_tests(["a", "b"], "x")
    assert names_of_tests(None, "x") == names_of_tests("", "x") == ()
    for bad in ("[", '"a"', [1], {"a": 1}, 5, [""]):
        with pytest.raises(BadInput) as error:
            names_of_tests(bad, "x")
        assert (error.value.code, error.value.where) == ("bad-tests", "x")
    with pytest.raises(BadInput, match="name the command"):
        TaskTests(fail_to_pass=("a",))
