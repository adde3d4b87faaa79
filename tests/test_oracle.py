"""The oracle's own check: every checker runs, and the generated edits do what their kind says."""

from __future__ import annotations

from pathlib import Path

import pygls
import pytest

from tests.support.corpora import corpus
from tests.support.edits import KINDS_ALONE, EditKind, generate
from tests.support.kit import Pairing
from tests.support.kits import COMMANDS, PAIRINGS
from tests.support.oracle import Delta, Truth
from tests.support.projects import project
from understudy.langserver.catalogue import Catalogue

CASES = [pytest.param(pairing, id=pairing.oracle.name) for pairing in PAIRINGS.values()]


def test_every_profile_has_a_kit_and_every_checker_is_tried() -> None:
    profiles = Catalogue.load().profiles
    of_commands = {profile.name for profile in profiles if profile.rule == "command"}
    assert set(COMMANDS) == of_commands
    assert set(PAIRINGS) == {profile.name for profile in profiles} - of_commands
    assert all(pairing.oracle.n_edits for pairing in PAIRINGS.values())


@pytest.mark.real
@pytest.mark.parametrize("pairing", CASES)
def test_edits_do_what_they_say(pairing: Pairing, tmp_path: Path) -> None:
    sample, n_edits = project(pairing.language), pairing.oracle.n_edits
    truth = Truth(pairing.oracle.find, sample, tmp_path)
    assert truth.before, "the sample project has old findings"
    edits = generate(sample, 11, n_edits, pairing.kinds)
    n_untouched = 0
    for edit in edits:
        delta = truth.delta(edit)
        assert keeps_its_word(edit.kind, delta), f"{edit.kind}: {edit.label}: {delta}"
        n_untouched += bool(delta.untouched(edit))
    assert n_untouched == 0 if pairing.kinds is KINDS_ALONE else n_untouched >= n_edits / 3
    texts = {path: (tmp_path / path).read_text(encoding="utf-8") for path in sample.files}
    assert texts == sample.files, "the oracle leaves its copy as it was"


@pytest.mark.real
def test_edits_of_real_sources(tmp_path: Path) -> None:
    sample = corpus("python", Path(pygls.__file__).parent, into="pygls")
    truth = Truth(PAIRINGS["ty"].oracle.find, sample, tmp_path)
    edits = generate(sample, 1, 10)
    found = [(edit, truth.delta(edit)) for edit in edits]
    assert sum(bool(delta.untouched(edit)) for edit, delta in found) >= len(edits) / 3
    assert all(delta.introduced for edit, delta in found if edit.kind in ("same-file", "broken"))


def keeps_its_word(kind: EditKind, delta: Delta) -> bool:
    """What must hold for every checker (which of the old errors it sees is its own affair)."""
    if kind in ("same-file", "broken", "new-file"):
        return bool(delta.introduced)
    if kind == "clean":
        return not delta.introduced and not delta.fixed
    return True
