"""Keeps the oracle's findings between runs, by what its answer can depend on and no more.

That is the checker and its toolchain in their versions, the code here that runs it and reads what
it says, the project's texts with the edit, and for Python the installed packages that these texts
name. Nothing else of the environment counts: hours of cold runs outlast a dependency of ours.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from tests.support.edits import GeneratedEdit
from tests.support.kit import Oracle
from tests.support.kits import source_of
from tests.support.oracle import STOPPED, Delta, Found, Key, Truth, oracle_delta, settled
from tests.support.sample import Project
from tests.support.servers import environment

_SOURCES = ("oracle.py", "oracle_fresh.py", "typescript_api.mjs")
_GO, _GCC = ("go", "version"), ("gcc", "--version")
_TOOLCHAINS = {
    "gopls": _GO,
    "go-vet": _GO,
    "go-compile": _GO,
    "cargo-check": ("cargo", "--version", "--verbose"),
    "clangd": _GCC,  # its headers
    "gcc": _GCC,
}
"""What says the version that a program's folder does not name."""

_PYTHON = (".py", ".pyi", ".ipynb")
_IMPORT = re.compile(
    r"""(?:^|[;:"'])[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([^#\n;]+))""", re.MULTILINE
)


class KeptTruth:
    """As `Truth`, but what was judged once, in this run or another, is not judged again.

    One for a folder at a time: the checker finds the edit there as files.
    """

    def __init__(self, oracle: Oracle, project: Project, folder: Path) -> None:
        self.oracle = oracle
        self.project = project
        self._folder = folder
        self._truth: Truth | None = None
        self._before: Counter[Found] | None = None

    def delta(self, edit: GeneratedEdit) -> Delta:
        """What the edit introduces and fixes in the whole project."""
        after = self._findings(edit)
        return settled(oracle_delta(self.findings_before(), after, edit), edit)

    def unsaid(self, edit: GeneratedEdit) -> Counter[Key]:
        """What a checker that gave up says no longer, and may be there still; lines of before."""
        after = self._findings(edit)
        if STOPPED not in after:
            return Counter()
        heard = Counter({one: number for one, number in after.items() if one != STOPPED})
        before = self.findings_before()
        return oracle_delta(before, heard, edit).fixed - oracle_delta(before, after, edit).fixed

    def findings_before(self) -> Counter[Found]:
        """All findings of the project as it is."""
        if self._before is None:
            self._before = self._findings(None)
        return self._before

    def _findings(self, edit: GeneratedEdit | None) -> Counter[Found]:
        changed = {**self.project.files, **(edit.files if edit is not None else {})}
        texts = {path: text for path, text in changed.items() if text is not None}
        kept = _cache_folder() / f"{_key(self.oracle, texts)}.json"
        if kept.is_file():
            return Counter([Found(*item) for item in json.loads(kept.read_text())])
        if self._truth is None:
            self._truth = Truth(self.oracle.find, self.project, self._folder)
        found = self._truth.before if edit is None else self._truth.after(edit)
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(sorted(found.elements(), key=str)))
        written.replace(kept)
        return found


def _key(oracle: Oracle, texts: Mapping[str, str]) -> str:
    parts = [
        oracle.name,
        _identity(oracle),
        *_packages(texts),
        *(part for item in sorted(texts.items()) for part in item),
    ]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()[:32]


@cache
def _identity(oracle: Oracle) -> str:
    """The checker's version and that of what it runs on, and our code that runs and reads it.

    What else is installed is left out: no checker reads it, but one of Python, and of that one
    `_packages` tells. So are comments, and what the oracle's module says of other oracles.
    """
    found = shutil.which(oracle.program or oracle.name, path=environment()["PATH"])
    assert found is not None, f"the program of {oracle.name} is not installed"
    place = Path(found).resolve()
    if place.is_relative_to(Path(sys.prefix).resolve()):
        version = "\n".join(_with_needs([oracle.name], and_extras=False))
    else:  # its folder is named by its version
        version = str(place)
    if oracle.name in _TOOLCHAINS:
        version += subprocess.check_output(_TOOLCHAINS[oracle.name], env=environment(), text=True)
    here = Path(__file__).parent
    sources = [(here / name).read_text(encoding="utf-8") for name in _SOURCES]
    sources[:2] = [ast.unparse(ast.parse(source)) for source in sources[:2]]
    return "\n".join([version, *_declaration(oracle), *sources])


def _declaration(oracle: Oracle) -> Iterator[str]:
    """How the oracle finds, with all definitions of its module that this leads to."""
    tree = ast.parse(source_of(oracle).read_text(encoding="utf-8"))
    (find,) = (
        call.args[1]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "Oracle"
        and ast.literal_eval(call.args[0]) == oracle.name
    )
    waiting: list[ast.AST] = [find]
    seen: set[ast.AST] = set()
    while waiting:
        node = waiting.pop()
        yield ast.unparse(node)
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        more = [one for one in tree.body if names & _defined(one) and one not in seen]
        seen.update(more)
        waiting += more


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {
            one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)
        }
    return set()


def _packages(texts: Mapping[str, str]) -> list[str]:
    """The Python and the installed packages that a checker of these texts can look into.

    Those that an import or a configuration names by the name of a module, and all that these say
    they need, for their extras, too: code that may or may not find another package names it there.
    """
    if not any(path.endswith(_PYTHON) for path in texts):
        return []
    named: set[str] = set()
    for path, text in texts.items():
        named |= _named(text, is_code=path.endswith(_PYTHON))
    packages = {package for name in named for package in _provided()[name]}
    return [sys.version, *_with_needs(sorted(packages), and_extras=True)]


@lru_cache(maxsize=10_000)
def _named(text: str, *, is_code: bool) -> frozenset[str]:
    """The modules and packages that a text may mean, of those that are installed."""
    text = text.replace("\\\n", " ")
    said = " ".join(itertools.chain(*_IMPORT.findall(text))) if is_code else text
    return frozenset(re.findall(r"\w+", said)) & _provided().keys()


@cache
def _provided() -> Mapping[str, list[str]]:
    """By the name of a module at the top who brings it; stubs of a module bring it, too."""
    found: dict[str, list[str]] = {}
    for name, packages in importlib.metadata.packages_distributions().items():
        found.setdefault(name.removesuffix("-stubs"), []).extend(packages)
    return found


def _with_needs(packages: Iterable[str], *, and_extras: bool) -> list[str]:
    """These packages and all installed ones that they need, with their versions.

    and_extras: also what the packages themselves need for their extras.
    """
    found: dict[str, str] = {}
    waiting = [(package, and_extras) for package in packages]
    while waiting:
        package, has_extras = waiting.pop()
        name = re.sub(r"[-_.]+", "-", package).lower()
        if name in found:
            continue
        try:
            records = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found[name] = records.version
        for need in records.requires or ():
            is_extra = re.search(r"\bextra\s*==", need) is not None
            if has_extras or not is_extra:
                waiting.insert(0, (re.split(r"[^\w.-]", need, maxsplit=1)[0], False))
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "truth"
