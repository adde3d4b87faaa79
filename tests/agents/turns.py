"""The turn that every agent is driven through: its edit breaks two other files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.agents.clients import CLIENTS, drive, understudy
from tests.agents.model import Step, read_by_model
from tests.e2e.folders import copy_demo
from tests.support.repositories import GitRepository

OLD = "def tax_of(line: Line, country: str) -> int:"
NEW = "def tax_of(line: Line, country: str, on: int) -> int:"
BROKEN = (
    "invoices/totals.py:22:15: error reportCallIssue",
    "tests/test_tax.py:6:12: error reportCallIssue",
)
"""What the new signature breaks, each in another file."""
MOST_CHARACTERS = 1000
"""Some 250 tokens."""
AROUND = 200
"""Characters that a client may put around what it was told."""
TEST = """\
from invoices.model import Line
from invoices.tax import tax_of


def test_tax() -> None:
    assert tax_of(Line("x", 1, 1000), "AT") == 200
"""


def project(folder: Path) -> Path:
    """The demo with a test; what the user has not committed breaks something already."""
    made = copy_demo(folder)
    (made / "tests").mkdir()
    (made / "tests" / "test_tax.py").write_text(TEST)
    GitRepository(made).commit()
    (made / "main.py").write_text((made / "main.py").read_text() + '\nbroken: int = "mine"\n')
    return made


def set_up(name: str, folder: Path, environ: Mapping[str, str]) -> None:
    """As the user does it."""
    subprocess.run(
        [understudy(environ), "setup", name, "--write"],
        cwd=folder, env=environ, check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """What became of one: what we have told the model, and what is wrong with it."""

    told: tuple[str, ...]
    wrong: tuple[str, ...]


def breaking_turn(name: str, folder: Path, environ: Mapping[str, str]) -> Turn:
    """The agent changes a signature, says that it is done, is told, and takes it back."""
    client, file = CLIENTS[name], folder / "invoices" / "tax.py"
    steps: list[Step] = [[client.read(file)], [client.edit(file, OLD, NEW)]]
    if name != "opencode":  # without a terminal it ends with a turn, and is told after the edit
        steps.append("I have changed the signature.")
    steps += [[client.edit(file, NEW, OLD)], "It is mended."]
    turn = _driven(name, folder, environ, steps)
    wrong = list(turn.wrong)
    told = "\n".join(turn.told)
    wrong += [f"not told: {one}" for one in BROKEN if one not in told]
    if len(turn.told) != 1 or "main.py" in told:
        wrong.append(f"told {len(turn.told)} times, or of the user's own work: {told}")
    if any(len(one) > MOST_CHARACTERS + AROUND for one in turn.told):
        wrong.append(f"too long: {told}")
    if re.search(r"fail|block", told, re.IGNORECASE):
        wrong.append(f"told of a failure: {told}")
    if file.read_text().count(OLD) != 1:
        wrong.append("it is not mended")
    return Turn(turn.told, tuple(wrong))


def _driven(name: str, folder: Path, environ: Mapping[str, str], steps: list[Step]) -> Turn:
    model, printed = drive(name, folder, environ, steps)
    read = read_by_model(model.requests)
    wrong = [text for text in read if "hook error" in text.lower()]
    if len(model.requests) != len(steps):
        wrong.append(f"{len(model.requests)} requests, not {len(steps)}: {printed}")
    return Turn(tuple(text for text in read if "[understudy]" in text), tuple(wrong))
