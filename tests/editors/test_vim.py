"""The recipe for Vim, in the one that Debian has, with nothing else installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.editors.recipes import HERE, assert_seen, recipe, see_branch

VIM = shutil.which("vim")

pytestmark = pytest.mark.ring


async def test_vim_shows_a_branch(tmp_path: Path) -> None:
    saved = tmp_path / "understudy.vim"
    saved.write_text(recipe("editor-vim.md", "vim"))
    assert VIM is not None, "`make servers` as root installs it"
    script = str(HERE / "vim.vim")
    command = [VIM, "--clean", "-n", "-c", f"source {script}"]
    shown = await see_branch(tmp_path, saved, command)
    assert_seen(shown)
    assert "whole invoice" in str(shown.report["hover"])
    assert shown.report["is_modified"] is False
