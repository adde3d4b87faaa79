"""Runs a program of Node.js: `python -m tools.node npm ci`.

With the machine's Node.js where that is new enough, else with one from the cache, which is
installed first. Programs of node_modules are found, too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tools.provision import ProvisionError, cache_folder, provision

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "tools" / "packaging.toml"


def environment() -> dict[str, str]:
    """Ours, with a Node.js and its programs first on PATH; raises ProvisionError."""
    node = tomllib.loads(PINS.read_text(encoding="utf-8"))["node"]
    folders = provision({"node": node, "servers": {}}, cache_folder())
    path = [str(ROOT / "node_modules" / ".bin"), *map(str, folders), os.environ.get("PATH", "")]
    return {**os.environ, "PATH": os.pathsep.join(path)}


def main(arguments: list[str]) -> int:
    """Run it; the exit code is its own, 127 where there is no such program."""
    try:
        env = environment()
    except ProvisionError as error:
        sys.stderr.write(f"node: {error}\nnode: {error.advice}\n")
        return 1
    program = shutil.which(arguments[0], path=env["PATH"]) if arguments else None
    if program is None:
        sys.stderr.write(f"node: no program {' '.join(arguments[:1])!r}\n")
        return 127
    return subprocess.run([program, *arguments[1:]], cwd=ROOT, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
