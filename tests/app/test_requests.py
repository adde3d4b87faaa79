"""The tables of calls and LSP requests: each entry says who may ask it, and nobody else may."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from understudy.app.host.host import Host, HostOptions, open_host
from understudy.disk.folder.scan import Scan, scan
from understudy.faces.calls import branches
from understudy.faces.calls.entry import AGENT, EVERYONE, REHEARSAL, USER, Asker, RequestEntry
from understudy.faces.calls.table import CALLS
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.lsp.serve import made
from understudy.faces.lsp.table import NOTICES, REQUESTS
from understudy.faces.params.requests import CreateBranch, EditBranch, ForkBranch, Nothing
from understudy.shadow.folder import Moved
from understudy.stage.model import Network
from understudy.values.errors import BadInput, Refused
from understudy.values.own_folders import STATE_VARIABLE
from understudy.values.paths import Root
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS
from understudy.workspace.progress import NOBODY

THE_USERS = {
    "understudy/branch/accept",
    "understudy/branch/ask",
    "understudy/branch/rename",
    "understudy/branch/sendConflict",
    "understudy/branch/sendFindings",
    "understudy/branch/unask",
    "understudy/context/mcp/allow",
    "understudy/optionsChanged",
    "understudy/rehearsal/agents",
    "understudy/rehearsal/stop",
    "understudy/terminal/focus",
    "understudy/terminal/report",
    "understudy/terminal/switch",
}


IN_A_BRANCH = {
    "affected", "ask", "check", "code", "context", "diff",
    "lint", "map", "outline", "report", "turn",
}  # fmt: skip
"""What an agent that lives in a branch may ask: it reads that branch, and changes nothing."""


async def nothing(*_: object) -> dict[str, Any]:
    return {}


def test_what_is_the_users_alone() -> None:
    over_lsp = {entry.method for entry in (*REQUESTS, *NOTICES) if entry.askers == USER}
    assert over_lsp == THE_USERS
    assert all(entry.askers == EVERYONE for entry in REQUESTS if entry.method not in THE_USERS)
    agents = {call.method for call in CALLS.values() if "agent" in call.askers}
    assert agents == {"begin", "lint", "run", "context", "code"}
    for call in CALLS.values():
        assert call.askers - REHEARSAL == (AGENT if call.method in agents else USER), call.method
    inside = {call.method for call in CALLS.values() if call.askers >= REHEARSAL}
    assert inside == IN_A_BRANCH


def test_an_entry_that_does_not_say_who_may_ask_cannot_be_made() -> None:
    unsaid: Any = RequestEntry
    with pytest.raises(TypeError, match="askers"):
        unsaid("new", takes=Nothing, answer=nothing)
    for wrong in (frozenset[Any](), frozenset({"anyone"}), USER | {"anyone"}):
        with pytest.raises(TypeError, match="say who may ask it"):
            unsaid("new", Nothing, wrong, nothing)


def test_no_request_of_ours_is_answered_past_the_table() -> None:
    server = made(UnderstudyServer())
    server.offer_requests()
    features = server.protocol.fm.features
    ours = {name for name in features if name.startswith("understudy/")}
    assert ours == {entry.method for entry in (*REQUESTS, *NOTICES)}


def test_who_may_not_ask_is_refused_by_name() -> None:
    entry = RequestEntry("new", Nothing, USER, nothing)
    entry.refuse("user")
    with pytest.raises(Refused) as refused:
        entry.refuse("agent")
    assert (refused.value.code, refused.value.where) == ("not-for-agents", "new")
    with pytest.raises(Refused) as refused:
        RequestEntry("lint", Nothing, AGENT, nothing).refuse("user")
    assert refused.value.code == "for-agents"


@dataclass(frozen=True)
class Connection:
    """An editor's side of a host, without an editor."""

    host: Host
    live_base: LiveBase
    asker: Asker = "user"
    network: Network = "none"


def saved_after_each_look(host: Host, save: Callable[[], None]) -> LiveBase:
    """The base of a user who saves a file right after each look at the folder."""
    session = host.session

    async def look() -> Scan:
        found = await asyncio.to_thread(scan, session.root, session.selection)
        save()
        return found

    return LiveBase(session.root, look, lambda _: None)


def save_next(file: Path, texts: list[str]) -> None:
    """The user's next save, if there is another one."""
    if texts:
        file.write_text(texts.pop())


async def test_an_edit_is_tried_again_where_the_file_is_saved_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    file = folder / "a.py"
    file.write_text("fine\n")
    host = await open_host(Root.open(folder), HostOptions(trusted=True))
    try:
        edits = [{"kind": "replace", "path": "a.py", "old": "fine", "new": "better"}]
        for n_saves in (REPEATS, REPEATS + 1):
            branch = (await host.session.branches.create("x")).id
            left = [f"fine {'more ' * n}\n" for n in range(1, n_saves + 1)]
            live_base = saved_after_each_look(host, partial(save_next, file, left))
            asked = branches.edit(Connection(host, live_base), EditBranch(branch, edits), NOBODY)
            if n_saves == REPEATS:
                assert (await asked)["changed"] == ["a.py"]
            else:
                with pytest.raises(Moved):
                    await asked
        stale = EditBranch(branch, edits, ifStamp="0" * 16)
        with pytest.raises(BadInput) as refused:
            await branches.edit(Connection(host, host.session.bases.own), stale, NOBODY)
        assert refused.value.code == "stale-stamp"
    finally:
        await host.close()


async def test_titles_of_agents_are_kept_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    host = await open_host(Root.open(tmp_path / "work"), HostOptions(trusted=True))
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    try:
        own = host.session.bases.own
        for side, is_kept in (
            (Connection(host, own), True),
            (Connection(host, own, "agent"), False),
        ):
            made = await branches.create(side, CreateBranch(f"token {key}"), NOBODY)
            forked = await branches.fork(side, ForkBranch(made["branch"], key), NOBODY)
            alike = await branches.fork(side, ForkBranch(made["branch"]), NOBODY)
            assert made["title"].startswith("token ")
            assert alike["title"] == made["title"]
            assert [key in one["title"] for one in (made, forked)] == [is_kept] * 2
            with pytest.raises(BadInput, match="a title is one line"):
                await branches.create(side, CreateBranch("x y " * 2000), NOBODY)
    finally:
        await host.close()
