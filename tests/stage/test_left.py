"""What a stage that is gone has written down of itself, by this version and by the one before."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.live_stages import living
from understudy.stage.live import NOT_FROZEN
from understudy.stage.overlay.left import left_stage
from understudy.stage.scratch import RECORD, has_left, left, sweep
from understudy.values.errors import OutsideFailure
from understudy.workspace.rehearsals.place import place_of

KEPT = Path(__file__).resolve().parents[1] / "data/states/left-1.json"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    (tmp_path / "layer/upper").mkdir(parents=True)
    return tmp_path / "layer"


def kept(work: Path, **more: Any) -> str:
    """A record as the version before has written it, but of this folder."""
    told = json.loads(KEPT.read_bytes())
    assert (told["schema"], bytes.fromhex(told["root"])) == (1, b"/work")
    return json.dumps(told | {"root": os.fsencode(work).hex(), **more})


def test_a_record_of_before_there_were_snapshots_is_read(layer: Path, work: Path) -> None:
    (layer / RECORD).write_text(kept(work))
    with left_stage(layer, work) as left:
        assert os.path.samestat(os.fstat(left.layer.lower), work.stat())
        assert (left.frozen, left.note) == (NOT_FROZEN, {"branch": "b1"})


async def test_where_nothing_is_frozen_the_version_before_can_finish_it(
    work: Path, tmp_path: Path
) -> None:
    (work / "a.txt").write_text("a\n")
    async with living(work, tmp_path / "state", kind="overlay") as stage:
        record = place_of(stage.layout, "b1").layer / RECORD
        told = json.loads(record.read_bytes())
        before = json.loads(KEPT.read_bytes())
        assert (told["schema"], told.keys()) == (before["schema"], before.keys())


def test_where_its_snapshot_was_removed_the_folder_has_to_do(layer: Path, work: Path) -> None:
    (layer / RECORD).write_text(kept(work, schema=2))
    (layer / "frozen").mkdir()  # any folder of that name is no snapshot
    with left_stage(layer, work) as left:
        assert os.path.samestat(os.fstat(left.layer.lower), work.stat())
        assert left.frozen == NOT_FROZEN


def test_a_record_of_a_later_version_is_left_alone(layer: Path, work: Path) -> None:
    (layer / RECORD).write_text(kept(work, schema=3))
    with pytest.raises(OutsideFailure, match="another version"), left_stage(layer, work):
        pass
    assert (layer / RECORD).exists()


def test_nobody_goes_through_a_link_to_what_is_no_stages(work: Path, tmp_path: Path) -> None:
    stages, elsewhere = tmp_path / "stages", tmp_path / "elsewhere"
    stages.mkdir()
    elsewhere.mkdir()
    (stages / "stage-link").symlink_to(elsewhere)
    os.utime(elsewhere, (0, 0))
    assert (sweep(stages), list(elsewhere.iterdir())) == (0, [])
    (elsewhere / RECORD).write_text(kept(work))
    assert not has_left(stages)
    assert list(left(stages)) == []
    assert [one.name for one in elsewhere.iterdir()] == [RECORD]
