"""An agent over MCP gets the folders that the user or the client has named, and nothing of ours."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.attacks.raw_mcp import open_raw
from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import open_editor
from tests.support.workspace import state_of

KEY = "def the_secret_key_of_the_user(): ...\n"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "project", {"a.py": "x = 1\n", "sub/b.py": "y = 2\n"})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with keys, which the user has trusted, and which nobody has named."""
    return make_folder(tmp_path / "keys", {"key.py": KEY, "a.py": KEY})


def spellings(folder: Path, project: Path) -> list[str]:
    """Ways to name a folder that nobody has named."""
    link = project / "link"
    link.symlink_to(folder)
    return [
        str(folder),
        f"{folder}/",
        f"{folder}/.",
        f"/proc/self/root{folder}",
        f"{project}/../{folder.name}",
        f"../{folder.name}",
        str(link),
        f"{project}/sub/../link",
        f"//{folder}",
    ]


async def test_no_folder_that_an_agent_names(
    project: Path, home: Path, tmp_path: Path, state: Path
) -> None:
    assert (await asyncio.to_thread(Shell(home, state), "trust")).code == 0
    others = [*spellings(home, project), "/", str(tmp_path), str(Path.home()), f"{project}/sub"]
    before = state_of(home)
    async with open_raw(state, "--root", str(project), cwd=home) as client:
        for number, wish in enumerate([*others, "~", "\0", "x" * 100_000, ""], 1):
            text = await client.call(
                number, "understudy_code", action="source", path="key.py", root=wish
            )
            expected = "no-such-file: " if wish == "" else "root-not-served: "
            assert text.startswith(expected), (wish[:200], text[:300])
            assert "the_secret_key" not in text
            assert len(text) < 8192
        ran = await client.call(
            90, "understudy_run", command=["touch", str(home / "ran")], root=str(home)
        )
        assert ran.startswith("root-not-served: ")
        for same in (".", str(project), f"{project}/", f"{project}/sub/.."):
            text = await client.call(91, "understudy_code", action="source", path="a.py", root=same)
            assert "x = 1" in text
    assert state_of(home) == before


async def test_what_the_client_and_the_user_have_named(
    project: Path, home: Path, tmp_path: Path, state: Path
) -> None:
    third = make_folder(tmp_path / "third", {"a.py": "z = 3\n"})

    async with open_raw(state, cwd=third, roots=[project]) as client:
        assert "x = 1" in await client.call(1, "understudy_code", action="source", path="a.py")
        for number, wish in ((2, third), (3, home)):
            text = await client.call(
                number, "understudy_code", action="source", path="a.py", root=str(wish)
            )
            assert text.startswith("root-not-served: ")
        client.roots.append(third)
        text = await client.call(
            4, "understudy_code", action="source", path="a.py", root=str(third)
        )
        assert "z = 3" in text
        client.roots.remove(third)
        client.send({"method": "notifications/roots/list_changed"})
        text = await client.call(
            5, "understudy_code", action="source", path="a.py", root=str(third)
        )
        assert text.startswith("root-not-served: ")
    async with open_raw(state, "--root", str(project), "--root", str(third), cwd=home) as client:
        for number, (wish, said) in enumerate(((project, "x = 1"), (third, "z = 3")), 1):
            text = await client.call(
                number, "understudy_code", action="source", path="a.py", root=str(wish)
            )
            assert said in text


async def test_no_state_is_a_file_of_ours(project: Path, home: Path, state: Path) -> None:
    """Whoever names a folder: nothing of another workspace's state, nor of this one's but its
    outputs."""
    config = state / "config" / "understudy"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("# the user's own\n")
    async with (
        open_editor(home, state, {"trusted": True}) as editor,
        open_raw(state, "--root", str(project), cwd=project) as client,
    ):
        await editor.ask("understudy/status")
        assert "x = 1" in await client.call(1, "understudy_code", action="source", path="a.py")
        kept = state / "understudy" / "workspaces"
        (other,) = (one for one in kept.iterdir() if one.name.startswith("keys-"))
        (own,) = (one for one in kept.iterdir() if one.name.startswith("project-"))
        token = json.loads((other / "host.json").read_text())["token"]
        (project / "leads_there").symlink_to(other)
        (project / "host.json").symlink_to(other / "host.json")
        (project / "settings.toml").symlink_to(config / "config.toml")
        shared = own / "terminals"
        shared.mkdir(exist_ok=True)
        (shared / "focus").write_text("1\n")
        (shared / "1.off").write_text("off\n")
        number = 10
        for path in (
            "host.json", "leads_there/host.json", "settings.toml", str(other / "host.json"),
            str(own / "host.json"), "runs/../host.json", "terminals/focus", "terminals/1.off",
            "runs/..", "terminals/./focus", "../host.json", "tool/../../host.json",
            "user/../trust.json", "skills/../../journal.sqlite", "history/.x.lock",
            "journal.sqlite",
        ):  # fmt: skip
            for action in ("source", "outline", "read", "tail", "grep"):
                number += 1
                text = await client.call(
                    number, "understudy_context", action=action, path=path, pattern="."
                )
                assert token not in text
                assert text.split(":")[0] in REFUSALS, (action, path, text[:300])
        listed = await client.call(1000, "understudy_code", action="map")
        assert "token" not in listed
    for wrong in (other, own, kept, config, own / "context"):
        own_made = wrong if wrong.exists() else wrong.parent
        for where in (["--root", str(own_made)], []):
            async with open_raw(state, *where, cwd=own_made) as client:
                for number, action in enumerate(("source", "map"), 1):
                    text = await client.call(
                        number, "understudy_context", action=action, path="host.json"
                    )
                    assert text.startswith(("own-folder: ", "state-inside-root: ")), text[:300]


REFUSALS = {
    *("own-folder", "outside-root", "not-kept", "no-such-file", "bad-store-path", "no-such-blob"),
    *("bad-path", "is-folder"),
}


async def test_the_network_is_the_users_to_allow(project: Path, state: Path) -> None:
    assert (await asyncio.to_thread(Shell(project, state), "trust")).code == 0
    command = [
        "python3", "-c", "import os; print('interfaces', sorted(os.listdir('/sys/class/net')))",
    ]  # fmt: skip
    asked = {"command": command, "network": "host"}
    async with open_raw(state, "--root", str(project), cwd=project) as client:
        text = await client.call(1, "understudy_run", **asked)
        assert text.startswith("network-not-allowed: "), text
        assert (await client.call(2, "understudy_run", command=["true"])).startswith("exit 0")
        async with open_raw(
            state, "--root", str(project), "--net", "host", cwd=project
        ) as allowed:  # it attaches to the first one's host
            assert (await allowed.call(1, "understudy_run", **asked)).startswith("exit 0")
            text = await client.call(3, "understudy_run", **asked)
            assert text.startswith("network-not-allowed: ")


async def test_an_attached_client_without_a_user_has_no_network(project: Path, state: Path) -> None:
    asked = {"command": ["true"], "network": "host"}
    run, tool = "understudy/branch/run", "understudy/tool"
    call = {"tool": "understudy_run", "input": asked, "session": "s"}
    async with open_editor(project, state, {"trusted": True}) as editor:
        assert (await editor.ask(run, asked))["stage"]["isolation"]["network"] is False
        assert (await editor.ask(tool, call))["text"].startswith("exit 0")
        async with open_editor(project, state, {}) as agent:
            for method, params in ((run, asked), (tool, call)):
                refused = await agent.refusal(method, params)
                assert refused["data"]["code"] == "network-not-allowed"
        async with open_editor(project, state, {"user": True}) as another:
            assert (await another.ask(run, asked))["stage"]["isolation"]["network"] is False


def test_what_else_a_user_allows_is_refused(project: Path, state: Path) -> None:
    done = Shell(project, state)("mcp", "--net", "all", stdin="")
    assert done.code == 2
    assert "'none', 'host'" in done.err
