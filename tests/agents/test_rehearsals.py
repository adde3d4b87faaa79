"""Real agents in a branch, as they are: each edits, runs tests and commits on a stage.

All that each of them is shown besides the folder is its preset and the scripted model's address.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.clients import CLIENTS, drive, environment_of, is_heavy, understudy
from tests.agents.model import Step, read_by_model
from tests.e2e.folders import copy_demo
from tests.e2e.warm_hosts import Hosts
from tests.support.repositories import GitRepository
from tests.support.workspace import state_of

pytestmark = pytest.mark.ring
OLD = "def tax_of(line: Line, country: str) -> int:"
NEW = "def tax_of(line: Line, country: str, on: int = 0) -> int:"
WORK = (
    "git -c user.name=a -c user.email=a@b commit -qam by-the-agent && git log -1 --format=said-%s "
    "&& python3 -c 'import invoices.tax' && echo it-imports; "
    "ls ~/.ssh /tmp/outside 2>&1 | grep -c 'No such'; getent hosts not.listed.example || echo none"
)
TRIED = [name for name in CLIENTS if not is_heavy(name) or "UNDERSTUDY_HEAVY_AGENTS" in os.environ]
MORE = {"codex": ("--env", "MOCK_KEY")}
"""What the scripted model's address needs besides: no preset has it."""


@pytest.fixture
def environ(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    for name in ("home/.ssh", "state"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/.ssh/id").write_text("key")
    given = environment_of(request.getfixturevalue("name"), tmp_path / "home", tmp_path / "state")
    yield given
    Hosts(tmp_path / "state").end()


@pytest.mark.parametrize("name", TRIED)
def test_an_agent_lives_in_a_branch(name: str, tmp_path: Path, environ: dict[str, str]) -> None:
    folder = copy_demo(tmp_path / "work")
    GitRepository(folder).commit()
    before = state_of(folder)
    client, file = CLIENTS[name], folder / "invoices" / "tax.py"
    steps: list[Step] = [
        [client.read(file)], [client.edit(file, OLD, NEW)], [client.run(WORK)], "It is done.",
    ]  # fmt: skip
    start = [understudy(environ), "rehearse", "--yes", "--net", "127.0.0.1:{port}"]
    start += [*MORE.get(name, ()), "--"]
    model, printed = drive(name, folder, environ, steps, start)
    assert len(model.requests) == len(steps), printed
    read = "\n".join(read_by_model(model.requests))
    for said in ("said-by-the-agent", "it-imports", "none"):
        assert said in read, (said, printed)
    assert state_of(folder) == before, "the user's folder is as it was"
    listed = _asked(environ, folder, "branches", "list", "--format", "json")
    (branch,) = json.loads(listed)["branches"]
    diff = _asked(environ, folder, "branches", "diff", branch["branch"])
    assert f"-{OLD}\n+{NEW}\n" in diff
    assert "not.listed.example" in printed
    taken = _asked(environ, folder, "branches", "accept", "--commits", branch["branch"])
    assert f"refs/heads/understudy/{branch['branch']} is " in taken
    assert NEW in file.read_text()


def _asked(environ: dict[str, str], folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [understudy(environ), *arguments],
        cwd=folder, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
