"""Checks of edits that create, delete and rename files agree with cold command lines, too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.support.agreement import Tally, compare, rehearsals
from tests.support.file_edits import generate_files
from tests.support.kits import PAIRINGS
from tests.support.projects import project
from tests.support.truth_cache import KeptTruth

pytestmark = pytest.mark.real

SEED = 2


@pytest.mark.parametrize("server", PAIRINGS)
async def test_checks_agree_with_the_command_line(server: str, tmp_path: Path) -> None:
    """Each edit in two branches, and others begun and given up in between."""
    pairing = PAIRINGS[server]
    sample = project(pairing.language)
    folder = sample.write(tmp_path / "project")
    edits = 2 * generate_files(sample, SEED, pairing.n_edits)
    chance = random.Random(server)
    order = chance.sample(range(len(edits)), len(edits))
    async with rehearsals(folder, tmp_path / "state", server) as live:
        reports = await live.check_all(edits, order, at_once=3, abandoned=chance)
        assert await live.generation() == 1, "a server was restarted between the edits"
    truth = KeptTruth(pairing.oracle, sample, tmp_path / "truth")
    tally = Tally()
    for edit, report in zip(edits, reports, strict=True):
        tally.judgements.append(compare(edit, report, truth.delta(edit), truth.unsaid(edit)))
    assert tally.n_wrong == 0, tally.wrong()
    assert tally.number("unknown") == 0, [str(judged) for judged in tally.judgements]
    assert tally.recall == 1
    assert {path: (folder / path).read_text() for path in sample.files} == sample.files
