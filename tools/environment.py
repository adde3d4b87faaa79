"""Makes `.venv` with all that a developer needs; run by `make`, with the standard library only."""

from __future__ import annotations  # so that an older Python still gets as far as our message

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "ready"
DEADLINE_S = 900


def main() -> int:
    """Create and fill `.venv`; the stamp is written last, so that a broken run is done again."""
    if sys.version_info < (3, 10):  # noqa: UP036 - this script runs before anything is installed
        return _failed(
            f"Python 3.10 or newer is needed, this is {sys.version.split()[0]}",
            "name another one: make PYTHON=python3.12 setup",
        )
    python = VENV / "bin" / "python"
    if not _works(python):
        shutil.rmtree(VENV, ignore_errors=True)
        if not _step("making .venv", [sys.executable, "-m", "venv", str(VENV)]):
            return _failed(
                "python -m venv failed", "on Debian and Ubuntu: apt-get install python3-venv"
            )
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    steps = (
        ("upgrading pip in .venv", [*pip, "install", "-q", "--upgrade", "pip>=25.1"]),
        (
            "installing understudy and its development tools",
            [*pip, "install", "-q", "-e", ".[python,mcp,acp]", "--group", "dev", "--group", "docs"],
        ),
    )
    for name, command in steps:
        if not _step(name, command):
            return _failed(f"{name} failed", "see above; is the package registry reachable?")
    STAMP.write_text("made by tools/environment.py\n")
    return 0


def _works(python: Path) -> bool:
    """Whether the environment's interpreter still runs (its base Python may be gone)."""
    if not python.exists():
        return False
    asked = [str(python), "-c", "import pip, sys; sys.exit(sys.version_info < (3, 10))"]
    return subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode == 0


def _step(name: str, command: list[str]) -> bool:
    sys.stderr.write(f"setup: {name}\n")
    try:
        return subprocess.run(command, cwd=ROOT, timeout=DEADLINE_S, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"setup: no end after {DEADLINE_S} s\n")
        return False


def _failed(what: str, advice: str) -> int:
    sys.stderr.write(f"setup: {what}\nsetup: {advice}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
