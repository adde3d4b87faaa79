"""What each agent with hooks is told in each case, to the byte: golden files, one an agent.

Read them as if you were the model. The words are the same for all; what is around them, whether
they are read at all after an edit, and what is told again after a compaction, is each agent's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.agents.turns import AROUND, MOST_CHARACTERS, project
from tests.e2e.folders import child_environment
from tests.e2e.warm_hosts import Hosts
from understudy.workspace.agents.catalogue import agent_named, agent_names
from understudy.workspace.agents.profile import Hook, Moment

GOLDEN = Path(__file__).parent.parent / "data" / "agents" / "words"
SPEAKING = [name for name in agent_names() if agent_named(name).hook is not None]
ANSWERS = """\
import asyncio, json, sys
from understudy.faces.hooks.answer import answer_event
for line in sys.stdin:
    name, event = json.loads(line)
    data = json.dumps(event).encode()
    said = answer_event(name, data, lambda made: asyncio.run(made()))
    print(json.dumps(said), flush=True)
"""
"""As `understudy check --format hook --agent NAME`, for one event after the other."""
TAX, TOTALS, MAIN = "invoices/tax.py", "invoices/totals.py", "main.py"


class Speaking:
    """One process that answers events of all agents, each about the same folder."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self._told: dict[str, list[str]] = {name: [] for name in SPEAKING}
        environ = child_environment(state)
        del environ["CI"]  # where no host is left behind, each event would start its own servers
        self._process = subprocess.Popen(
            [sys.executable, "-c", ANSWERS],
            cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def end(self) -> None:
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()
        assert process.returncode == 0

    def tell(self, moment: Moment, title: str = "", path: str = "") -> None:
        """Tell every agent's hook of it; under a title, what is answered is kept."""
        for name in SPEAKING:
            hook = agent_named(name).hook
            assert hook is not None
            event = _event(hook, moment, name, self.folder, path)
            answer, trouble = self._answer(name, event) if event else (None, "")
            assert not trouble or moment.startswith("compact"), (name, trouble)
            if title:
                shown = "(it has no such event)\n" if answer is None else _shown(answer)
                self._told[name].append(f"## {title}\n\n{shown}")

    def told(self, name: str) -> str:
        return f"# {agent_named(name).title}\n\n" + "\n".join(self._told[name])

    def edit(self, path: str, *changes: tuple[str, str]) -> None:
        file = self.folder / path
        text = file.read_text()
        for old, new in changes:
            assert text.count(old) == 1, (path, old)
            text = text.replace(old, new)
        file.write_text(text)

    def _answer(self, name: str, event: Mapping[str, Any]) -> tuple[str, str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        hears = "+compactions" if "+compactions" in repr(agent_named(name).files) else ""
        self._process.stdin.write(json.dumps([name + hears, event]) + "\n")
        self._process.stdin.flush()
        answer, trouble = json.loads(self._process.stdout.readline())
        return answer, trouble


def _event(
    hook: Hook, moment: Moment, session: str, folder: Path, path: str
) -> dict[str, Any] | None:
    """An event as the agent's hook tells it; None where it has none for the moment."""
    name = next((key for key, one in hook.events.items() if one == moment), None)
    if name is None:
        return None
    event: dict[str, Any] = {}
    name, _, detail = name.partition("/") if hook.detail else (name, "", "")
    places = {
        hook.event: name, hook.detail: detail, hook.session: session, hook.folder: str(folder),
        hook.prompt: "do it",
    }  # fmt: skip
    if path and hook.paths:
        places[hook.paths[0]] = str(folder / path)
    for place, value in places.items():
        if place and value:
            _put(event, place.split("."), value)
    return event


def _put(table: dict[str, Any], keys: list[str], value: Any) -> None:
    if keys[-1] == "0":
        _put(table, keys[:-1], [value])
        return
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = value


def _shown(answer: str) -> str:
    """An answer with its text as it is read, below the keys that lead to it."""
    lines = [f"{place}:\n{text}\n" for place, text in _leaves(json.loads(answer))] if answer else []
    return "".join(lines) or "(nothing)\n"


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, f"{place}.{key}".lstrip("."))
    else:
        yield place, value


@pytest.fixture
def speaking(tmp_path: Path) -> Iterator[Speaking]:
    made = Speaking(project(tmp_path / "work"), tmp_path / "state")
    yield made
    made.end()
    Hosts(tmp_path / "state").end()


def test_what_every_agent_is_told_in_every_case(speaking: Speaking) -> None:
    before = {path: (speaking.folder / path).read_text() for path in (TAX, TOTALS, MAIN)}
    _break_and_mend(speaking)
    for turn in (_silence, _hide, _leave_unknown):
        for path, text in before.items():
            (speaking.folder / path).write_text(text)
        turn(speaking)
    written = "UNDERSTUDY_WRITE_GOLDEN" in os.environ
    for name in SPEAKING:
        told, golden = speaking.told(name), GOLDEN / f"{name}.txt"
        if written:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(told)
        assert str(speaking.folder) not in told
        assert all(len(case.encode()) <= MOST_CHARACTERS + AROUND for case in told.split("\n## "))
        assert told == golden.read_text()


def _break_and_mend(speaking: Speaking) -> None:
    speaking.tell("prompt")
    speaking.edit(TAX, ("rounded half up", "rounded up"))
    speaking.tell("edit", "An edit that breaks nothing", TAX)
    speaking.tell("end", "A turn that broke nothing")
    speaking.edit(TAX, ("return table[country]", "return table[country] + None"))
    speaking.tell("edit", "An edit that breaks its own file", TAX)
    speaking.edit(TAX, (" + None", ""), ("country: str) -> int", "country: str, on: int) -> int"))
    speaking.tell("edit", "An edit that breaks other files", TAX)
    speaking.tell("end", "The end of a turn that broke other files")
    speaking.edit(TOTALS, ("tax_of(line, invoice.country)", "tax_of(line, invoice.country, 1)"))
    speaking.edit(MAIN, ("late_fee(invoice, date(2026, 3, 2))", "late_fee(invoice)"))
    speaking.tell("end", "One is mended, one is left, one is new")
    speaking.tell("end", "The end again, with nothing changed")
    speaking.tell("compact")
    speaking.tell("compacted")
    speaking.tell("end", "The same after the conversation was compacted")


def _silence(speaking: Speaking) -> None:
    speaking.tell("prompt")
    speaking.edit(TOTALS, ("invoice.lines)", "invoice.lines) + None  # type: ignore"))
    speaking.tell("end", "Something is silenced")


def _hide(speaking: Speaking) -> None:
    speaking.tell("prompt")
    speaking.edit(MAIN, ("if __name__", "exit()\n\nif __name__"))
    speaking.edit(TOTALS, ("invoice.lines)", "invoice.lines) + None"))
    speaking.tell("end", "A finding is hidden by what was broken")


def _leave_unknown(speaking: Speaking) -> None:
    speaking.tell("prompt")
    (speaking.folder / TAX).write_bytes(b"\xff\x00\x01 = 1\n")
    speaking.tell("end", "What nobody can judge")
