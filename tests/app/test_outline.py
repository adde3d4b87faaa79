"""Outlines of files of a snapshot: parsed beside the event loop, kept by content, never a crash."""

import asyncio
import codecs
import os
import signal
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import psutil
import pytest

from tests.support.programs import worker_processes
from tests.support.workspace import workspace
from understudy.disk.folder.scan import FolderReader
from understudy.disk.map_cache import CACHE_VARIABLE
from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.texts import PackedText, Text
from understudy.workspace.outlines import outliner as outline_module
from understudy.workspace.outlines.outliner import OutlineAnswer, Outliner, outline_files
from understudy.workspace.outlines.work import OutlineWish, deliver
from understudy.workspace.workers import Workers

SMALL = '''"""A sample."""

LIMIT = 3


class Shape:
    """Something drawn."""

    sides: int = 0

    def area(self, scale: float = 1.0) -> float:
        """How big it is."""
        return scale * self.sides


def draw(shape: Shape) -> None:
    print(shape)
'''
HANGS = Path(__file__).parent.parent / "data" / "hangs_the_parser.js"
LONG = "".join(f"def f{n}(x: int) -> int:\n    return x + {n}\n\n\n" for n in range(1000))


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers()
    yield made
    await made.close()


@pytest.fixture
def outliner(workers: Workers, tmp_path: Path) -> Outliner:
    return Outliner(workers, tmp_path / "cache.sqlite")


async def of_text(
    outliner: Outliner, base: Base, path: str, text: str, wish: OutlineWish | None = None
) -> OutlineAnswer:
    """A branch has this text at the path."""
    snapshot = Snapshot(base, {path: PackedText.pack(Text(text))})
    return await outliner.outline(snapshot, path, wish or OutlineWish())


async def on_disk(
    folder: Path,
    files: Mapping[str, bytes],
    wish: OutlineWish | None = None,
    sha: str | None = None,
) -> list[OutlineAnswer | UnderstudyError]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return await outline_files(folder, list(files), wish or OutlineWish(), sha)


async def test_the_user_s_text_and_a_branch_s(outliner: Outliner, tmp_path: Path):
    async with workspace(tmp_path, {"a.py": SMALL}) as space:
        space.type("typed.py", "def typed() -> None: ...\n")
        base = space.base
        disk = (await outliner.outline(Snapshot(base), "a.py", OutlineWish())).delivery
        assert "def area(self, scale: float = 1.0) -> float" in disk.text
        assert "complete" in disk.text.splitlines()[0]
        assert (disk.form, disk.language, disk.n_lines) == ("outline", "python", 17)
        typed = await outliner.outline(Snapshot(base), "typed.py", OutlineWish())
        assert "def typed() -> None" in typed.delivery.text
        branch = await of_text(outliner, base, "a.py", SMALL.replace("area", "volume"))
        assert "def volume(self" in branch.delivery.text
        assert branch.digest != PackedText.pack(Text(SMALL)).digest


async def test_equal_texts_are_parsed_once(
    outliner: Outliner, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, {"a.py": SMALL}) as space:
        first = await of_text(outliner, space.base, "a.py", SMALL)
        monkeypatch.setattr("understudy.workspace.outlines.outliner.deliver", deliver_parsed_only)
        again = await of_text(outliner, space.base, "b.py", SMALL)
        symbol = await of_text(outliner, space.base, "b.py", SMALL, OutlineWish(symbol="Shape"))
    assert again.delivery.text.replace("b.py", "a.py") == first.delivery.text
    assert "def draw" not in symbol.delivery.text


def deliver_parsed_only(text, path, wish, parsed, cache):
    """Runs in the worker: as `deliver`, where nothing needs to be parsed."""
    assert parsed is not None, "it was parsed before"
    return deliver(text, path, wish, parsed, cache)


async def test_long_files_are_outlined_when_they_are_read(outliner: Outliner, tmp_path: Path):
    async with workspace(tmp_path, {}) as space:

        async def read(text: str, **wish: object) -> tuple[str, str]:
            answer = await of_text(
                outliner, space.base, "x.py", text, OutlineWish(**{"form": "read", **wish})
            )
            return answer.delivery.form, answer.delivery.text

        assert await read(SMALL) == ("full", SMALL)
        assert await read(LONG.partition("def f750")[0]) == ("full", LONG.partition("def f750")[0])
        form, text = await read(LONG)
        assert form == "outline"
        assert "f999" in text
        assert await read("x = '" + "y" * 100_000 + "'\n") != ("full", SMALL)
        assert (await read("x = '" + "y" * 100_000 + "'\n"))[0] == "outline"
        assert await read(LONG, form="full") == ("full", LONG)


async def test_bodies_by_symbol_and_by_lines(outliner: Outliner, tmp_path: Path):
    async with workspace(tmp_path, {}) as space:

        async def full(**wish: object) -> str:
            answer = await of_text(
                outliner, space.base, "x.py", SMALL, OutlineWish(**{"form": "full", **wish})
            )
            return answer.delivery.text

        lines = SMALL.splitlines(keepends=True)
        assert await full(symbol="Shape.area") == "".join(lines[10:13])
        assert await full(symbol="draw") == "".join(lines[15:17])
        assert await full(lines=(1, 3)) == "".join(lines[:3])
        assert await full(lines=(16, 400)) == "".join(lines[15:])
        for wish, code in (
            ({"symbol": "Shap"}, "no-symbol"),
            ({"lines": (18, 20)}, "no-lines"),
            ({"lines": (0, 2)}, "no-lines"),
            ({"lines": (5, 2)}, "no-lines"),
        ):
            with pytest.raises(BadInput) as caught:
                await full(**wish)
            assert caught.value.code == code
    with pytest.raises(BadInput, match="not for both"):
        OutlineWish(symbol="a", lines=(1, 2))


async def test_a_symbol_that_means_several_gives_all(outliner: Outliner, tmp_path: Path):
    text = "def f():\n    return 1\n\n\nclass A:\n    def f(self):\n        return 2\n"
    async with workspace(tmp_path, {}) as space:
        wish = OutlineWish("full", symbol="f")
        answer = await of_text(outliner, space.base, "x.py", text, wish)
    first, second = "def f():\n    return 1\n", "    def f(self):\n        return 2\n"
    assert answer.delivery.text == f"# lines 1-2\n{first}# lines 6-7\n{second}"


async def test_a_stale_digest_is_refused(outliner: Outliner, tmp_path: Path):
    async with workspace(tmp_path, {"a.py": SMALL}) as space:
        snapshot = Snapshot(space.base)
        digest = (await outliner.outline(snapshot, "a.py", OutlineWish())).digest
        wish = OutlineWish("full", lines=(1, 2))
        assert (await outliner.outline(snapshot, "a.py", wish, digest[:8])).digest == digest
        for stale in ("0" * 8, digest[:3], ""):
            with pytest.raises(BadInput) as caught:
                await outliner.outline(snapshot, "a.py", wish, stale)
            assert caught.value.code == "stale-text"


async def test_one_that_ends_its_worker_is_not_parsed_again(
    workers: Workers, outliner: Outliner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its outline is one by the look of its lines; a change makes it a file like any other."""
    text = LONG * 8
    async with workspace(tmp_path, {}) as space:
        await of_text(outliner, space.base, "small.py", SMALL)
        parsing = asyncio.ensure_future(of_text(outliner, space.base, "big.py", text))
        (victim,) = worker_processes()
        await until_busy(victim)
        os.kill(victim.pid, signal.SIGKILL)
        given_up = await parsing
        assert given_up.delivery.text.splitlines()[0].endswith("PARTIAL: by the look of its lines")
        assert "the parser was ended (worker-died)" in given_up.delivery.text
        assert (
            "def f0("
            in (
                await of_text(outliner, space.base, "big.py", text, OutlineWish(lines=(1, 2)))
            ).delivery.text
        )
        # Another process finds the mark in the cache.
        other = Outliner(workers, tmp_path / "cache.sqlite")
        assert not (await of_text(other, space.base, "big.py", text)).delivery.complete
        changed = await of_text(outliner, space.base, "big.py", text + "\n# changed\n")
        assert changed.delivery.complete


async def until_busy(process: psutil.Process) -> None:
    """Wait until the process has begun to compute."""
    before = process.cpu_times().user

    async def wait() -> None:
        while process.cpu_times().user < before + 0.02:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0)

    await asyncio.wait_for(wait(), 60)


async def test_one_that_never_comes_to_an_end_is_outlined_otherwise(
    outliner: Outliner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A few bytes of junk that a fuzzer has found: the JavaScript grammar never returns."""
    text = HANGS.read_bytes().decode("utf-8", "surrogateescape")
    monkeypatch.setattr(outline_module, "PARSE_SECONDS", 2.0)
    async with workspace(tmp_path, {}) as space:
        answer = await of_text(outliner, space.base, "hangs.js", text)
        again = await of_text(outliner, space.base, "hangs.js", text)
    assert "(work-too-long)" in answer.delivery.text
    assert "PARTIAL" in answer.delivery.text
    assert again == answer


async def test_one_that_eats_memory_is_outlined_otherwise(tmp_path: Path):
    workers = Workers(memory_bytes=60 * 1024 * 1024)
    outliner = Outliner(workers, tmp_path / "cache.sqlite")
    text = "".join(f"a{n} = [{n}, {n}]\n" for n in range(400_000))
    try:
        async with workspace(tmp_path, {}) as space:
            with pytest.raises(UnderstudyError) as caught:
                await of_text(outliner, space.base, "fat.py", text)
            assert caught.value.code in ("work-too-big", "worker-died")
            answer = await of_text(outliner, space.base, "small.py", SMALL)
            assert answer.delivery.complete
    finally:
        await workers.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    made = tmp_path / "folder"
    made.mkdir()
    return made


async def test_texts_in_other_encodings(folder: Path):
    crlf = SMALL.replace("\n", "\r\n").encode()
    latin = SMALL.replace("drawn", "dr\xe4wn").encode("latin-1")
    utf16 = codecs.BOM_UTF16_LE + SMALL.encode("utf-16-le")
    found = await on_disk(
        folder,
        {"a.py": crlf, "b.py": latin, "c.py": utf16, "d.py": codecs.BOM_UTF8 + SMALL.encode()},
        OutlineWish(docs=True),
    )
    bodies = [answer.delivery.text.partition("\n")[2] for answer in found]
    assert all("def area(self, scale: float = 1.0) -> float" in body for body in bodies)
    assert bodies[0] == bodies[2] == bodies[3]


async def test_bad_files_are_named_errors_and_the_others_are_outlined(folder: Path):
    files = {
        "binary.py": b"\0\1\2def f(): ...\n",
        "huge.py": b"x" * (20 * 1024 * 1024 + 1),
        "good.py": SMALL.encode(),
    }
    (folder / "pipe.py").parent.mkdir(exist_ok=True)
    os.mkfifo(folder / "pipe.py")
    (folder / "loop.py").symlink_to("loop.py")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    names = [*files, "absent.py", "pipe.py", "loop.py", ".", "no/such/folder.py", "", "a\0b"]
    found = await outline_files(folder, names, OutlineWish())
    codes = [answer.code if isinstance(answer, UnderstudyError) else "ok" for answer in found]
    assert codes == [
        "not-text", "too-large", "ok", "no-such-file", "no-such-file", "no-such-file",
        "is-folder", "no-such-file", "bad-path", "bad-path",
    ]  # fmt: skip
    wheres = [answer.where for answer in found if isinstance(answer, UnderstudyError)]
    assert wheres == [*names[:2], *names[3:8], "(empty)", "a\0b"]


async def test_files_of_no_language_are_outlined_by_their_look(folder: Path):
    files = {
        "empty.py": b"",
        "blank.py": b"\n\n\n",
        "notes.unknown": b"INTRODUCTION\n  text\n\nSECOND PART\n  text\n",
        "script": b"#!/usr/bin/env python3\ndef main(): ...\n",
        "one-line.js": b"var a = '" + b"x" * 5_000_000 + b"';",
        "minified.js": b"function a(b){return b+1}" * 10_000,
        "deep.json": b"[" * 10_000 + b"]" * 10_000,
    }
    found = await on_disk(folder, files)
    for answer, name in zip(found, files, strict=True):
        assert isinstance(answer, OutlineAnswer), (name, answer)
        assert answer.delivery.text.startswith(f"# outline of {name}: "), answer.delivery.text[:200]
    assert "def main()" in found[3].delivery.text


async def test_a_tiny_budget_is_kept_or_refused_by_name(folder: Path):
    (refused,) = await on_disk(folder, {"a.py": LONG.encode()}, OutlineWish(budget=10))
    assert isinstance(refused, BadInput)
    assert refused.code == "budget-too-small"
    (answer,) = await on_disk(folder, {"a.py": LONG.encode()}, OutlineWish(budget=200))
    assert isinstance(answer, OutlineAnswer)
    assert len(answer.delivery.text.encode()) <= 800


async def test_a_file_that_changes_while_it_is_read_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    read = FolderReader.read
    changes = [b"def second(): ...\n", b"def third(): ...\n"]

    def read_and_change(self: FolderReader, path: str) -> bytes | None:
        data = read(self, path)
        if changes:
            (folder / path).write_bytes(changes.pop(0))
        return data

    monkeypatch.setattr(FolderReader, "read", read_and_change)
    (answer,) = await on_disk(folder, {"a.py": b"def a_first_one(): ...\n"})
    assert isinstance(answer, OutlineAnswer)
    assert "def third()" in answer.delivery.text
    changes += [b"x = 1\n", b"y = 22\n", b"z = 333\n"]
    (moving,) = await outline_files(folder, ["a.py"], OutlineWish())
    assert isinstance(moving, UnderstudyError)
    assert moving.code == "base-moved"
