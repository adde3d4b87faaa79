"""Big texts and big patches: worked on beside the event loop, with the same outcome."""

from pathlib import Path

import pytest

from tests.support.branch_cases import BASE, content, replace, swapped, write
from tests.support.workspace import workspace
from understudy.values.errors import BadInput
from understudy.workspace.workers import Workers


async def test_big_texts_come_out_the_same_as_small_ones(tmp_path: Path):
    """Everything goes through a worker process here, and through a thread where files are big."""
    big = "".join(f"line {n}\n" for n in range(60_000))
    async with workspace(tmp_path, {"a.py": BASE, "big.py": big}) as space:
        space.workers = Workers(inline_below=20)
        book = await space.book()
        branch = await book.create("x")
        edits = [
            replace("a.py", "line 1\n", "ONE\n"),
            replace("big.py", "line 777\n", "SEVENS\n"),
            write("new.py", "n"),
        ]
        await book.edit(branch.id, edits, space.base)
        with pytest.raises(BadInput) as caught:
            await book.edit(branch.id, [replace("big.py", "nowhere", "")], space.base)
        assert (caught.value.code, caught.value.where) == ("no-match", "edits[0] big.py")
        space.write("big.py", big.replace("line 50000\n", "USER\n"))
        space.look()
        assert await content(book, space, branch.id) == {
            "a.py": swapped("line 1\n", "ONE\n"),
            "big.py": big.replace("line 777\n", "SEVENS\n").replace("line 50000\n", "USER\n"),
            "new.py": "n",
        }
        diff = await book.diff(branch.id, space.base)
        assert diff.text.count("\n+") == 3 + 3
        assert space.workers.statistics()["processes"] > 0


async def test_a_big_patch_of_many_files_is_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Else each of its files would cost another trip to the worker, with the whole patch."""
    files = {f"dir/f{n}.py": BASE for n in range(40)}
    async with workspace(tmp_path, files) as space:
        space.workers = Workers(inline_below=20)
        book = await space.book()
        source, target = await book.create("source"), await book.create("target")
        edits = [replace(path, "line 5", f"FIVE {path}") for path in files]
        await book.edit(source.id, edits, space.base)
        patch = (await book.diff(source.id, space.base)).text
        trips: list[str] = []
        run = Workers.run

        async def counted(self, function, *args, size):
            trips.append(function.__name__)
            return await run(self, function, *args, size=size)

        monkeypatch.setattr(Workers, "run", counted)
        await book.edit(target.id, [{"kind": "diff", "text": patch}], space.base)
        assert trips == ["apply_packed"]
        assert await content(book, space, target.id) == await content(book, space, source.id)
