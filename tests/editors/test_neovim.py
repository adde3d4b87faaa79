"""The recipe for Neovim, in the one that Debian has and in a new one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.editors.recipes import HERE, assert_seen, recipe, see_branch
from tests.support.servers import program

NEOVIM = shutil.which("nvim")


@pytest.mark.skipif(
    NEOVIM is None and not os.environ.get("CI"), reason="no Neovim: `make test` as root installs it"
)
async def test_debians_neovim_shows_a_branch(tmp_path: Path) -> None:
    assert NEOVIM is not None
    await show(tmp_path, NEOVIM)


async def test_a_new_neovim_shows_a_branch(tmp_path: Path) -> None:
    await show(tmp_path, str(program("nvim-new")))


async def show(tmp_path: Path, neovim: str) -> None:
    saved = tmp_path / "understudy.lua"
    saved.write_text(recipe("editor-neovim.md", "lua"))
    script = str(HERE / "neovim.lua")
    shown = await see_branch(tmp_path, saved, [neovim, "--headless", "--clean", "-n", "-S", script])
    assert_seen(shown)
    assert "whole invoice" in str(shown.report["hover"])
    assert shown.report["is_modified"] is False
