"""The tools that install packages: what each is told, so that all lands in one folder of ours.

Which registry they ask, and what they cache, is the user's own configuration of each.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from understudy.values.frozen import frozen

_SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@frozen
class PackageTool:
    """One tool, in a folder of its own below the installation's.

    program: what must be installed to run it, None for our own Python. hint: how to get it.
    steps: commands; `{program}`, `{folder}` and `{packages}` are replaced. places: the folder of
    the installed programs, in its own. environ: put over the user's; None takes a variable away.
    files: what must lie there before. scrap: what is of no use after.
    """

    program: str | None
    hint: str
    steps: tuple[tuple[str, ...], ...]
    places: str
    environ: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    scrap: tuple[str, ...] = ()
    one_by_one: bool = False


TOOLS: Mapping[str, PackageTool] = MappingProxyType(
    {
        "pip": PackageTool(
            None,
            "a Python that can make environments (on Debian: apt install python3-venv)",
            (
                ("{program}", "-I", "-m", "venv", "{folder}"),
                (
                    *(f"{{folder}}/{_SCRIPTS}/python", "-I", "-m", "pip", "install"),
                    *("--only-binary", ":all:", "--no-input", "--disable-pip-version-check"),
                    *("--progress-bar", "off", "{packages}"),
                ),
            ),
            _SCRIPTS,
            {"PIP_USER": "0", "PIP_TARGET": None, "PIP_PREFIX": None, "PIP_ROOT": None},
        ),
        "npm": PackageTool(
            "npm",
            "Node.js (https://nodejs.org)",
            (
                (
                    *("{program}", "install", "--global=false", "--ignore-scripts", "--no-audit"),
                    *("--no-fund", "--save-exact", "{packages}"),
                ),
            ),
            "node_modules/.bin",
            # Without one it installs into a folder further up.
            files={"package.json": "{}\n"},
        ),
        "go": PackageTool(
            "go",
            "Go (https://go.dev/doc/install)",
            (("{program}", "install", "{packages}"),),
            "",
            {"GOBIN": "{folder}", "GOOS": None, "GOARCH": None},
            one_by_one=True,  # they may be of several modules
        ),
        "cargo": PackageTool(
            "cargo",
            "Rust (https://rustup.rs)",
            (("{program}", "install", "--locked", "--root", "{folder}", "{packages}"),),
            "bin",
            {"CARGO_TARGET_DIR": "{folder}/target"},
            scrap=("target",),
        ),
    }
)
