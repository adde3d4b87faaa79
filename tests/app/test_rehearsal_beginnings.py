"""What a rehearsal begins with: ports that are shown, and what an earlier one has left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.live_stages import living
from understudy.app.rehearse.rehearse import RehearseOptions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return Path(os.path.realpath(folder))


async def test_a_port_is_shown_once_however_often_a_command_is_started(
    folder: Path, tmp_path: Path
) -> None:
    async with living(folder, tmp_path / "state") as stage:
        options = RehearseOptions(("true",), publish=(0,))
        for _ in range(2):
            null = os.open(os.devnull, os.O_RDWR)
            streams = (null, os.dup(null), os.dup(null))
            program = await stage.rehearsal.launch(options, streams, controls=False)
            await program.wait_exited()
        (shown,) = stage.rehearsal.published
        assert shown.url.startswith("http://b1.localhost:")
