"""aider's repository map, in an environment of its own: what ours is measured against."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.sources import cache_folder
from tests.support.servers import environment

AIDER = "aider-chat==0.86.2"
_INSTALL_S, _MAP_S = 1800, 900
_SCRIPT = """\
import json, sys, time
began = time.perf_counter()
from aider.repomap import RepoMap
loaded = time.perf_counter()

class Model:
    def token_count(self, text):
        return len(text.encode()) // 4

class Output:
    def read_text(self, name, silent=False):
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()
    def tool_output(self, *args, **kwargs): pass
    def tool_warning(self, *args, **kwargs): pass
    def tool_error(self, *args, **kwargs): pass

root, tokens = sys.argv[1], int(sys.argv[2])
files = sys.stdin.read().split("\\n")
maker = RepoMap(tokens, root, Model(), Output(), map_mul_no_files=1)
text = maker.get_repo_map([], files)
print(json.dumps({"seconds": time.perf_counter() - loaded, "bytes": len((text or "").encode())}))
"""


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
        base = shutil.which("python3.12") or shutil.which("python3.11") or sys.executable
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
    done = subprocess.run(
        [str(aider_python()), "-I", "-c", _SCRIPT, str(root), str(tokens)],
        cwd=root,
        env=environment(),
        input="\n".join(map(str, files)),
        capture_output=True,
        text=True,
        timeout=_MAP_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"aider failed: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return AiderMap(found["seconds"], found["bytes"])
