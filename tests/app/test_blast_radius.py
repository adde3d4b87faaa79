"""Which files an edit reaches in a project where most files reach most others."""

from __future__ import annotations

from pathlib import Path

from tests.support.branch_cases import delete, rename, write
from tests.support.sessions import open_session
from understudy.app.check.blast_radius import Radius, blast_radius
from understudy.shadow.snapshot import Snapshot

MANY = 60
FILES = {
    "lib.py": "def one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 2\n",
    "hub.py": "from lib import one, two\n\n\ndef other() -> int:\n    return 3\n",
    **{f"user{n}.py": "import hub\n\nhub.other()\n" for n in range(MANY)},
    "near.py": "import hub\n\nhub.one()\n",
    "wild.py": "import absent\n\nFOUND = absent.value\n",
    "far.py": "from wild import FOUND\n",
}


async def radius_of(tmp_path: Path, edits: list[dict[str, str]]) -> Radius:
    async with open_session(tmp_path, FILES, {}) as session:
        base = await session.fresh_base()
        branch = await session.branches.create("test")
        await session.branches.edit(branch.id, edits, base)
        after = await session.branches.snapshot(branch.id, base)
        return await blast_radius(session.bindings, Snapshot(base), after, "affected")


async def test_a_deleted_module_reaches_those_that_mention_what_it_had(tmp_path: Path) -> None:
    radius = await radius_of(tmp_path, [delete("lib.py")])
    assert set(radius.distance) == {"hub.py", "near.py"}


async def test_a_renamed_module_reaches_them_too(tmp_path: Path) -> None:
    radius = await radius_of(tmp_path, [rename("lib.py", "new/lib.py")])
    assert set(radius.distance) == {"hub.py", "near.py"}
    assert radius.ordered()[:2] == ["new/lib.py", "hub.py"]


async def test_a_stub_hides_what_the_module_had(tmp_path: Path) -> None:
    radius = await radius_of(tmp_path, [write("lib.pyi", "def one() -> str: ...\n")])
    assert set(radius.distance) == {"hub.py", "near.py"}


async def test_a_new_module_reaches_those_who_named_it_already(tmp_path: Path) -> None:
    radius = await radius_of(tmp_path, [write("absent/__init__.py", "value: int = 1\n")])
    assert dict(radius.distance) == {"wild.py": 1, "far.py": 2}


async def test_a_changed_body_reaches_nobody(tmp_path: Path) -> None:
    text = FILES["lib.py"].replace("return 1", "return 10 - 9")
    radius = await radius_of(tmp_path, [write("lib.py", text)])
    assert "user1.py" not in radius.distance
