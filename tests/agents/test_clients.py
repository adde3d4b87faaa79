"""Real agents, driven by a scripted model: what each reads of us while it works.

Each is set up by `understudy setup`, breaks two other files by one edit, says that it is done, is
told, and mends it. Nothing that it reads calls its edit failed. Larger ones need
UNDERSTUDY_HEAVY_AGENTS set: they are some 400 MB each.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.agents.clients import CLIENTS, PINS, drive, is_heavy, understudy
from tests.agents.model import Step, read_by_model
from tests.e2e.folders import copy_demo
from tests.support.repositories import GitRepository
from understudy.workspace.agents.catalogue import agent_named

GOLDEN = Path(__file__).parent.parent / "data" / "agents"
OLD = "def tax_of(line: Line, country: str) -> int:"
NEW = "def tax_of(line: Line, country: str, on: int) -> int:"
TEST = """\
from invoices.model import Line
from invoices.tax import tax_of


def test_tax() -> None:
    assert tax_of(Line("x", 1, 1000), "AT") == 200
"""
MOST_CHARACTERS = 1000
"""Some 250 tokens."""
TRIED = [name for name in CLIENTS if not is_heavy(name) or "UNDERSTUDY_HEAVY_AGENTS" in os.environ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The demo project with a test; what the user has not committed breaks something already."""
    made = copy_demo(tmp_path / "work")
    (made / "tests").mkdir()
    (made / "tests" / "test_tax.py").write_text(TEST)
    GitRepository(made).commit()
    (made / "main.py").write_text((made / "main.py").read_text() + '\nbroken: int = "mine"\n')
    return made


@pytest.mark.parametrize("name", TRIED)
def test_an_agent_is_told_what_it_broke_and_nothing_else(
    name: str, folder: Path, environ: dict[str, str]
) -> None:
    subprocess.run(
        [understudy(environ), "setup", name, "--write"],
        cwd=folder, env=environ, check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    client, file = CLIENTS[name], folder / "invoices" / "tax.py"
    steps: list[Step] = [[client.read(file)], [client.edit(file, OLD, NEW)]]
    if name != "opencode":  # without a terminal it ends with a turn, and is told after the edit
        steps.append("I have changed the signature.")
    steps += [[client.edit(file, NEW, OLD)], "It is mended."]
    model, printed = drive(name, folder, environ, steps)
    assert len(model.requests) == len(steps), printed
    told = [text for text in read_by_model(model.requests) if "introduced" in text]
    (text,) = told
    assert "invoices/totals.py:22:15: error reportCallIssue" in text
    assert "tests/test_tax.py:6:12: error reportCallIssue" in text
    assert "main.py" not in text, "the user's own work is not the agent's"
    assert len(text) <= MOST_CHARACTERS + 200, "what the client puts around it counts, too"
    assert not re.search(r"fail|block", text, re.IGNORECASE)
    assert not [one for one in read_by_model(model.requests) if "hook error" in one.lower()]
    assert file.read_text().count(OLD) == 1, printed
    shown = re.sub(r"\[stamp \w+\]", "[stamp …]", text.replace(str(folder), "FOLDER"))
    shown = re.sub(r"20\d\d-\d\d-\d\dT[\d:.+Z]+", "TIME", shown).strip() + "\n"
    golden = GOLDEN / f"{name}.txt"
    if "UNDERSTUDY_WRITE_GOLDEN" in os.environ:
        golden.write_text(shown)
    assert shown == golden.read_text()


def test_every_tried_version_is_the_pinned_one() -> None:
    for name, pin in PINS.items():
        (package,) = pin["npm"]
        assert package.rpartition("@")[2] in agent_named(name).tried
