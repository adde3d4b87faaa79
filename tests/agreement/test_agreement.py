"""Checks in one live session agree with cold command lines over the whole edited project."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.support.agreement import Tally, compare, rehearsals
from tests.support.edits import KINDS_ALONE, generate
from tests.support.kits import PAIRINGS
from tests.support.projects import project
from tests.support.truth_cache import KeptTruth

pytestmark = pytest.mark.real

SEED = 40
"""With it, the TypeScript edit that breaks the syntax does so at the end of the text, where
tsserver counts lines in a way of its own."""


@pytest.mark.parametrize("server", PAIRINGS)
async def test_checks_agree_with_the_command_line(server: str, tmp_path: Path) -> None:
    pairing = PAIRINGS[server]
    sample = project(pairing.language)
    folder = sample.write(tmp_path / "project")
    edits = generate(sample, SEED, pairing.n_edits, pairing.kinds)
    order = random.Random(server).sample(range(len(edits)), len(edits))
    async with rehearsals(folder, tmp_path / "state", server) as live:
        reports = await live.check_all(edits, order, at_once=3)
        assert await live.generation() == 1, "the server was restarted between the edits"
    truth = KeptTruth(pairing.oracle, sample, tmp_path / "truth")
    tally = Tally()
    for edit, report in zip(edits, reports, strict=True):
        tally.judgements.append(compare(edit, report, truth.delta(edit), truth.unsaid(edit)))
    assert tally.n_wrong == 0, tally.wrong()
    assert tally.number("unknown") == 0, [str(judged) for judged in tally.judgements]
    assert tally.recall == 1
    alone = pairing.kinds is KINDS_ALONE
    assert (tally.n_dependents == 0) == alone, "the edits did not reach what they are to prove"
