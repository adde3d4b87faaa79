"""What every test with a real client begins with: a home and a state folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.clients import environment_of
from tests.e2e.warm_hosts import Hosts


@pytest.fixture
def environ(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The environment of the client that the test's `name` says; its hosts end with the test."""
    for name in ("home", "state"):
        (tmp_path / name).mkdir()
    given = environment_of(request.getfixturevalue("name"), tmp_path / "home", tmp_path / "state")
    yield given
    Hosts(tmp_path / "state").end()
