"""Both halves of the API have the same verbs, typed, and nothing else loads them."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import understudy as u
from tools import python_verbs
from understudy.faces.python import public

PAIRS = [
    (u.AsyncWorkspace, u.Workspace),
    (u.AsyncBranch, u.Branch),
    (u.AsyncContext, u.Context),
    (u.AsyncTerminals, u.Terminals),
]
OTHERWISE = {"Opening[Branch]": "Branch", "AsyncGenerator[Event, None]": "Iterator[Event]"}
"""What an asynchronous verb gives, and what stands for it in the other half."""


def verbs(kind: type[object]) -> dict[str, str]:
    """The signature of every public method, without what says which half it is of."""
    found: dict[str, str] = {}
    for name, member in inspect.getmembers(kind):
        if name.startswith("_") or name == "refuse_unusable":
            continue
        function = member.fget if isinstance(member, property) else member
        signature = inspect.signature(function)
        returns = str(signature.return_annotation).replace("Async", "", 1)
        given = OTHERWISE.get(str(signature.return_annotation).replace("[Async", "["), returns)
        shown = str(signature.replace(return_annotation=inspect.Signature.empty))
        found[name] = f"{shown} -> {given}"
    return found


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda kind: kind.__name__)
def test_both_halves_have_the_same_verbs(one: type[object], other: type[object]) -> None:
    assert verbs(one) == verbs(other)
    assert len(verbs(one)) >= 3
    mine = str(inspect.signature(one.__init__)).replace("Async", "")
    if one is u.AsyncWorkspace:
        assert mine == str(inspect.signature(other.__init__))


def test_the_synchronous_half_is_made_from_the_other() -> None:
    assert python_verbs.main([]) == 0


def test_all_public_names_are_there_and_documented() -> None:
    assert set(public.__all__) <= set(dir(u))
    for name in public.__all__:
        member = getattr(u, name)
        assert inspect.getdoc(member), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        u.nothing  # type: ignore[attr-defined] # noqa: B018 - the access is what is tested


def test_types_are_told_as_they_are() -> None:
    """What a type checker reads of `import understudy` is what runs."""
    tree = ast.parse(Path(str(u.__file__)).read_text(encoding="utf-8"))
    told = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == public.__name__
        for alias in node.names
    }
    assert told == set(public.__all__)


def test_importing_it_loads_nothing() -> None:
    code = "import sys, understudy; print(sorted(m for m in sys.modules if 'understudy' in m))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout.replace("'", '"')) == [
        "understudy", "understudy.values", "understudy.values.version",
    ]  # fmt: skip


PROGRAM = """
import understudy as u
from typing import assert_type

def sync(folder: str) -> None:
    with u.Workspace(folder, trust=True) as ws, ws.branch("a") as b:
        b.edit([{"kind": "replace", "path": "a.py", "old": "x", "new": "y"}])
        b.edit("--- a diff")
        match b.check():
            case u.Findings(introduced):
                assert_type(introduced, tuple[u.Finding, ...])
            case u.Clean():
                pass
            case u.Unknown() as v:
                assert_type(v.reasons, tuple[u.Reason, ...])
        assert_type(b.run(["pytest", "-q"]).status, int)
        assert_type(b.fork(), u.Branch)
        assert_type(ws.terminals.list(), tuple[u.Terminal, ...])
        for event in ws.events():
            assert_type(event, u.BranchesChanged | u.ServersChanged | u.Progress)

async def other(folder: str) -> None:
    async with u.AsyncWorkspace(folder) as ws, ws.branch("a") as b:
        assert_type(await ws.branch(), u.AsyncBranch)
        assert_type(await b.check(scope="edited"), u.Clean | u.Findings | u.Unknown)
        async for event in ws.events():
            assert_type(event, u.BranchesChanged | u.ServersChanged | u.Progress)
"""
WRONG = "import understudy as u\nu.Workspace('.').branch(1)\nu.Workspace('.').check(scope='all')\n"


def test_a_type_checker_knows_all_of_it(tmp_path: Path) -> None:
    for name, text in (("right", PROGRAM), ("wrong", WRONG)):
        (tmp_path / f"{name}.py").write_text(f"# pyright: strict\n{text}")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "."],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    found = json.loads(done.stdout)["generalDiagnostics"]
    broken = [(Path(one["file"]).stem, one["rule"]) for one in found]
    assert broken == [("wrong", "reportArgumentType")] * 2
