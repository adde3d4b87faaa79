"""`understudy/outline` and `understudy/map`: unsaved text, branches, a loop that goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, Json, open_editor
from tests.support.workspace import state_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHAPES = "class Shape:\n    def area(self) -> float:\n        return 1.0\n"
FILES: dict[str, str | bytes] = {
    "shapes.py": SHAPES,
    "app/main.py": "from shapes import Shape\n\n\ndef run():\n    Shape().area()\n",
    "binary.py": b"\0\1",
    "big.c": "".join(f"int f{n}(int a) {{ return a + {n}; }}\n" for n in range(40_000)),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    place = tmp_path_factory.mktemp("outline")
    folder = make_folder(place / "work", FILES)
    before = state_of(folder)
    async with open_editor(folder, place / "state") as opened:
        yield opened
    assert state_of(folder) == before


async def outline(editor: Editor, path: str, **params: object) -> Json:
    return await editor.ask("understudy/outline", {"path": path, **params})


async def test_what_is_on_disk_in_a_buffer_and_in_a_branch(editor: Editor) -> None:
    disk = await outline(editor, "shapes.py")
    assert disk["text"].splitlines()[1:] == [
        "1-3: class Shape",
        " 2-3: def area(self) -> float: ...",
    ]
    branch = await editor.branch(
        {"kind": "replace", "path": "shapes.py", "old": "area", "new": "volume"}
    )
    edited = await outline(editor, "shapes.py", branch=branch)
    assert "def volume" in edited["text"]
    assert edited["sha"] != disk["sha"]
    editor.open("shapes.py", SHAPES.replace("area", "typed"))
    assert "def typed" in (await outline(editor, "shapes.py"))["text"]
    editor.close("shapes.py")
    assert await outline(editor, "shapes.py") == disk


async def test_bodies_and_stale_digests(editor: Editor) -> None:
    read = await outline(editor, "shapes.py", form="read")
    assert (read["form"], read["text"]) == ("full", SHAPES)
    body = await outline(editor, "shapes.py", form="full", symbol="Shape.area", ifSha=read["sha"])
    assert body["text"] == "".join(SHAPES.splitlines(keepends=True)[1:])
    assert (await outline(editor, "big.c", form="read"))["form"] == "outline"
    lines = await outline(editor, "big.c", form="full", range=[2, 3])
    assert lines["text"] == "".join(str(FILES["big.c"]).splitlines(keepends=True)[1:3])


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "bad-params"),
        ({"path": "nope.py"}, "no-such-file"),
        ({"path": "binary.py"}, "not-text"),
        ({"path": "../x.py"}, "outside-root"),
        ({"path": "shapes.py", "branch": "b99"}, "unknown-branch"),
        ({"path": "shapes.py", "symbol": "Nope"}, "no-symbol"),
        ({"path": "shapes.py", "range": [9, 12]}, "no-lines"),
        ({"path": "shapes.py", "range": [1]}, "bad-params"),
        ({"path": "shapes.py", "range": [1, 2], "symbol": "Shape"}, "bad-params"),
        ({"path": "shapes.py", "form": "all"}, "bad-params"),
        ({"path": "shapes.py", "ifSha": "00000000"}, "stale-text"),
        ({"path": "big.c", "budget": 10}, "budget-too-small"),
    ],
)
async def test_mistakes_are_named(editor: Editor, params: Json, code: str) -> None:
    error = await editor.refusal("understudy/outline", params)
    assert (error["code"], error["data"]["code"]) == (-32602, code)


async def test_a_map_with_its_progress(editor: Editor) -> None:
    first = await editor.ask("understudy/map", {"budget": 300, "workDoneToken": "map"})
    steps = [
        message["params"]["value"]["kind"]
        for message in editor.recorder.unasked()
        if message["method"] == "$/progress" and message["params"]["token"] == "map"
    ]
    assert steps[0] == "begin"
    assert steps[-1] == "end"
    assert "report" in steps
    assert "\nshapes.py\n 1-3: class Shape\n" in first["text"]
    assert (first["files"], first["unread"]) == (3, [])
    assert await editor.ask("understudy/map", {"budget": 300}) == first


async def test_a_map_of_a_branch_and_of_a_folder(editor: Editor) -> None:
    branch = await editor.branch(
        {"kind": "write", "path": "app/new.py", "text": "class Fresh: ...\n"},
        {"kind": "delete", "path": "shapes.py"},
    )
    mapped = await editor.ask("understudy/map", {"branch": branch, "budget": 300})
    assert "class Fresh" in mapped["text"]
    assert "class Shape" not in mapped["text"]
    folder = await editor.ask("understudy/map", {"branch": branch, "folder": "app"})
    assert folder["files"] == 2
    assert "\napp/new.py\n 1: class Fresh" in folder["text"]
    for params, code in (
        ({"folder": "nope"}, "no-such-root"),
        ({"budget": 5}, "budget-too-small"),
        ({"task": "app/main.py"}, "bad-params"),
    ):
        error = await editor.refusal("understudy/map", params)
        assert error["data"]["code"] == code


async def test_others_are_answered_while_a_big_file_is_outlined(editor: Editor) -> None:
    text = str(FILES["big.c"]) + "int last;\n"
    branch = await editor.branch({"kind": "write", "path": "other.c", "text": text})
    outlining = asyncio.ensure_future(outline(editor, "other.c", branch=branch))
    n_answers = 0
    while not outlining.done():
        await editor.ask("understudy/branch/list")
        n_answers += 1
    assert n_answers > 10  # a second of parsing; one answer takes milliseconds
    assert (await outlining)["lines"] == 40_001


async def test_giving_up_is_answered(editor: Editor) -> None:
    text = str(FILES["big.c"]) + "int another;\n"
    branch = await editor.branch({"kind": "write", "path": "third.c", "text": text})
    request, response = editor.pending("understudy/outline", {"path": "third.c", "branch": branch})
    editor.cancel(request)
    assert (await response(30))["error"]["code"] == -32800
    assert (await outline(editor, "shapes.py"))["complete"]
