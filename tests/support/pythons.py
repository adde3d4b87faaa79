"""Other Pythons of this machine, if they really are there."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path


def python_of(version: str) -> str | None:
    """A Python of a version (`3.12`) by its path, on the search path or kept by pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places: list[str | Path | None] = [shutil.which(f"python{version}")]
    with suppress(PermissionError):  # it is another user's
        places += kept.glob(f"{version}.*/bin/python")
    return next((str(place) for place in places if place is not None and _runs(place)), None)


def _runs(program: Path | str) -> bool:
    """Not one that only says that its version is not installed, or not chosen, as a shim does."""
    asked = subprocess.run([program, "-c", ""], capture_output=True, timeout=60, check=False)
    return asked.returncode == 0
