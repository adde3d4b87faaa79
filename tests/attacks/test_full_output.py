"""Standard output that takes nothing: a named error and the exit code of our failures."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", "--", "echo", "hi"), 125),
        (("branches", "list"), 4),
        (("branches", "list", "--format", "json"), 4),
        (("doctor",), 4),
        (("outline", "a.py"), 4),
    ],
)
def test_it_is_said_and_never_a_verdict(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    folder = make_folder(tmp_path / "work", {"a.py": "def f():\n    return 1\n"})
    environment = child_environment(tmp_path / "state")
    environment.pop("PYTHONUNBUFFERED", None)  # with it nothing is left to write at the end
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*UNDERSTUDY, *arguments], cwd=folder, env=environment, stdout=full,
            stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "understudy: cannot-write: stdout: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
