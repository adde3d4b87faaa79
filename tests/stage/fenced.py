"""Small programs that run behind a part of the fence, and what they may still do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import understudy

PACKAGES = str(Path(understudy.__file__).parent.parent)
HEAD = """
import ctypes, errno, json, os, socket, subprocess, sys
sys.path.insert(0, sys.argv[1])
from understudy.stage.copy import landlock, seccomp
def may(do):
    try:
        do()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "yes"
def call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
"""


def answers(program: str, *arguments: str | Path) -> dict[str, str]:
    """What a helper's kind of process prints as JSON: `-I -S`, our package found by path."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", HEAD + program, PACKAGES, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
