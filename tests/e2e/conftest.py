"""Folders that every test of the faces needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import copy_demo


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Where the state folder, the user's settings and temporary files of a test lie."""
    return tmp_path / "state"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A copy of the demo project."""
    return copy_demo(tmp_path / "demo")


@pytest.fixture
def shell(demo: Path, state: Path) -> Shell:
    """A shell in the demo project."""
    return Shell(demo, state)
