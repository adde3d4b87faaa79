"""Writes the synchronous half of the Python API from the asynchronous one: they cannot drift.

    python -m tools.python_verbs           exit code 1 and a word if it is not up to date
    python -m tools.python_verbs --write   bring it up to date

What gives values alone is written here; what gives objects of the API is written by hand, in
`server/understudy/faces/python/workspace.py`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "server" / "understudy" / "faces" / "python"
FILES: Mapping[str, Mapping[str, str]] = {
    "branch": {"AsyncBranch": "BranchVerbs"},
    "workspace": {"AsyncWorkspace": "WorkspaceVerbs"},
    "context": {"AsyncContext": "Context", "AsyncTerminals": "Terminals"},
}
"""async_NAME.py -> NAME_verbs.py: which class becomes which."""
BY_HAND = frozenset(("close", "branch", "open", "reopen", "fork", "events", "refuse_unusable"))
"""What ends an object or gives another one."""
_HEAD = '''"""Synchronous verbs; made by `python -m tools.python_verbs --write`."""

from __future__ import annotations

'''
_INIT = """
    def __init__(self, verbs: {kind}, loop: LoopThread) -> None:
        self._async, self._loop = verbs, loop
"""


def made(name: str) -> str:
    """The module `NAME_verbs.py` as it has to be."""
    source = f"async_{name}"
    tree = ast.parse((ROOM / f"{source}.py").read_text(encoding="utf-8"))
    classes = FILES[name]
    lines = [
        "from understudy.faces.python.loop_thread import LoopThread",
        f"from understudy.faces.python.{source} import {', '.join(classes)}",
    ]
    parts: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            lines.append(ast.unparse(node))
        if isinstance(node, ast.ClassDef) and node.name in classes:
            parts.append("\n".join(_class(node, node.name, classes[node.name])))
    return _formatted("\n".join((_HEAD, *lines, "", "", *parts)))


def _class(node: ast.ClassDef, kind: str, name: str) -> Iterator[str]:
    yield f"class {name}:\n    {_doc(node)}"
    yield _INIT.format(kind=kind)
    for item in node.body:
        if not isinstance(item, ast.AsyncFunctionDef | ast.FunctionDef):
            continue
        if item.name.startswith("_") or item.name in BY_HAND:
            continue
        assert item.returns is not None
        head = f"    def {item.name}({ast.unparse(item.args)}) -> {ast.unparse(item.returns)}:"
        if isinstance(item, ast.FunctionDef):
            yield f"    @property\n{head}\n        {_doc(item)}"
            yield f"        return self._async.{item.name}\n"
            continue
        given = [arg.arg for arg in item.args.args[1:]]
        given += [f"{arg.arg}={arg.arg}" for arg in item.args.kwonlyargs]
        call = f"self._loop.run(self._async.{item.name}({', '.join(given)}))"
        returned = "" if ast.unparse(item.returns) == "None" else "return "
        yield f"{head}\n        {_doc(item)}\n        {returned}{call}\n"


def _doc(node: ast.ClassDef | ast.AsyncFunctionDef | ast.FunctionDef) -> str:
    text = ast.get_docstring(node, clean=False) or ""
    return f'"""{text.replace("Async", "")}"""'


def _formatted(text: str) -> str:
    """As the linter wants it: unused imports gone, the rest sorted."""
    ruff = [sys.executable, "-m", "ruff"]
    name = f"--stdin-filename={ROOM / 'verbs.py'}"
    for command in (["check", "--fix-only", "--quiet", "--select=F401,I"], ["format", "--quiet"]):
        done = subprocess.run(
            [*ruff, *command, name, "-"], cwd=ROOT, input=text, capture_output=True, text=True,
            check=True, timeout=60,
        )  # fmt: skip
        text = done.stdout
    return text


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    stale: list[str] = []
    for name in FILES:
        file, wanted = ROOM / f"{name}_verbs.py", made(name)
        if arguments:
            file.write_text(wanted, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != wanted:
            stale.append(file.name)
    if stale:
        names = ", ".join(stale)
        sys.stderr.write(f"not up to date: {names}: python -m tools.python_verbs --write\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
