"""The recipe for Emacs, in the one that Debian has, with its Eglot."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.editors.recipes import HERE, assert_seen, recipe, see_branch

EMACS = shutil.which("emacs")


@pytest.mark.skipif(
    EMACS is None and not os.environ.get("CI"), reason="no Emacs: `make test` as root installs it"
)
async def test_emacs_shows_a_branch(tmp_path: Path) -> None:
    assert EMACS is not None
    saved = tmp_path / "understudy.el"
    saved.write_text(recipe("editor-emacs.md", "elisp"))
    command = [EMACS, "-nw", "--no-init-file", "--no-splash", "--load", str(HERE / "emacs.el")]
    shown = await see_branch(tmp_path, saved, command)
    assert_seen(shown)
    said = shown.report
    assert "whole invoice" in str(said["hover"])
    assert said["is_modified"] is False
    assert said["own"] == {"branch": None}
    assert said["own_hover"] is not None
