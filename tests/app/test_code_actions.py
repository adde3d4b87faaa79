"""What servers offer to do: listed, taken, formatted, sorted; edits are a branch's alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.code_projects import written
from tests.support.sessions import open_session, toy_profile
from tests.support.workspace import state_of
from understudy.app.check.fixes.at_place import fixes_at
from understudy.app.check.fixes.kinds import PlaceKind
from understudy.app.code.act import act, format_file, organize_imports
from understudy.app.code.answer import CodeWish
from understudy.app.code.ask import ask
from understudy.app.code.refactor import Refactored, RefactorWish
from understudy.values.errors import BadInput
from understudy.workspace.session import Session

UGLY = {
    "ruff": (
        "a.py",
        "import sys\nimport os\n\n\ndef f( x:int ):\n    return os.sep+str(x), sys.path\n",
        "import os\nimport sys\n\n\ndef f( x:int ):\n    return os.sep+str(x), sys.path\n",
        "import sys\nimport os\n\n\ndef f(x: int):\n    return os.sep + str(x), sys.path\n",
    ),
    "typescript-language-server": (
        "a.ts",
        'import { b } from "./c";\nimport { a } from "./b";\n{\n\t[a,b]\n}\n',
        'import { a } from "./b";\nimport { b } from "./c";\n{\n\t[a,b]\n}\n',
        'import { b } from "./c";\nimport { a } from "./b";\n{\n\t[a, b]\n}\n',
    ),
    "gopls": (
        "a.go",
        'package a\n\nimport (\n\t"os"\n\t"fmt"\n)\n\nfunc F() { fmt.Println(os.Args)}\n',
        'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc F() { fmt.Println(os.Args)}\n',
        'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc F() { fmt.Println(os.Args) }\n',
    ),
}
BESIDE = {"b.ts": "export const a = 1;\n", "c.ts": "export const b = 2;\n", "go.mod": "module a\n"}


async def text_of(session: Session, found: Refactored, path: str) -> str:
    assert found.branch is not None, found
    snapshot = await session.branches.snapshot(found.branch, await session.fresh_base())
    text = snapshot.read(path)
    return "" if text is None else text.content


async def offered(session: Session, path: str, kind: PlaceKind) -> str:
    """The text of a file with the one thing that is offered to do to the whole of it."""
    branch, base = await session.branches.create("offered"), session.bases.own
    _, (fix,) = await fixes_at(session, branch.id, path, kind, None, base)
    assert fix.why is None, fix
    edits = [{"kind": "workspaceEdit", "edit": edit} for edit in fix.edits]
    await session.branches.edit(branch.id, edits, await base.fresh())
    text = (await session.branches.snapshot(branch.id, await base.fresh())).read(path)
    await session.branches.discard(branch.id)
    return "" if text is None else text.content


@pytest.mark.parametrize("server", UGLY)
async def test_a_file_is_laid_out_and_its_imports_are_sorted(tmp_path: Path, server: str) -> None:
    path, ugly, sorted_text, laid_out = UGLY[server]
    folder = written({**BESIDE, path: ugly}, tmp_path / "folder")
    before = state_of(folder)
    async with rehearsals(folder, tmp_path / "state", server) as live:
        session, base = live.session, live.session.bases.own
        found = await organize_imports(session, base, RefactorWish(path))
        assert (found.status, found.server, found.changed) == ("answered", server, (path,)), found
        assert await text_of(session, found, path) == sorted_text
        again = await organize_imports(session, base, RefactorWish(path, branch=found.branch))
        assert (again.status, again.branch) == ("nothing", None), again
        found = await format_file(session, base, RefactorWish(path))
        assert await text_of(session, found, path) == laid_out
        again = await format_file(session, base, RefactorWish(path, branch=found.branch))
        assert again.status == "nothing", again
        assert len(session.branches.summaries()) == 2
        assert await offered(session, path, "source.organizeImports") == sorted_text
        assert await offered(session, path, "format") == laid_out
        with pytest.raises(BadInput, match="there is no such file"):
            await format_file(session, base, RefactorWish("none.py"))
    assert state_of(folder) == before


async def test_a_branch_that_moves_while_a_server_is_asked_is_not_edited(tmp_path: Path) -> None:
    path, ugly, sorted_text, laid_out = UGLY["ruff"]
    folder = written({path: ugly}, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "ruff") as live:
        session, base = live.session, live.session.bases.own
        branch = (await session.branches.create("mine")).id
        wish = RefactorWish(path, branch=branch)
        both = await asyncio.gather(  # each sees the branch long before a server has started
            organize_imports(session, base, wish), format_file(session, base, wish),
            return_exceptions=True,
        )  # fmt: skip
        (done,) = [one for one in both if isinstance(one, Refactored)]
        (late,) = [one for one in both if isinstance(one, BadInput)]
        assert (done.status, late.code) == ("answered", "stale-stamp")
        assert await text_of(session, done, path) in (sorted_text, laid_out)


async def test_who_could_not_say_what_it_offers_is_named(tmp_path: Path) -> None:
    dead = toy_profile("crasher", command=["/bin/sh", "-c", "exit 3"], group="dead")
    toys = {"mends": toy_profile("mends"), "dead": dead}
    async with open_session(tmp_path, {"a.txt": "BAD plain\n"}, toys) as session:
        listed = await ask(session, session.bases.own, CodeWish("actions", "a.txt:1:plain"))
        assert (listed.status, listed.text) == ("answered", "plain [quickfix] (mends)")
        (note,) = listed.notes
        assert note.startswith("not all were asked: dead: ")


async def test_what_is_offered_at_a_place_can_be_taken(tmp_path: Path) -> None:
    folder = written({"a.py": "print(json.dumps(1))\n"}, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "basedpyright") as live:
        session, base = live.session, live.session.bases.own
        listed = await ask(session, base, CodeWish("actions", "a.py:1:json"))
        assert "import json [quickfix] (basedpyright)" in listed.text.splitlines()
        found = await act(session, base, RefactorWish("a.py:1:json", "Import j"))
        assert await text_of(session, found, "a.py") == "import json\n\n\nprint(json.dumps(1))\n"
        with pytest.raises(BadInput, match=r"there are: .*import json") as wrong:
            await act(session, base, RefactorWish("a.py:1:json", "nothing like it"))
        assert (wrong.value.code, len(session.branches.summaries())) == ("no-such-action", 1)
        nobody = await format_file(session, base, RefactorWish("a.py", server="basedpyright"))
        assert (nobody.status, nobody.why and nobody.why.code) == ("unknown", "not-offered")
        quiet = await ask(session, base, CodeWish("actions", "a.py:1:1", server="basedpyright"))
        assert quiet.status in ("answered", "nothing")
