"""What the extension sets to start us is not seen by what we start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from understudy.process.user_environment import VARIABLE, put_back

SERVER = Path(__file__).resolve().parents[2] / "server"
OURS = ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONSAFEPATH", "PYTHONUTF8")


def test_variables_are_as_the_user_has_them() -> None:
    environ = {
        "PATH": "/bin",
        "PYTHONPATH": "/ours",
        "PYTHONUTF8": "1",
        VARIABLE: json.dumps({"PYTHONPATH": "/theirs", "PYTHONUTF8": None, "PYTHONHOME": "/h"}),
    }
    put_back(environ)
    assert environ == {"PATH": "/bin", "PYTHONPATH": "/theirs", "PYTHONHOME": "/h"}


@pytest.mark.parametrize("raw", ["[]", "{", "1"])
def test_what_is_no_table_is_refused(raw: str) -> None:
    environ = {VARIABLE: raw}
    with pytest.raises((ValueError, TypeError)):
        put_back(environ)


def test_a_command_sees_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    theirs: dict[str, str | None] = {"PYTHONPATH": "/theirs/only"}
    libraries = os.pathsep.join([str(SERVER), sysconfig.get_paths()["purelib"]])
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        **dict.fromkeys(OURS, "1"),
        "PYTHONPATH": libraries,
        "UNDERSTUDY_STATE_DIR": str(tmp_path / "state"),
        VARIABLE: json.dumps({**dict.fromkeys(OURS), **theirs}),
    }
    program = "import os; print({k: v for k, v in os.environ.items() if k.startswith('PYTHON')})"
    command = ["-m", "understudy", "run", "--root", str(tmp_path / "work"), "--"]
    done = subprocess.run(
        [sys.executable, "-S", *command, sys.executable, "-S", "-c", program],
        cwd=SERVER,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(theirs)
