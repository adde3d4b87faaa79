"""Real agents, driven by a scripted model: what each reads of us while it works.

Each is set up by `understudy setup`, breaks two other files by one edit, says that it is done, is
told, and mends it. Nothing that it reads calls its edit failed. Larger ones need
UNDERSTUDY_HEAVY_AGENTS set: they are some 400 MB each.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.agents.clients import CLIENTS, PINS, is_heavy
from tests.agents.turns import breaking_turn, project, set_up
from understudy.workspace.agents.catalogue import agent_named

GOLDEN = Path(__file__).parent.parent / "data" / "agents"
TRIED = [name for name in CLIENTS if not is_heavy(name) or "UNDERSTUDY_HEAVY_AGENTS" in os.environ]


@pytest.mark.parametrize("name", TRIED)
def test_an_agent_is_told_what_it_broke_and_nothing_else(
    name: str, tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = project(tmp_path / "work")
    set_up(name, folder, environ)
    turn = breaking_turn(name, folder, environ)
    assert turn.wrong == ()
    (text,) = turn.told
    shown = text.replace(str(folder), "FOLDER")
    shown = re.sub(r"20\d\d-\d\d-\d\dT[\d:.+Z]+", "TIME", shown).strip() + "\n"
    golden = GOLDEN / f"{name}.txt"
    if "UNDERSTUDY_WRITE_GOLDEN" in os.environ:
        golden.write_text(shown)
    assert shown == golden.read_text()


def test_every_tried_version_is_the_pinned_one() -> None:
    for name, pin in PINS.items():
        (package,) = pin["npm"]
        assert package.rpartition("@")[2] in agent_named(name).tried
