"""Checks a sample AI edit on a sample project and shows that the project stays untouched."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "tests/data/demo"
PATCH = "tests/data/demo.patch"
FOUND = 1
"""The exit code of a check that has found something, as it must here."""
UNTOUCHED = "invoices/totals.py"
"""A file that the patch breaks and does not touch."""


def main() -> int:
    """Run the check; 0 if it finds what the patch breaks and leaves every file alone."""
    before = fingerprint(ROOT / PROJECT)
    command = ["understudy", "check", PATCH, "--root", PROJECT]
    _say(f"$ {' '.join(command)}\n")
    done = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )
    _say(done.stdout)
    after = fingerprint(ROOT / PROJECT)
    _say(f"exit code {done.returncode}")
    _say(f"{PROJECT} before: {before}")
    _say(f"{PROJECT} after:  {after}")
    if before != after:
        _say("The check has changed the project: this must never happen.")
        return 1
    _say("Not a byte and not a modification time in the project has changed.")
    if done.returncode != FOUND or UNTOUCHED not in done.stdout:
        _say(f"The check should have named {UNTOUCHED} and ended with exit code {FOUND}.")
        _say("What may be missing: see `.venv/bin/understudy doctor`.")
        return 1
    return 0


def fingerprint(folder: Path) -> str:
    """A hash of every name, modification time and byte below a folder."""
    digest = hashlib.sha256()
    paths = [folder, *sorted(folder.rglob("*"))]
    for path in paths:
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_mtime_ns}\0".encode())
        if path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{len(paths) - 1} files and folders, hash of bytes and times {digest.hexdigest()[:16]}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
