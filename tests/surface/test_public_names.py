"""Every public name stands in one file, and none goes without having been deprecated."""

from __future__ import annotations

import json
import subprocess

import pytest

import understudy
from tools import public_names
from tools.manifest import ADVANCED, MANIFEST
from tools.public_names import Deprecated, deprecated_names, listed, missed, text_of
from understudy.faces.cli.main import OLD_NAMES

NOW = public_names.public_names()
FILE = public_names.NAMES.read_text(encoding="utf-8")


def test_the_file_has_the_names_of_now() -> None:
    assert text_of(NOW) == FILE, "python -m tools.public_names --write"


def test_no_name_of_an_earlier_commit_has_gone_without_a_word() -> None:
    """A file that was edited by hand is compared with what git knows of it."""
    name = public_names.NAMES.relative_to(public_names.ROOT).as_posix()
    said = subprocess.run(
        ["git", "log", "-p", "--format=", "--unified=0", "--no-ext-diff", "--", name],
        cwd=public_names.ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    lines = [line for line in said.stdout.splitlines() if not line.startswith("+++")]
    ever = listed("\n".join(line[1:] for line in lines if line.startswith("+")))
    assert not missed(ever, NOW, deprecated_names(), understudy.__version__)


@pytest.mark.parametrize(
    ("deprecated", "version", "says"),
    [
        ({}, "0.2.0", "was never deprecated"),
        ({"command: a": Deprecated("0.2.0", "b")}, "0.2.0", "deprecated only since 0.2.0"),
        ({"command: a": Deprecated("0.10.0", "b")}, "0.9.0", "deprecated only since 0.10.0"),
        ({"command: a": Deprecated("0.1.0", "b")}, "0.2.0", None),
        ({"command: a": Deprecated("0.2.0", "b", released=False)}, "0.2.0", None),
    ],
)
def test_a_name_goes_a_version_after_it_was_deprecated(
    deprecated: dict[str, Deprecated], version: str, says: str | None
) -> None:
    lines = missed({"command: a", "command: b"}, {"command: b"}, deprecated, version)
    assert [says in line for line in lines] == ([] if says is None else [True])


def test_what_is_deprecated_says_what_to_write_instead() -> None:
    for name, entry in deprecated_names().items():
        kind = name.split(": ", 1)[0]
        assert f"{kind}: {entry.instead}" in NOW, name


def test_old_commands_and_settings_are_deprecated() -> None:
    names = deprecated_names().keys()
    contributed = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]
    settings = {n: e for g in contributed["configuration"] for n, e in g["properties"].items()}
    assert {f"command: understudy {name}" for name in OLD_NAMES} <= names
    assert "command: understudy context mcp" in names
    old = {n.removeprefix("editor setting: ") for n in names if n.startswith("editor setting: ")}
    entries = {f"understudy.{name}" for name in settings[ADVANCED]["properties"]}
    assert old == entries & settings.keys()


def test_names_of_every_kind_are_found() -> None:
    assert {
        "command: understudy code outline",
        "option: understudy check --edits",
        "value: understudy check --format sarif",
        "setting: timeout_s",
        "editor command: understudy.branch.accept",
        "editor setting: understudy.advanced branchDays",
        "tool: understudy_lint",
        "field: understudy_lint edits",
        "method: understudy/branch/create",
        "method: understudy/branchesChanged",
        "field: understudy/branch/create title",
        "field of answers: base_moved",
        "python: understudy.__version__",
    } <= NOW
