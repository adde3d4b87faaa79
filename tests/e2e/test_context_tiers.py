"""Session, project and user: the table of the reference, held against what the commands do."""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.workspace import state_of
from understudy.workspace.settings import Settings

DAY = 86_400
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "context.md"
NOTE = "The deploy key of the zebra lies in the vault.\n"
RESULT = '{"kind": "result", "tool": "ls", "call": "1", "text": "%s"}'


@dataclass(frozen=True)
class Tier:
    """A row of the table."""

    folder: str
    paths: tuple[str, ...]
    days: int
    settings: tuple[str, ...]


def told() -> dict[str, Tier]:
    text = PAGE.read_text(encoding="utf-8").partition("The tiers are folders")[2]
    rows: dict[str, Tier] = {}
    for line in text.splitlines()[4:]:
        if not line.startswith("|"):
            return rows
        name, folder, _, paths, forgotten, settings = (
            cell.strip() for cell in line.split("|")[1:-1]
        )
        days = re.match(r"(\d+) days after ", forgotten)
        assert days is not None
        quoted = re.compile(r"`([^`]+)`")
        rows[name] = Tier(
            folder.strip("`"), tuple(quoted.findall(paths)), int(days[1]),
            tuple(quoted.findall(settings)),
        )  # fmt: skip
    raise AssertionError("the table has no end")


@dataclass(frozen=True)
class Kept:
    """One thing in each tier, as its command says where it is."""

    paths: dict[str, str]
    files: dict[str, Path]


@pytest.fixture
def home(state: Path) -> Path:
    return state / "understudy"


def keep_one_in_each(shell: Shell, home: Path) -> Kept:
    put = shell("context", "put", "--format", "json", stdin="of this folder").json
    user = shell(
        "context", "put", "--tier", "user", "--label", "notes", "--format", "json", stdin=NOTE
    ).json
    shell("context", "log", "s", "--append", "-", stdin=RESULT % "short")
    (log,) = home.glob("workspaces/*/context/history/s.jsonl")
    return Kept(
        {"session": "history/s.md", "project": put["path"], "user": user["path"]},
        {"session": log, "project": Path(put["file"]), "user": Path(user["file"])},
    )


def age(kept: Kept, days: dict[str, float]) -> None:
    """As if the last use was so long ago, and nothing was tidied since yesterday."""
    now = time.time()
    for name, file in kept.files.items():
        os.utime(file, (now - days[name] * DAY, now - days[name] * DAY))
    for mark in {file.parents[1] / "tidied" for file in kept.files.values()}:
        mark.unlink(missing_ok=True)


def test_each_tier_has_its_folder_paths_and_defaults(shell: Shell, home: Path) -> None:
    tiers, kept = told(), keep_one_in_each(shell, home)
    assert list(tiers) == ["session", "project", "user"]
    for name, tier in tiers.items():
        pattern = tier.folder.replace("NAME", "*")
        assert kept.files[name].is_relative_to(*home.glob(pattern))
        assert kept.paths[name].startswith(tier.paths), (name, kept.paths)
        assert shell("context", "get", kept.paths[name]).code == 0
        assert getattr(Settings(), tier.settings[0]) == tier.days
    names = {name for tier in tiers.values() for name in tier.settings}
    assert names == {name for name in vars(Settings()) if name.startswith("context_")}


def test_each_tier_is_forgotten_by_its_own_days(shell: Shell, home: Path) -> None:
    tiers, kept = told(), keep_one_in_each(shell, home)
    for more, left in ((-1, list(tiers)), (1, [])):
        then = {name: tier.days + more for name, tier in tiers.items()}
        age(kept, then)
        assert shell("context", "put", stdin=f"tidies {more}").code == 0
        assert [name for name, file in kept.files.items() if file.exists()] == left


def test_what_the_user_keeps_outlives_the_workspace(shell: Shell, home: Path) -> None:
    kept = keep_one_in_each(shell, home)
    user = kept.files["user"]
    assert stat.S_IMODE(user.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in user.parents[:2]} == {0o700}
    shutil.rmtree(shell.folder)
    shutil.rmtree(home / "workspaces")
    other = Shell(make_folder(shell.folder.parent / "other", {"a.py": ""}), shell.state)
    before = state_of(other.folder)
    path = kept.paths["user"]
    assert other("context", "get", path).out == NOTE
    assert other("context", "get", str(user)).out == NOTE
    for found in (
        other("context", "search", "zebra", "key"),
        other("context", "search", "--kind", "user", "--grep", "zebra"),
    ):
        assert found.out == f"{path}:1: {NOTE}"
    assert other("context", "search", "--kind", "tool", "--grep", "zebra").out == ""
    again = other("context", "put", "--tier", "user", "--label", "notes", stdin=NOTE).out
    assert again.startswith("[understudy] 47 bytes, 1 lines; the whole is in user/tool/notes-")
    assert state_of(other.folder) == before


def test_what_is_read_or_in_a_log_of_any_workspace_stays(shell: Shell, home: Path) -> None:
    old = {"session": 0, "project": 0, "user": 400}
    kept = keep_one_in_each(shell, home)
    age(kept, old)
    shell("context", "get", kept.paths["user"])
    assert shell("context", "put", stdin="tidies").code == 0
    assert kept.files["user"].exists(), "it is in use"
    other = Shell(make_folder(shell.folder.parent / "other", {"a.py": ""}), shell.state)
    event = RESULT % f"the whole is in {kept.paths['user']}"
    assert other("context", "log", "t", "--append", "-", stdin=event).code == 0
    age(kept, old)
    assert shell("context", "put", stdin="tidies again").code == 0
    assert kept.files["user"].exists(), "a live log of another workspace has its path"
    (log,) = home.glob("workspaces/other-*/context/history/t.jsonl")
    log.unlink()
    age(kept, old)
    assert shell("context", "put", stdin="and again").code == 0
    assert not kept.files["user"].exists()


def test_mistakes(shell: Shell, home: Path) -> None:
    keep_one_in_each(shell, home)
    (home / "secret.txt").write_text("secret")
    before = state_of(home)
    for path in ("user/../secret.txt", "user/history/s.md", str(home / "secret.txt")):
        done = shell("context", "get", path)
        assert (done.code, done.out) == (2, ""), (path, done)
        assert done.err.startswith("understudy: bad-store-path: "), done.err
    for tier in ("session", ""):
        done = shell("context", "put", "--tier", tier, stdin="x")
        assert (done.code, done.out) == (2, ""), done
        assert "--tier" in done.err
        assert re.search(r"project.*user", done.err), done.err
    assert state_of(home) == before


def test_no_folder_says_how_much_the_user_keeps(shell: Shell, state: Path, home: Path) -> None:
    kept = keep_one_in_each(shell, home)
    age(kept, {"session": 0, "project": 0, "user": 100})
    (shell.folder / "understudy.toml").write_text("context_user_mb = 0\n")
    refused = shell("context", "put", stdin="tidies")
    assert refused.code == 0
    assert "bad-setting: understudy.toml: context_user_mb: " in refused.err
    assert kept.files["user"].exists()
    (shell.folder / "understudy.toml").unlink()
    write_user_settings(state, "context_user_mb = 0\n")
    assert shell("context", "put", stdin="tidies again").code == 0
    assert not kept.files["user"].exists()


async def test_the_editor_keeps_it_and_agents_read_it(tmp_path: Path, state: Path) -> None:
    root = make_folder(tmp_path / "work", {"a.py": "x = 1\n"})
    async with open_editor(root, state) as editor:
        put = {"text": NOTE, "label": "notes", "kind": "file", "tier": "user"}
        kept = await editor.ask("understudy/context/put", put)
        assert kept["path"].startswith("user/file/notes-")
        got = await editor.ask("understudy/context/get", {"path": kept["path"]})
        assert got["text"] == f"1| {NOTE}"
        refusal = await editor.refusal("understudy/context/put", {**put, "tier": "session"})
        assert refusal["data"]["code"] == "bad-params"
    other = make_folder(tmp_path / "other", {"b.py": ""})
    read = {"action": "read", "path": kept["path"]}
    async with open_editor(other, state) as editor:
        answer = await editor.ask(
            "understudy/tool", {"tool": "understudy_context", "input": read, "session": "one"}
        )
        assert answer["text"].endswith(f"1| {NOTE}")
        source = {"kind": "result", "tool": "cat", "call": "1", "text": NOTE}
        event = {**source, "source": kept["path"]}
        await editor.ask("understudy/context/log", {"log": "s", "events": [event]})
        async with open_agent(state, cwd=other) as agent:
            text = await agent.call("understudy_context", **read)
            assert text.endswith(f"1| {NOTE}")
            found = await agent.call("understudy_context", action="search", pattern="zebra vault")
            assert f"{kept['path']}:1: {NOTE}" in found
            for path in ("user/../workspaces", "user/history/s.md", "user/file/none.txt"):
                refused = await agent.refusal("understudy_context", action="tail", path=path)
                assert refused.startswith(("bad-store-path: ", "no-such-blob: ")), refused
