"""Runs `understudy` as a shell would, and says what came of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.folders import UNDERSTUDY, child_environment

SECONDS = 180.0
"""Longest wait for the end of a command on a loaded machine: what needs it all hangs."""
_SCRIPT = """
echo 0 >/proc/sys/user/max_user_namespaces
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
"""
REFUSED = ("unshare", "--user", "--map-root-user", "sh", "-e", "-c", _SCRIPT, "sh")
"""Runs a command that may make no namespace, and has no capability to do without."""


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be JSON and nothing else."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Shell:
    """Runs commands in one folder; `state` holds all that they may leave behind.

    `environ` is put over what every child of a test has; `before` runs each command.
    """

    folder: Path
    state: Path
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    before: tuple[str, ...] = ()

    def __call__(self, *arguments: str | Path, stdin: str | bytes = b"") -> Done:
        """Run to the end; bytes that are not UTF-8 come back as lone surrogates."""
        done = subprocess.run(
            [*self.before, *UNDERSTUDY, *map(str, arguments)],
            cwd=self.folder,
            env={**child_environment(self.state), **self.environ},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        out, err = (data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr))
        assert "Traceback" not in err, err
        return Done(done.returncode, out, err)

    def start(self, *arguments: str | Path) -> subprocess.Popen[bytes]:
        """Start a command and let it run."""
        return subprocess.Popen(
            [*self.before, *UNDERSTUDY, *map(str, arguments)],
            cwd=self.folder,
            env={**child_environment(self.state), **self.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
