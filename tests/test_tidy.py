"""The house rules that no linter knows; a failure names the file, the line and the rule."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import understudy

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "server/understudy/"

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_TYPESCRIPT_LINES = 250

TOP_LEVEL = frozenset(
    (
        *(".ci", ".github", ".gitignore", ".npmrc"),
        *("bench", "client-vscode", "docs", "server", "skills", "syntaxes", "tests", "tools"),
        *("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "PROTOCOL.md", "README.md"),
        "SECURITY.md",
        *("LICENSE", "Makefile", "package-lock.json", "package.json", "pyproject.toml"),
    )
)
"""Whatever else appears at the top is a stray file, or belongs into this list."""

DOORS = {
    "lsprotocol": ("faces", "langserver"),
    "anyio": ("mcpclient",),
    "h11": ("stage",),
    "httpx2": ("mcpclient",),
    "mcp": ("faces", "mcpclient"),
    "mcp_types": ("faces", "mcpclient"),
    "pathspec": ("disk",),
    "pygls": ("faces",),
    "sqlite3": ("disk",),
    "subprocess": ("process",),
    "tree_sitter": ("outline", "syntax"),
    "tree_sitter_language_pack": ("syntax",),
    "typer": ("faces",),
    "unidiff": ("edits",),
    "yaml": ("context", "dependents", "findings"),
}
"""Dependency -> the only floors that import it."""

LAZY = frozenset(
    (
        *("anyio", "h11", "httpx2", "mcp", "mcp_types", "psutil", "tomlkit"),
        *("tree_sitter", "tree_sitter_language_pack", "watchfiles", "yaml"),
    )
)
"""Slow to load: imported where they are used, never when a module is loaded."""

PURE_FLOORS = (
    "values",
    "context",
    "edits",
    "findings",
    "dependents",
    "outline",
    "ranking",
    "shadow",
    "syntax",
)
IMPURE = frozenset(("asyncio", "random", "socket", "subprocess", "threading", "time"))

SPAWNERS = frozenset(("create_task", "ensure_future"))
SPAWNING_MODULE = PACKAGE + "workspace/tasks.py"

PRINTING_MODULE = PACKAGE + "faces/cli/streams.py"

NAMELESS = frozenset(("common", "helpers", "misc", "util", "utils"))
"""Names that say nothing about what a module is for."""

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|work)/\w|[A-Z]:\\Users\\")
REGISTRY_HOST = re.compile(r"registry\.npmjs|files\.pythonhosted|\bpypi\.org")
UNFINISHED = re.compile(r"\b(?:[T]ODO|[F]IXME|[X]XX)\b")

Problem = tuple[int, str]
Rule = Callable[[str, ast.Module], Iterator[Problem]]


@cache
def tracked() -> tuple[str, ...]:
    """Every file of the project: what git knows or would take, deleted ones left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    names = set(listed.stdout.split("\0")) - {""}
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


def modules() -> list[str]:
    """Python files, without the data that tests read."""
    return [n for n in tracked() if n.endswith(".py") and not n.startswith("tests/data/")]


@cache
def parsed(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), name)


def in_package(name: str) -> bool:
    return name.startswith(PACKAGE)


def floor_of(name: str) -> str:
    return name.removeprefix(PACKAGE).partition("/")[0]


def imported(node: ast.AST) -> list[str]:
    """Top-level packages that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
        return [node.module.partition(".")[0]]
    return []


def has_docstring(name: str, tree: ast.Module) -> Iterator[Problem]:
    if not ast.get_docstring(tree):
        yield 1, "a module begins with a docstring that says what it is for"


def is_short(name: str, tree: ast.Module) -> Iterator[Problem]:
    n_lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
    if n_lines > MAX_FILE_LINES:
        yield n_lines, f"{n_lines} lines, the limit is {MAX_FILE_LINES}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if n_lines > MAX_FUNCTION_LINES:
                yield node.lineno, f"{node.name}: {n_lines} lines, limit {MAX_FUNCTION_LINES}"


def goes_through_doors(name: str, tree: ast.Module) -> Iterator[Problem]:
    if not in_package(name):
        return
    for node in ast.walk(tree):
        for package in imported(node):
            if floor_of(name) not in DOORS.get(package, (floor_of(name),)):
                yield node.lineno, f"only {DOORS[package]} may import {package}"


def loads_lightly(name: str, tree: ast.Module) -> Iterator[Problem]:
    if in_package(name):
        for node in tree.body:
            for package in LAZY.intersection(imported(node)):
                yield node.lineno, f"import {package} where it is used: it is slow to load"


def is_pure(name: str, tree: ast.Module) -> Iterator[Problem]:
    if in_package(name) and floor_of(name) in PURE_FLOORS:
        for node in ast.walk(tree):
            for package in IMPURE.intersection(imported(node)):
                yield node.lineno, f"{package} in the pure floor {floor_of(name)}"


def owns_its_tasks(name: str, tree: ast.Module) -> Iterator[Problem]:
    if not in_package(name) or name == SPAWNING_MODULE:
        return
    awaited: set[ast.AST] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            awaited |= spawns_it_awaits(function)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in SPAWNERS and node not in awaited:
            yield node.lineno, f"start it in {SPAWNING_MODULE}, or await it where it is started"


def spawns_it_awaits(function: ast.AsyncFunctionDef) -> set[ast.AST]:
    """The spawning calls whose result has a name that the same function awaits."""
    names = {
        inner.id
        for node in ast.walk(function)
        if isinstance(node, ast.Await)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name)
    }
    return {
        call
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and {getattr(t, "id", "") for t in node.targets} & names
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call)
    }


def excuses_broad_except(name: str, tree: ast.Module) -> Iterator[Problem]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler) or not is_broad(node):
            continue
        last = node.body[-1]
        if isinstance(last, ast.Raise) and last.exc is None:
            continue  # cleans up and lets the error go on
        comment = lines[node.lineno - 1].partition("#")[2]
        if not re.sub(r"noqa:?\s*[A-Z0-9, ]*", "", comment).strip(" -"):
            yield node.lineno, "a broad except has its reason in a comment beside it"


def waits_for_conditions(name: str, tree: ast.Module) -> Iterator[Problem]:
    if not name.startswith("tests/") or name.startswith(("tests/toys/", "tests/soak/")):
        return  # toys answer late; who works in a soak rests in between
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) == "sleep" and not is_no_wait(node):
            yield node.lineno, "tests wait for a condition, they do not sleep"
        if isinstance(node, ast.Call) and called(node) in ("skip", "importorskip"):
            yield node.lineno, "what a test needs and does not find is a failure"


def speaks_through_one_door(name: str, tree: ast.Module) -> Iterator[Problem]:
    if not in_package(name) or name == PRINTING_MODULE:
        return
    for node in ast.walk(tree):
        # typer takes sequences out of what goes into a pipe, and leaves them in on a terminal.
        if isinstance(node, ast.Call) and called(node) in ("echo", "secho"):
            yield node.lineno, f"say it by {PRINTING_MODULE}"


def is_well_named(name: str, tree: ast.Module) -> Iterator[Problem]:
    for part in Path(name).with_suffix("").parts:
        if part in NAMELESS:
            yield 1, f"{part!r} does not say what the module is for"


def called(node: ast.Call) -> str:
    function = node.func
    return getattr(function, "attr", getattr(function, "id", ""))


def is_no_wait(sleep: ast.Call) -> bool:
    """Whether it only lets other tasks run (0), or stands for what never ends (60 s or more)."""
    length = sleep.args[0] if sleep.args else None
    seconds = length.value if isinstance(length, ast.Constant) else None
    return isinstance(seconds, int | float) and (seconds == 0 or seconds >= 60)


def is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException"))
        for kind in kinds
    )


RULES: tuple[Rule, ...] = (
    has_docstring,
    is_short,
    goes_through_doors,
    loads_lightly,
    is_pure,
    owns_its_tasks,
    excuses_broad_except,
    waits_for_conditions,
    speaks_through_one_door,
    is_well_named,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_modules_keep(rule: Rule) -> None:
    broken = [
        f"{name}:{line}: {text}" for name in modules() for line, text in rule(name, parsed(name))
    ]
    assert not broken, "\n".join(broken)


BREACHES = [
    (is_pure, "values/x.py", "import time\n"),
    (is_pure, "shadow/x.py", "def f():\n    from asyncio import run\n"),
    (goes_through_doors, "app/x.py", "import subprocess\n"),
    (goes_through_doors, "langserver/x.py", "from pygls.lsp.server import LanguageServer\n"),
    (loads_lightly, "process/x.py", "import psutil\n"),
    (owns_its_tasks, "app/x.py", "async def f(loop):\n    loop.create_task(g())\n"),
    (owns_its_tasks, "app/x.py", "async def f():\n    task = ensure_future(g())\n    await h()\n"),
    (has_docstring, "app/x.py", "import os\n"),
    (speaks_through_one_door, "faces/cli_x.py", "import typer\ntyper.echo('x')\n"),
    (is_well_named, "app/utils.py", "'''x'''\n"),
]


@pytest.mark.parametrize(("rule", "name", "source"), BREACHES)
def test_a_breach_is_seen(rule: Rule, name: str, source: str) -> None:
    assert list(rule(PACKAGE + name, ast.parse(source)))


def test_a_task_may_be_awaited_where_it_starts() -> None:
    source = (
        "async def f():\n    tasks = [ensure_future(a) for a in g()]\n    await gather(*tasks)\n"
    )
    assert not list(owns_its_tasks(PACKAGE + "app/x.py", ast.parse(source)))


@pytest.mark.parametrize(
    ("statement", "is_allowed"),
    [
        ("sleep(0)", True),
        ("sleep(3600)", True),
        ("sleep(0.1)", False),
        ("sleep(delay)", False),
        ("pytest.skip()", False),
    ],
)
def test_waiting_in_tests(statement: str, is_allowed: bool) -> None:
    problems = list(waits_for_conditions("tests/test_x.py", ast.parse(statement)))
    assert bool(problems) != is_allowed


def test_nothing_stray_at_the_top() -> None:
    assert {name.partition("/")[0] for name in tracked()} <= TOP_LEVEL


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (MACHINE_PATH, "a path of somebody's machine"),
        (REGISTRY_HOST, "the name of a package registry's host"),
        (UNFINISHED, "unfinished"),
    ],
    ids=["machine-path", "registry-host", "unfinished"],
)
def test_no_text_has(pattern: re.Pattern[str], why: str) -> None:
    found: list[str] = []
    for name in tracked():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # sample data in another encoding
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                found.append(f"{name}:{number}: {why}: {line.strip()[:80]}")
    assert not found, "\n".join(found)


def test_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extension = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    versions = {project["version"], extension["version"], lock["version"]}
    assert versions == {understudy.__version__}


def test_typescript_files_are_short_and_well_named() -> None:
    for name in tracked():
        if name.startswith("client-vscode/") and name.endswith(".ts"):
            n_lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
            assert n_lines <= MAX_TYPESCRIPT_LINES, f"{name}: {n_lines} lines"
            assert Path(name).name.partition(".")[0] not in NAMELESS, name


def test_server_pins_are_exact() -> None:
    pins = tomllib.loads((ROOT / "tests/servers.toml").read_text(encoding="utf-8"))
    for name, entry in [("node", pins["node"]), *pins["servers"].items()]:
        for package in (*entry.get("npm", ()), *entry.get("pypi", ()), *entry.get("go", ())):
            assert re.search(r"(==|.@v?)\d+\.\d+\.\d+", package), f"{name}: {package}"
