"""Folders that every test of the faces needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import copy_demo
from tests.e2e.warm_hosts import Hosts


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


@pytest.fixture
def hosts(state: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """The hosts that calls leave behind, ended with the test; in CI none is left."""
    monkeypatch.delenv("CI")
    hosts = Hosts(state)
    yield hosts
    hosts.end()
