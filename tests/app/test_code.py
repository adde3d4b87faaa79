"""The verb `ask`: places and names, what stands in several files, and what cannot be said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.agreement import Rehearsals, rehearsals
from tests.support.code_projects import CPP, GO, PYTHON, TYPESCRIPT, written
from tests.support.repositories import git
from tests.support.sessions import open_session, toy_profile
from understudy.app.code.answer import CodeAnswer, CodeWish
from understudy.app.code.ask import ask
from understudy.faces.answers.code import code_json, code_text
from understudy.values.errors import BadInput
from understudy.workspace.session import Session


@asynccontextmanager
async def live(tmp_path: Path, files: Mapping[str, str], server: str) -> AsyncIterator[Rehearsals]:
    folder = written(files, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", server) as found:
        yield found


async def asked(session: Session, question: str, target: str, **more: str) -> CodeAnswer:
    return await ask(session, session.bases.own, CodeWish(question, target, **more))  # type: ignore[arg-type]


def lines(found: CodeAnswer) -> list[str]:
    """Each place as `path:line owner`."""
    return [f"{hit.path}:{hit.range.start.line + 1} {hit.owner}".rstrip() for hit in found.hits]


LABEL_USES = ["shop/app.py:6 report", "shop/core.py:8 Item", "shop/other.py:5 go"]


async def test_uses_in_files_that_were_never_open_are_found(tmp_path: Path) -> None:
    for number, server in enumerate(("basedpyright", "ty")):
        async with live(tmp_path / str(number), PYTHON, server) as one:
            found = await asked(one.session, "references", "Item.label", server=server)
            assert found.status == "answered"
            assert set(LABEL_USES) <= set(lines(found)), server
            assert found.mentions == ("shop/talk.py",)
            made = await asked(one.session, "references", "shop/core.py::make", server=server)
            assert "shop/other.py:5 go" in lines(made)


async def test_typescript_without_a_configuration_finds_the_uses_too(tmp_path: Path) -> None:
    async with live(tmp_path, TYPESCRIPT, "typescript-language-server") as one:
        found = await asked(one.session, "references", "Item.label")
        assert lines(found) == ["app.ts:4 report", "core.ts:5 Item", "other.ts:2 all"]
        called = await asked(one.session, "callers", "make")
        assert lines(called) == ["app.ts:3 report", "other.ts:2 all"]
        shapes = await asked(one.session, "implementation", "Shape")
        assert lines(shapes) == ["core.ts:2"]
        # A character of two units of UTF-16 stands before it in the line.
        column = TYPESCRIPT["app.ts"].splitlines()[2].index("area") + 1
        there = await asked(one.session, "definition", f"app.ts:3:{column}")
        assert lines(there) == ["core.ts:4 Item"]
        area = next(
            hit
            for hit in (await asked(one.session, "references", "Item.area")).hits
            if hit.path == "app.ts"
        )
        assert area.range.start.column + 1 == column


async def test_go_knows_a_method_by_its_receiver(tmp_path: Path) -> None:
    async with live(tmp_path, GO, "gopls") as one:
        found = await asked(one.session, "references", "Item.Label")
        assert lines(found) == ["lib/core.go:9 Item", "main.go:7 main"]
        shapes = await asked(one.session, "implementation", "Shape")
        assert lines(shapes) == ["lib/core.go:5"]
        said = await asked(one.session, "hover", "Make")
        assert said.text.startswith("func Make(name string) Item")


async def test_a_prototype_and_its_definition_are_one_name(tmp_path: Path) -> None:
    async with live(tmp_path, CPP, "clangd") as one:
        found = await asked(one.session, "references", "label")
        assert lines(found) == [
            "app.cpp:4 report",
            "core.cpp:3 Item",
            "core.h:9 Item",
            "other.cpp:2 go",
        ]
        over = await asked(one.session, "implementation", "Shape.area")
        assert [hit.path for hit in over.hits] == ["core.cpp"]


async def test_an_index_of_open_files_is_never_believed_of_another_state(tmp_path: Path) -> None:
    async with live(tmp_path, CPP, "clangd") as one:
        branch = (await one.session.branches.create("more")).id
        moved = "\n\n" + CPP["other.cpp"]
        await one.edit(branch, [{"kind": "write", "path": "other.cpp", "text": moved}])
        there = await asked(one.session, "references", "make", branch=branch)
        assert "other.cpp:4 go" in lines(there)
        here = await asked(one.session, "references", "make")
        assert "other.cpp:2 go" in lines(here)
        assert "other.cpp:4 go" not in lines(here)
        gone = [{"kind": "write", "path": "other.cpp", "text": "int go() { return 0; }\n"}]
        await one.edit(branch, gone)
        none = await asked(one.session, "references", "make", branch=branch)
        assert {hit.path for hit in none.hits} == {"app.cpp", "core.cpp", "core.h"}


async def test_a_branch_is_asked_about_as_it_is(tmp_path: Path) -> None:
    async with live(tmp_path, PYTHON, "basedpyright") as one:
        branch = (await one.session.branches.create("new")).id
        text = "from shop.core import make\n\nFRESH = make('z').label()\n"
        await one.edit(branch, [{"kind": "write", "path": "shop/fresh.py", "text": text}])
        found = await asked(one.session, "references", "Item.label", branch=branch)
        assert lines(found) == [*LABEL_USES[:2], "shop/fresh.py:3 FRESH", LABEL_USES[2]]
        without = await asked(one.session, "references", "Item.label")
        assert lines(without) == LABEL_USES
        declared = await asked(one.session, "definition", "FRESH", branch=branch)
        assert lines(declared) == ["shop/fresh.py:3"]
        assert (await asked(one.session, "definition", "FRESH")).status == "no-such-name"


async def test_names_that_stand_in_several_places_are_all_told(tmp_path: Path) -> None:
    async with live(tmp_path, PYTHON, "basedpyright") as one:
        several = await asked(one.session, "references", "label")
        assert several.status == "ambiguous"
        assert [f"{hit.path}:{hit.range.start.line + 1}" for hit in several.hits] == [
            "shop/alien.py:1", "shop/core.py:8", "shop/core.py:13",
        ]  # fmt: skip
        none = await asked(one.session, "references", "lable")
        assert (none.status, none.nearest) == ("no-such-name", ("label",))
        owned = await asked(one.session, "references", "Item.lable")
        assert owned.nearest == ("Item.label",)
        other = await asked(one.session, "references", "shop/core.py::Item.lable")
        assert (other.nearest, other.notes) == (("Item.label",), ())
        far = await asked(one.session, "references", "shop/core.py::nope")
        assert (far.status, far.nearest) == ("no-such-name", ())
        assert far.notes == (
            "shop/core.py has Item, Item.__init__, Item.label, Crate, Crate.label and 1 more",
        )
        on_line = await asked(one.session, "definition", "shop/app.py:5:make")
        assert lines(on_line) == ["shop/core.py:17"]
        declared = await asked(one.session, "callers", "shop/core.py:17")
        assert lines(declared) == ["shop/app.py:5 report", "shop/other.py:5 go"]


async def test_the_words_of_a_line_are_its_names(tmp_path: Path) -> None:
    text = "from shop.core import Item\r\nprint('ü' if Item else 1)\nreturn\n"
    async with live(tmp_path, {**PYTHON, "shop/line.py": text}, "basedpyright") as one:
        several = await asked(one.session, "definition", "shop/line.py:1")
        words = [(hit.name, hit.range.start.column) for hit in several.hits]
        assert words == [("shop", 5), ("core", 10), ("Item", 22)]
        assert code_text(code_json(several), 500).splitlines() == [
            "ambiguous: shop/line.py:1 may be 3 places; ask with one of these:",
            "shop/line.py:1:6 shop: from shop.core import Item",
            "shop/line.py:1:11 core: from shop.core import Item",
            "shop/line.py:1:23 Item: from shop.core import Item",
        ]
        second = await asked(one.session, "definition", "shop/line.py:2")
        assert [(hit.name, hit.range.start.column) for hit in second.hits] == [
            ("print", 0), ("ü", 7), ("Item", 13),
        ]  # fmt: skip
        near = await asked(one.session, "definition", "shop/line.py:1:Itme")
        assert (near.status, near.nearest, near.notes) == ("no-such-name", ("Item",), ())
        none = await asked(one.session, "definition", "shop/line.py:1:nope")
        assert (none.nearest, none.notes) == (
            (),
            ("line 1 of shop/line.py has shop, core, Item",),
        )
        bare = await asked(one.session, "definition", "shop/line.py:3")
        assert (bare.status, bare.notes) == ("no-such-name", ("line 3 has no name",))


async def test_bad_places_are_named(tmp_path: Path) -> None:
    async with live(tmp_path, PYTHON, "basedpyright") as one:
        for target, code in (
            ("shop/app.py:99:1", "outside-file"),
            ("shop/app.py:1:200", "outside-file"),
            ("shop/app.py:0:1", "outside-file"),
            ("shop/none.py:1:1", "no-such-file"),
            ("shop/none.py::make", "no-such-file"),
            ("../x.py:1:1", "outside-root"),
        ):
            with pytest.raises(BadInput) as refused:
                await asked(one.session, "definition", target)
            assert refused.value.code == code, target
        with pytest.raises(BadInput) as refused:
            await asked(one.session, "definition", "make", server="nobody")
        assert refused.value.code == "unknown-server"
        with pytest.raises(BadInput) as refused:
            await asked(one.session, "weather", "make")
        assert refused.value.code == "unknown-question"


async def test_a_server_that_does_not_know_a_question_is_named_and_another_asked(
    tmp_path: Path,
) -> None:
    async with live(tmp_path, PYTHON, "ruff") as one:
        nobody = await asked(one.session, "references", "Item.label", server="ruff")
        assert nobody.status == "unknown"
        assert nobody.why is not None
        assert nobody.why.code == "not-offered"
        assert nobody.why.text == (
            "nobody asked knows textDocument/references: ruff; basedpyright does"
        )


async def test_a_server_that_cannot_answer_is_unknown_and_never_none(tmp_path: Path) -> None:
    files = {"a.py": "def label():\n    pass\n"}
    dead = toy_profile("crasher", command=["/bin/sh", "-c", "exit 3"], group="toys")
    async with open_session(tmp_path, files, {"dead": dead}) as session:
        found = await asked(session, "references", "label", server="dead")
        assert found.status == "unknown"
        assert found.why is not None
        assert found.why.code == "crashed"


async def test_a_language_without_a_server_is_unknown_and_can_be_searched(tmp_path: Path) -> None:
    rust = {"src/lib.rs": "pub struct Item;\n\nimpl Item {\n    pub fn label(&self) {}\n}\n"}
    async with live(tmp_path, rust, "basedpyright") as one:
        found = await asked(one.session, "references", "Item.label")
        assert (found.status, found.why and found.why.code) == ("unknown", "no-server")
        named = await asked(one.session, "search", "label")
        assert lines(named) == ["src/lib.rs:4 Item"]


async def test_search_and_symbols(tmp_path: Path) -> None:
    async with live(tmp_path, PYTHON, "basedpyright") as one:
        found = await asked(one.session, "search", "lab")
        assert [hit.path for hit in found.hits] == ["shop/alien.py", "shop/core.py", "shop/core.py"]
        by_server = await asked(one.session, "search", "label", server="basedpyright")
        assert {hit.path for hit in by_server.hits} == {"shop/alien.py", "shop/core.py"}
        symbols = await asked(one.session, "symbols", "shop/core.py")
        named = [(hit.depth, hit.name) for hit in symbols.hits]
        assert named[:2] == [(0, "Item"), (1, "__init__")]
        assert (await asked(one.session, "search", "zebra")).status == "nothing"
        misspelt = await asked(one.session, "search", "Itme")
        assert (misspelt.status, misspelt.nearest) == ("nothing", ("Item",))
        assert code_text(code_json(misspelt), 500) == "search of Itme: none; nearest: Item\n"


async def test_a_revision_is_asked_about_as_it_was(tmp_path: Path) -> None:
    folder = written(PYTHON, tmp_path / "folder")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "as it was")
    (folder / "shop/app.py").write_text("from shop.core import make\n\nmake('now')\n")
    async with rehearsals(folder, tmp_path / "state", "basedpyright") as one:
        then = await asked(one.session, "references", "Item.label", revision="HEAD")
        assert lines(then) == LABEL_USES
        assert any(note.startswith("as of ") for note in then.notes)
        now = await asked(one.session, "references", "Item.label")
        assert lines(now) == LABEL_USES[1:]
        with pytest.raises(BadInput) as refused:
            await asked(one.session, "references", "make", revision="nowhere")
        assert refused.value.code == "unknown-revision"
