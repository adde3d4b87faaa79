"""`understudy/branch/run` over LSP: unsaved buffers, live output, receipts, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import SECONDS, Editor, Json, open_editor
from tests.langserver.toybox import ended_in
from tests.support.workspace import state_of

CANCELLED = -32800
FILES = {"a.py": "a = 1\n", "b.txt": "one\n", "sub/c.txt": "c\n"}
TRUSTED = {"trusted": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", FILES)


@pytest.fixture(autouse=True)
def untouched(folder: Path) -> Any:
    before = state_of(folder)
    yield
    assert state_of(folder) == before


def shell(script: str, **more: Any) -> Json:
    return {"command": ["sh", "-c", script], **more}


async def run(editor: Editor, script: str, **more: Any) -> Json:
    return await editor.ask("understudy/branch/run", shell(script, **more))


def heard(editor: Editor, token: str) -> list[Json]:
    """What was sent under a token so far."""
    progress = (m["params"] for m in editor.recorder.unasked() if m["method"] == "$/progress")
    return [params["value"] for params in progress if params["token"] == token]


def contents(named: Json) -> str:
    """The file that a receipt names."""
    return Path(named["path"]).read_text()


async def test_unsaved_buffers_and_the_branch(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        editor.open("b.txt", "typed, not saved\n", "plaintext")
        branch = await editor.branch(
            {"kind": "write", "path": "a.py", "text": "a = 2\n"},
            {"kind": "write", "path": "new.txt", "text": "new\n"},
        )
        receipt = await run(editor, "pwd; cat a.py b.txt new.txt; echo x >> a.py", branch=branch)
        assert receipt["status"] == 0
        text = f"{folder}\na = 2\ntyped, not saved\nnew\n"
        assert receipt["output"]["head"] == text
        assert contents(receipt["output"]) == text
        assert [item["path"] for item in receipt["changed"]] == ["a.py"]
        assert receipt["stage"]["isolation"]["files"]
        base = await run(editor, "cat a.py b.txt; ls")
        assert base["output"]["head"] == "a = 1\ntyped, not saved\na.py\nb.txt\nsub\n"
        assert base["stamp"] != receipt["stamp"]


async def test_output_comes_live_under_the_token(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        params = shell("echo out; echo err >&2; sleep 1000", partialResultToken="t1")
        request_id, answer = editor.pending("understudy/branch/run", params)

        async def both(stream: str, text: str) -> None:
            await editor.recorder.wait_for(
                lambda m: (
                    m.get("method") == "$/progress"
                    and m["params"]["token"] == "t1"
                    and m["params"]["value"] == {"stream": stream, "text": text}
                )
            )

        await both("stdout", "out\n")
        await both("stderr", "err\n")
        editor.cancel(request_id)
        assert (await answer(SECONDS))["error"]["code"] == CANCELLED
        again = await run(editor, "printf 'h\\303\\251'; printf '\\377'", partialResultToken="t2")
        assert again["status"] == 0
        assert "".join(value["text"] for value in heard(editor, "t2")) == "h\u00e9\ufffd"
    assert ended_in(folder)


async def test_a_flood_does_not_reach_the_editor(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        receipt = await run(editor, "yes | head -c 20000000", partialResultToken="t")
        assert receipt["output"]["bytes"] == 20_000_000
        values = heard(editor, "t")
        assert sum(len(value["text"]) for value in values) == 4 * 1024 * 1024
        assert values[-1] == {"stream": "stdout", "text": "", "cut": True}
        assert len(contents(receipt["output"])) == 20_000_000


async def test_adoption_and_the_patch(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        branch = await editor.branch({"kind": "write", "path": "a.py", "text": "a = 2\n"})
        receipt = await run(
            editor, "echo 'b = 3' >> a.py; rm sub/c.txt", branch=branch, adopt=True, patch=True
        )
        assert receipt["adopted"] == {
            "branch": branch, "files": ["a.py", "sub/c.txt"], "refused": []
        }  # fmt: skip
        diff = await editor.diff(branch)
        assert "+a = 2\n+b = 3\n" in diff
        assert "deleted file" in diff
        patch = contents(receipt["patch"])
        assert "-a = 1" not in patch
        assert "+b = 3\n" in patch


async def test_runs_share_a_stage_by_name(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        params = shell("echo up; echo here > found; sleep 1000", stage="s", partialResultToken="t")
        request_id, answer = editor.pending("understudy/branch/run", params)
        await editor.recorder.wait_for(lambda m: m.get("params", {}).get("token") == "t")
        script = "while ! [ -s found ]; do :; done; cat found"
        assert (await run(editor, script, stage="s"))["output"]["head"] == "here\n"
        assert (await run(editor, "ls"))["output"]["head"] == "a.py\nb.txt\nsub\n"
        editor.cancel(request_id)
        await answer(SECONDS)
        assert (await run(editor, "ls", stage="s"))["output"]["head"] == "a.py\nb.txt\nsub\n"


async def test_many_at_once(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        scripts = [f"echo {number} > b.txt; cat b.txt" for number in range(8)]
        receipts = await asyncio.gather(*(run(editor, script) for script in scripts))
        assert [r["output"]["head"] for r in receipts] == [f"{number}\n" for number in range(8)]
        assert len({r["output"]["path"] for r in receipts}) == 8


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "bad-params"),
        ({"command": "ls"}, "bad-params"),
        ({"command": []}, "no-command"),
        ({"command": ["ls"], "nonsense": 1}, "bad-params"),
        ({"command": ["ls"], "network": "all"}, "bad-params"),
        ({"command": ["ls"], "memory": 0}, "bad-limit"),
        ({"command": ["ls"], "memory": 10**30}, "bad-limit"),
        ({"command": ["ls"], "disk": -5}, "bad-limit"),
        ({"command": ["ls"], "env": ["A"]}, "bad-params"),
        ({"command": ["ls"], "env": {"A": 1}}, "bad-params"),
        ({"command": ["ls"], "branch": "b99"}, "unknown-branch"),
        ({"command": ["ls"], "adopt": True}, "no-branch"),
        ({"command": ["ls"], "cwd": "../.."}, "outside-root"),
        ({"command": ["ls"], "timeout": -1}, "bad-timeout"),
        ({"command": ["ls"], "stage": "a\nb"}, "bad-stage-name"),
        ({"command": ["nosuch"]}, "command-not-found"),
        ({"command": ["./b.txt"]}, "command-not-executable"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_cannot_be_run(refusing: Editor, params: Json, code: str) -> None:
    before = state_of(refusing.root)
    error = await refusing.refusal("understudy/branch/run", params)
    assert error["data"]["code"] == code
    assert state_of(refusing.root) == before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refusing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for all that is refused: it leaves nothing behind, and runs what is right."""
    place = tmp_path_factory.mktemp("refusing")
    folder = make_folder(place / "work", FILES)
    async with open_editor(folder, place / "state", TRUSTED) as editor:
        yield editor
        assert (await run(editor, "cat b.txt"))["output"]["head"] == "one\n"
        assert (await editor.ask("understudy/status"))["branches"] == 0


async def test_an_untrusted_folder(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"trusted": False}) as editor:
        error = await editor.refusal("understudy/branch/run", {"command": ["true"]})
        assert error["data"]["code"] == "untrusted"
        assert "understudy trust" in error["data"]["text"]
        assert "Workspaces: Manage Workspace Trust" in error["data"]["text"]


async def test_a_host_that_ends_takes_its_runs_with_it(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        params = shell("(setsid sleep 1000 &); echo up; sleep 1000", partialResultToken="t")
        _, answer = editor.pending("understudy/branch/run", params)
        await editor.recorder.wait_for(lambda m: m.get("params", {}).get("token") == "t")
        assert await editor.shut_down() == 0
        del answer
    assert ended_in(folder)


async def test_a_killed_host_takes_its_runs_with_it(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        params = shell("(setsid sleep 1000 &); echo up; sleep 1000", partialResultToken="t")
        editor.pending("understudy/branch/run", params)
        await editor.recorder.wait_for(lambda m: m.get("params", {}).get("token") == "t")
        editor.client.process.kill()
        await asyncio.wait_for(editor.client.process.wait(), SECONDS)
    async with open_editor(folder, state, TRUSTED) as editor:
        assert (await run(editor, "ls"))["status"] == 0
    stages = [path for path in (state / "understudy").rglob("stage-*") if path.is_dir()]
    assert stages == []
