"""Who is asked after an edit whose effect only bodies of functions without types hand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.servers import environment
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.disk.layout import Layout
from understudy.syntax.python.inferred import inferred_function
from understudy.values.paths import Root
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

FILES = {
    "lib.py": "def f(a):\n    return 1\n",
    "user.py": "from lib import f\n\n\ndef g(x):\n    return f(x)\n",
    "far.py": "from user import g\n\n\ndef h():\n    return g(1)\n",
    "farther.py": "from far import h\nh()\n",
}
BODY = "def f(a):\n    return ''\n"
PARAMETER = "def f(a, b=0):\n    return 1\n"


async def asked(tmp_path: Path, server: str, text: str, **profile: object) -> set[str]:
    """The files that a check asks about, and what the server has said of results."""
    folder = tmp_path / "project"
    for path, content in FILES.items():
        folder.mkdir(exist_ok=True)
        (folder / path).write_text(content)
    settings = Settings(servers={server: profile} if profile else {})
    layout = Layout(tmp_path / "state").create()
    session = Session(Root.open(folder), settings, layout, trusted=True, environ=environment())
    try:
        branch = await session.branches.create("test")
        edit = {"kind": "write", "path": "lib.py", "text": text}
        await session.branches.edit(branch.id, [edit], await session.fresh_base())
        after = branch_side(session.branches, branch.id)
        report = (await check(session, base_side, after, CheckOptions(servers=(server,)))).report
    finally:
        await session.close()
    assert report.verdict != "findings", report
    return {file.path for file in report.files}


@pytest.mark.real
@pytest.mark.parametrize(
    ("text", "expected"), [(BODY, {"lib.py"}), (PARAMETER, {"lib.py", "user.py"})]
)
async def test_a_server_that_infers_no_result_is_asked_about_few(
    text: str, expected: set[str], tmp_path: Path
) -> None:
    assert await asked(tmp_path, "ty", text) == expected


@pytest.mark.real
@pytest.mark.parametrize(
    ("server", "told"), [("ty", {"infers_results": True}), ("basedpyright", {})]
)
async def test_one_whose_profile_says_nothing_is_asked_about_all(
    server: str, told: dict[str, object], tmp_path: Path
) -> None:
    assert await asked(tmp_path, server, BODY, **told) == FILES.keys()


@pytest.mark.real
async def test_a_profile_alone_leaves_nothing_out(tmp_path: Path) -> None:
    """The server says by a hover that it knows a result that is not written."""
    assert await asked(tmp_path, "basedpyright", BODY, infers_results=False) == FILES.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(a):\n    return 1\n", (0, 4)),
        ("def f(a):\n    return a\n\n\ndef g():\n    a = 1\n", (4, 4)),
        ("class A:\n    def f(self):\n        if self:\n            return ''\n", (1, 8)),
        ("def f(a) -> int:\n    return 1\n", None),
        ("async def f(a):\n    return 1\n", None),
        ("@a\ndef f(a):\n    return 1\n", None),
        ("def f(a):\n    yield 1\n", None),
        ("def f(a):\n    raise a\n", None),
        ("def f(a):\n    return g(a)\n", None),
    ],
)
def test_a_function_of_whose_result_there_is_no_doubt(
    text: str, expected: tuple[int, int] | None
) -> None:
    assert inferred_function(text.encode()) == expected
