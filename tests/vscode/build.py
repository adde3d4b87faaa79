"""The extension as a user gets it: the VSIX for this machine, built from the checkout."""

from __future__ import annotations

import fcntl
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600
"""Longest wait for the build: the first one installs its tools and libraries."""


def built_extension(folder: Path) -> Path:
    """Build it into the folder unless it is there, whoever builds it at the same time.

    UNDERSTUDY_TEST_VSIX names one to take instead: a release, or one that was built before.
    """
    named = os.environ.get("UNDERSTUDY_TEST_VSIX")
    if named:
        return Path(named)
    place = folder / "vsix"
    with (folder / "vsix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(place.glob("*.vsix")):
            _run("make", "-s", "extension")
            _run(sys.executable, "-m", "tools.vsix", "--target", _target(), "--out", str(place))
    (built,) = place.glob("*.vsix")
    return built


def _target() -> str:
    """This machine's platform, as the editor names it."""
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{sys.platform}-{processor}"


def _run(*command: str) -> None:
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-3000:]}"
