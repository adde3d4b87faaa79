"""Rust: cargo check, a command."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support import file_edits_rust, rust_project
from tests.support.kit import Oracle, Pairing, Sample
from tests.support.oracle import STOPPED, Found, json_values, run


def _cargo_check(folder: Path) -> Iterator[Found]:
    """A build from nothing, past errors; what depends on a crate with one it cannot look at."""
    options = ("--workspace", "--all-targets", "--keep-going", "--message-format=json")
    with tempfile.TemporaryDirectory(prefix="understudy-target-") as target:
        done = run(folder, "cargo", "check", "--offline", *options, f"--target-dir={target}")
    assert done.returncode in (0, 101), done.stderr
    (folder / "Cargo.lock").unlink(missing_ok=True)
    found: dict[str, Found] = {"": STOPPED} if done.returncode else {}  # tests are a second target
    for item in json_values(done.stdout):
        message = item.get("message", {})
        code = (message.get("code") or {}).get("code")
        first = next((span for span in message.get("spans", ()) if span["is_primary"]), None)
        if first is not None:
            place = (first["file_name"], first["line_start"] - 1)
            found[f"{first} {message['message']}"] = Found(*place, code, message["level"])
    yield from found.values()


_SAMPLE = Sample("rust", rust_project.make, file_edits_rust.scenarios)
COMMANDS = (Pairing("cargo-check", Oracle("cargo-check", _cargo_check, program="cargo"), _SAMPLE),)
