"""What the user types into an editor becomes the base, whatever the text is made of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, Json, connect, open_editor
from tests.support.workspace import state_of

of_the_session = pytest.mark.asyncio(loop_scope="module")
BOM = b"\xef\xbb\xbf"
FILES: dict[str, str | bytes] = {
    "plain.txt": "on disk\n",
    "bom.txt": BOM + b"first\r\nsecond\r\n",
    "latin.txt": b"caf\xe9\nrest\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", FILES)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for the tests that type: not a byte or time in the folder changes."""
    place = tmp_path_factory.mktemp("documents")
    folder = make_folder(place / "work", FILES)
    before = state_of(folder)
    async with open_editor(folder, place / "state") as opened:
        yield opened
    assert state_of(folder) == before


@pytest_asyncio.fixture(loop_scope="module")
async def editor(session: Editor) -> AsyncIterator[Editor]:
    """The session, with no document open and no branch, as it is again afterwards."""
    yield session
    for path in ("plain.txt", "new.txt"):
        session.close(path)
    status = await session.ask("understudy/status")
    assert (status["branches"], await base_text(session, "plain.txt")) == (0, "on disk")


async def base_text(editor: Editor, path: str) -> str:
    """What the base has at a path: the lines that a branch which empties the file takes away."""
    branch = await editor.branch({"kind": "write", "path": path, "text": ""})
    diff = await editor.diff(branch)
    await editor.ask("understudy/branch/discard", {"branch": branch})
    lines = diff.split("\n")
    return "\n".join(line[1:] for line in lines if line.startswith("-") and line[:4] != "--- ")


def put(line: int, start: int, end: int, text: str) -> Json:
    """A change of one line, between two UTF-16 columns."""
    places = ({"line": line, "character": column} for column in (start, end))
    return {"range": dict(zip(("start", "end"), places, strict=True)), "text": text}


CHANGES = [
    # text opened, changes, text after
    ("one\ntwo\n", [put(1, 0, 3, "2")], "one\n2"),
    ("one\n", [{"text": "whole\n"}], "whole"),
    ("a\U0001f600b\nc\n", [put(0, 3, 4, "B")], "a\U0001f600B\nc"),
    ("a\U0001f600b\n", [put(0, 1, 3, "")], "ab"),
    ("\U0001f600\U0001f600\n", [put(0, 2, 2, "é"), put(0, 3, 5, "x")], "\U0001f600éx"),
    ("one\r\ntwo\r\n", [put(1, 0, 3, "2")], "one\r\n2\r"),
    ("one\r\ntwo\r\n", [put(0, 3, 3, "!\r\nnew")], "one!\r\nnew\r\ntwo\r"),
    ("", [put(0, 0, 0, "typed\n")], "typed"),
]


@of_the_session
@pytest.mark.parametrize(("opened", "changes", "expected"), CHANGES)
async def test_changes_count_in_utf16(
    editor: Editor, opened: str, changes: list[Json], expected: str
) -> None:
    editor.open("plain.txt", opened, "plaintext")
    editor.change("plain.txt", *changes)
    assert await base_text(editor, "plain.txt") == expected


@pytest.mark.parametrize("encodings", [["utf-8", "utf-16"], ["utf-32"]])
async def test_and_so_does_all_else_whatever_a_client_prefers(
    folder: Path, state: Path, encodings: list[str]
) -> None:
    async with connect(folder, state) as editor:
        answer = await editor.initialize(general={"positionEncodings": encodings})
        assert answer["result"]["capabilities"]["positionEncoding"] == "utf-16"
        editor.open("plain.txt", "é\U0001f600b\n", "plaintext")
        editor.change("plain.txt", put(0, 3, 4, "B"))
        assert await base_text(editor, "plain.txt") == "é\U0001f600B"
        edit = {"range": put(0, 3, 4, "")["range"], "newText": "C"}
        changes = {editor.uri("plain.txt"): [edit]}
        branch = await editor.branch({"kind": "workspaceEdit", "edit": {"changes": changes}})
        assert "+é\U0001f600C\n" in await editor.diff(branch)


@of_the_session
async def test_a_buffer_hides_the_disk_until_it_is_closed(editor: Editor) -> None:
    editor.open("plain.txt", "in the buffer\n", "plaintext")
    assert await base_text(editor, "plain.txt") == "in the buffer"
    editor.close("plain.txt")
    assert await base_text(editor, "plain.txt") == "on disk"


@of_the_session
async def test_a_new_file_that_was_never_saved(editor: Editor) -> None:
    editor.open("new.txt", "only here\n", "plaintext")
    assert await base_text(editor, "new.txt") == "only here"


@of_the_session
async def test_documents_elsewhere_are_not_ours(editor: Editor, tmp_path: Path) -> None:
    generation = (await editor.ask("understudy/status"))["generation"]
    editor.open("../elsewhere.txt", "text\n", "plaintext")
    editor.change("../elsewhere.txt", {"text": "other\n"})
    editor.close("../elsewhere.txt")
    assert (await editor.ask("understudy/status"))["generation"] == generation


@of_the_session
async def test_half_a_surrogate_pair_in_a_buffer(editor: Editor) -> None:
    editor.open("plain.txt", "a\ud83d b\n", "plaintext")
    assert await base_text(editor, "plain.txt") == "a\ufffd b"


async def test_the_form_of_the_file_survives_buffer_and_branch(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    async with open_editor(folder, state) as editor:
        editor.open("bom.txt", "first\r\nsecond\r\n", "plaintext")
        edit = {"kind": "replace", "path": "bom.txt", "old": "second", "new": "2nd"}
        branch = await editor.branch(edit)
        assert "first" not in removed(await editor.diff(branch))
    assert shell("branches", "accept", branch).code == 0
    assert (folder / "bom.txt").read_bytes() == BOM + b"first\r\n2nd\r\n"


async def test_bytes_that_are_no_utf8_survive(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    async with open_editor(folder, state) as editor:
        edit = {"kind": "replace", "path": "latin.txt", "old": "rest", "new": "REST"}
        branch = await editor.branch(edit)
        assert "caf\ufffd" in await editor.diff(branch)
    assert shell("branches", "accept", branch).code == 0
    assert (folder / "latin.txt").read_bytes() == b"caf\xe9\nREST\n"


def removed(diff: str) -> str:
    return "\n".join(line for line in diff.split("\n") if line.startswith("-"))
