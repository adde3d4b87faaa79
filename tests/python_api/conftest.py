"""A folder of the user's, judged by a toy server, and this process as a program of the user's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.folders import child_environment, make_folder, toy_settings, write_user_settings

TOY_FILES = {"a.txt": "fine\n", "b.txt": "fine\n"}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where state and the user's settings lie; this process and its children find them there."""
    state = tmp_path / "state"
    wanted = child_environment(state)
    for name in os.environ.keys() - wanted.keys():
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    return state


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    """Two files, and a toy that finds lines that begin with BAD."""
    write_user_settings(state, toy_settings("well_behaved"))
    return make_folder(tmp_path / "work", TOY_FILES)
