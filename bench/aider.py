"""aider's tags, trees and repository map, in an environment of its own: what ours is measured
against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.sources import cache_folder
from tests.support.pythons import python_of
from tests.support.servers import environment

AIDER = "aider-chat==0.86.2"
_INSTALL_S, _MAP_S, _TREE_S = 1800, 900, 300
_STAND_INS = """\
import json, statistics, sys, time, warnings
warnings.simplefilter("ignore")
from aider.repomap import RepoMap

class Model:
    def token_count(self, text):
        return len(text.encode()) // 4

class Output:
    def read_text(self, name, silent=False):
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()
    def tool_output(self, *args, **kwargs): pass
    tool_warning = tool_error = tool_output
"""
"""Its model counts tokens as we do, its console is silent."""

_MAP = """
root, tokens = sys.argv[1], int(sys.argv[2])
files = sys.stdin.read().split("\\n")
loaded = time.perf_counter()
maker = RepoMap(tokens, root, Model(), Output(), map_mul_no_files=1)
text = maker.get_repo_map([], files)
print(json.dumps({"seconds": time.perf_counter() - loaded, "bytes": len((text or "").encode())}))
"""

_TREE = """
path, warm, root, n_runs = sys.argv[1:5]
list(RepoMap(1024, root, Model(), Output()).get_tags_raw(warm, warm))
taken = []
for _ in range(int(n_runs)):
    maker = RepoMap(1024, root, Model(), Output())
    began = time.process_time()
    tags = [tag for tag in maker.get_tags_raw(path, path) if tag.kind == "def"]
    text = maker.to_tree(tags, []) if tags else ""
    maker.token_count(text)
    taken.append(time.process_time() - began)
print(json.dumps({"seconds": statistics.median(taken), "bytes": len(text.encode())}))
"""


@dataclass(frozen=True)
class AiderTree:
    """How much processor time the tags and the tree of one file took, and how long its text is."""

    seconds: float
    n_bytes: int


@dataclass(frozen=True)
class AiderMap:
    """How long the map took, without start and imports, and how long its text is."""

    seconds: float
    n_bytes: int


def aider_python() -> Path:
    """The interpreter that has aider; installs it when it is missing."""
    folder = cache_folder() / AIDER.replace("==", "-")
    python = folder / "bin" / "python"
    if not python.exists():
        base = python_of("3.12") or python_of("3.11") or sys.executable
        building = folder.with_name(f".{folder.name}.{os.getpid()}")
        for command in (
            [base, "-m", "venv", str(building)],
            [str(building / "bin" / "python"), "-m", "pip", "install", "-q", AIDER],
        ):
            subprocess.run(
                command, check=True, timeout=_INSTALL_S, env=environment(), stdout=sys.stderr
            )
        building.rename(folder)  # only `bin/python` is used, which does not mind
    return python


def aider_map(root: Path, files: list[Path], tokens: int) -> AiderMap:
    """Map a folder; aider keeps its cache in there."""
    names = "\n".join(map(str, files))
    found = _answer(_MAP, [str(root), str(tokens)], root, names, _MAP_S)
    return AiderMap(found["seconds"], found["bytes"])


def aider_tree(file: Path, folder: Path, n_runs: int) -> AiderTree:
    """One file as aider's map shows it, from no cache, the grammar loaded; the median of runs.

    No bytes if it has no tags for the language.
    """
    warm = folder / f"warm{file.suffix}"
    warm.write_text("\n")
    arguments = [str(file), str(warm), str(folder), str(n_runs)]
    found = _answer(_TREE, arguments, folder, "", _TREE_S)
    return AiderTree(found["seconds"], found["bytes"])


def _answer(
    script: str, arguments: list[str], folder: Path, told: str, limit_s: int
) -> dict[str, Any]:
    """What a script prints as JSON that runs in aider's environment."""
    done = subprocess.run(
        [str(aider_python()), "-I", "-c", _STAND_INS + script, *arguments],
        cwd=folder,
        env=environment(),
        input=told,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"aider failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])
