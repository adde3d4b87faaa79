"""What happens to a tool server reaches the prompt as an event at its end; the prefix stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.app.context.pack import pack_log
from understudy.app.context.record import record
from understudy.context.events import steps_of
from understudy.context.policy import DEFAULT
from understudy.context.server_news import ServerChange
from understudy.disk.store.tool_folder import McpFolder
from understudy.workspace.context_place import ContextPlace

BEGAN = 2_000_000_000
CALL = {"kind": "call", "tool": "t", "call": "1", "input": {}}
RESULT = {"kind": "result", "tool": "t", "call": "1", "text": "done"}


class Log:
    def __init__(self, folder: Path) -> None:
        self.place = ContextPlace(folder / "context", folder / "user")
        self.servers = McpFolder(self.place.store.folder)

    def add(self, *entries: dict[str, object]) -> list[tuple[str, str]]:
        given = [{"at": BEGAN, **entry} for entry in entries]
        made = record(self.place, "s", given, DEFAULT).events
        return [(event.kind, event.text) for event in made]

    def change(self, status: str, was: str, hint: str = "", *added: str, at: int = 1) -> None:
        self.servers.add_change(ServerChange(0, BEGAN + at, "web", status, was, hint, added))

    def prompt(self) -> list[str]:
        return [message.text for message in pack_log(self.place, "s", DEFAULT, BEGAN).pack.messages]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_a_lost_login_is_told_once_and_at_the_end(log: Log) -> None:
    log.change("ready", "", at=-100)  # before the log began: its prompt has that catalogue
    log.add({"kind": "system", "text": "be good"}, {"kind": "user", "text": "go"})
    before = log.prompt()
    log.change("needs-auth", "ready", "sign in again")
    told = "[understudy] tool server web: needs-auth (was ready): sign in again"
    assert log.add({"kind": "assistant", "text": "well"}) == [("assistant", "well")]
    assert log.add({"kind": "user", "text": "more"}) == [("user", "more"), ("status", told)]
    assert log.prompt() == [*before, "well", "more", told]
    assert log.add({"kind": "user", "text": "again"}) == [("user", "again")]
    log.change("ready", "needs-auth")
    assert log.add({"kind": "user", "text": "and"})[-1][0] == "status"
    twin = (log.place.store.folder / "history/s.md").read_text()
    assert f"## 5 status\n\n    {told}\n" in twin


def test_nothing_comes_between_a_call_and_its_result(log: Log) -> None:
    log.add({"kind": "user", "text": "go"})
    log.change("failed", "ready")
    assert log.add(CALL, {**CALL, "call": "2"}) != []
    assert [kind for kind, _ in log.add(RESULT)] == ["result"]
    assert [kind for kind, _ in log.add({**RESULT, "call": "2"})] == ["result", "status"]
    events = log.place.log("s").read().events
    assert steps_of(events)[-1] == 1


def test_what_is_as_it_was_is_no_news(log: Log) -> None:
    log.add({"kind": "user", "text": "go"})
    log.change("failed", "ready")
    log.change("ready", "failed")
    assert [kind for kind, _ in log.add({"kind": "user", "text": "on"})] == ["user"]
    log.change("ready", "ready", "", "search", "fetch\n")
    (_, status) = log.add({"kind": "user", "text": "on"})
    assert status[1] == "[understudy] tool server web: ready; new tools: fetch\ufffd, search"
    log.change("failed", "ready", "gone\u2028away")
    (_, status) = log.add({"kind": "user", "text": "on"})
    assert status[1].startswith("[understudy] tool server web: failed (was ready): gone")
    assert [one.number for one in log.servers.changes()] == [1, 2, 3, 4]
