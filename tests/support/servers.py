"""Finds the language servers and checkers that tests run; a missing one is a failure."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


class MissingServerError(AssertionError):
    """A program the tests need is not installed: tests fail, they do not skip."""


def program(name: str) -> Path:
    """The path of a program of `tests/servers.toml`, or one of the environment the tests run in."""
    found = shutil.which(name, path=search_path())
    if found is None:
        raise MissingServerError(
            f"{name} is not installed for the tests. Run `make test`, or first: "
            "export UNDERSTUDY_TEST_SERVERS=$(make -s servers)"
        )
    return Path(found)


def node() -> Path:
    """The Node.js that the servers run on: the provisioned one, or the machine's own."""
    found = shutil.which("node", path=environment()["PATH"])
    if found is None:
        raise MissingServerError("there is no Node.js; run `make test`, it brings one")
    return Path(found)


def npm_packages(entry: str) -> Path:
    """The `node_modules` of an entry of `tests/servers.toml` that brings no program."""
    for folder in map(Path, os.environ.get("UNDERSTUDY_TEST_SERVERS", "").split(os.pathsep)):
        if folder.parent.name.startswith(f"{entry}-"):
            return folder.parent / "node_modules"
    raise MissingServerError(f"{entry} is not installed for the tests; see `make servers`")


def python_packages(entry: str) -> Path:
    """The folder of Python packages of an entry of `tests/servers.toml`, for PYTHONPATH."""
    return npm_packages(entry).with_name("packages")


def search_path() -> str:
    """The pinned servers' bin folders, then that of this interpreter (basedpyright, ruff)."""
    pinned = os.environ.get("UNDERSTUDY_TEST_SERVERS", "")
    own = str(Path(sys.executable).parent)
    return os.pathsep.join(part for part in (pinned, own) if part)


def environment() -> dict[str, str]:
    """This process's environment with `search_path` in front: what a test's child gets."""
    here = os.environ.get("PATH", "")
    return {**os.environ, "PATH": os.pathsep.join(part for part in (search_path(), here) if part)}
