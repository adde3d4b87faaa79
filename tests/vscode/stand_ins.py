"""Stand-ins for extensions of a gallery that cannot be asked: their ids, settings and layout.

The servers are the real programs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.folders import make_folder
from tests.support.servers import program
from tests.vscode.build import ROOT
from tests.vscode.conftest import PROGRAMS
from tests.vscode.driver import pack


def eslint(folder: Path) -> Path:
    """The VSIX of ESLint's extension: its server is a script in it."""
    made = _extension(folder, "dbaeumer", "vscode-eslint", {})
    library = program("vscode-eslint-language-server").resolve().parent.parent / "lib"
    _bundle(library / "eslint-language-server" / "eslintServer.js", made / "server" / "out")
    return pack(folder / "eslint.vsix", made)


def with_setting(folder: Path, publisher: str, name: str, setting: str) -> Path:
    """The VSIX of an extension that brings no server, but has a setting that says where it is."""
    property_ = {setting: {"type": "string", "default": None}}
    return pack(folder / f"{name}.vsix", _extension(folder, publisher, name, property_))


def _extension(folder: Path, publisher: str, name: str, settings: Mapping[str, Any]) -> Path:
    manifest = {
        "publisher": publisher,
        "name": name,
        "version": "1.0.0",
        "engines": {"vscode": "^1.101.0"},
        "contributes": {"configuration": {"title": name, "properties": settings}},
    }
    return make_folder(folder / name, {"package.json": json.dumps(manifest)})


def _bundle(script: Path, folder: Path) -> None:
    """One file with all that it needs, as the extension has its server."""
    node = shutil.which("node", path=PROGRAMS)
    assert node is not None
    options = ("--bundle", "--platform=node", "--log-level=error", f"--outdir={folder}")
    command = [node, ROOT / "node_modules" / "esbuild" / "bin" / "esbuild", script, *options]
    subprocess.run(command, check=True, timeout=60)
