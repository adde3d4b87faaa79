"""What is deleted or renamed may break others, and who would say so was not heard: never clean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Done, Shell
from tests.e2e.folders import make_folder

CARGO = '[package]\nname = "r"\nversion = "0.1.0"\nedition = "2021"\n'
RUST = {
    "Cargo.toml": CARGO,
    "src/lib.rs": "mod util;\npub fn f() -> i32 {\n    util::g()\n}\n",
    "src/util.rs": "pub fn g() -> i32 {\n    1\n}\n",
}
MISSING = CARGO + '\n[dependencies]\nnot-in-any-cache = "1"\n'
FINE = {"kind": "write", "path": "fine.py", "text": "X: int = 1\n"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def checked(folder: Path, state: Path, edits: list[dict[str, Any]], *more: str) -> Done:
    state.mkdir(exist_ok=True)
    file = state / "edits.json"
    file.write_text(json.dumps(edits))
    return Shell(folder, state)("check", "--edits", file, "--trust", *more)


@pytest.mark.parametrize("path", ["src/util.rs", "src/lib.rs"])
@pytest.mark.parametrize("why", ["no time", "no dependency", "no manifest"])
def test_a_rust_file_while_cargo_proves_nothing(
    tmp_path: Path, state: Path, why: str, path: str
) -> None:
    manifest = {"no dependency": MISSING, "no manifest": "no [toml"}.get(why, CARGO)
    folder = make_folder(tmp_path / "work", {**RUST, "Cargo.toml": manifest})
    more = ("--timeout", "0.01") if why == "no time" else ()
    done = checked(folder, state, [{"kind": "delete", "path": path}], *more)
    assert done.code == 3, done
    assert ("timeout" if why == "no time" else "cargo") in done.out, done


def test_a_rust_file_is_gone_with_all_that_cargo_needs(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", RUST)
    gone: list[dict[str, Any]] = [{"kind": "delete", "path": path} for path in RUST]
    assert checked(folder, state, gone).code == 3


def test_a_rust_file_that_is_needed(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", RUST)
    done = checked(folder, state, [{"kind": "delete", "path": "src/util.rs"}])
    assert (done.code, "src/lib.rs:1:1" in done.out) == (1, True), done


@pytest.mark.parametrize("new", ["src/util.txt", "src/util.rs.bak", "notes.md"])
def test_a_rename_to_another_kind_is_a_deletion(tmp_path: Path, state: Path, new: str) -> None:
    """What is clean besides hides nothing: cargo is asked about the file that is gone."""
    folder = make_folder(tmp_path / "work", RUST)
    edits = [{"kind": "rename", "path": "src/util.rs", "to": new}, FINE]
    done = checked(folder, state, edits)
    assert (done.code, "src/lib.rs:1:1" in done.out) == (1, True), done


def test_a_file_that_nobody_needs(tmp_path: Path, state: Path) -> None:
    """With evidence it is clean: cargo came to its end without the file."""
    folder = make_folder(tmp_path / "work", {**RUST, "src/lone.rs": "pub fn h() {}\n"})
    done = checked(folder, state, [{"kind": "delete", "path": "src/lone.rs"}])
    assert done.code == 0, done
