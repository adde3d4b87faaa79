"""The users that scenarios are played as, with a Python each of them can execute.

Root plays all of them; another user itself, and root of a user namespace of its own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from understudy.stage.scratch import remove_tree

REPOSITORY = Path(__file__).parents[3]
TIMEOUT_S = 300
SECRETS = "tests/data/stage_secrets.toml"
NOBODY = 54321
"""A user that no machine has: nothing is writable for it but what we give it."""

_PYTHONS = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")


@dataclass(frozen=True)
class Identity:
    """A user, and whether it is root in a user namespace of its own only."""

    name: str
    user: int
    in_namespace: bool = False

    @contextmanager
    def home(self, parent: Path | None = None) -> Iterator[Path]:
        """A new home folder of this user's, outside of what every stage hides."""
        folder = Path(tempfile.mkdtemp(prefix="understudy-test-", dir=parent or _place()))
        try:
            if os.getuid() == 0:
                os.chown(folder, self.user, self.user)
            yield folder.resolve()
        finally:
            remove_tree(folder)  # an overlay leaves a folder that its own user may not enter
            assert not folder.exists()

    def play(
        self, module: ModuleType, scenario: Callable[..., Any], home: Path
    ) -> subprocess.CompletedProcess[str]:
        """Play a scenario to its end in a process of this user's."""
        name = scenario.__name__
        if name == "foreign_owners" and os.getuid() == 0 != self.user:
            _make_foreign(home / "project", self.user)
        return subprocess.run(
            self.command(module.__name__, name, str(home)), **self.options(home), timeout=TIMEOUT_S
        )

    def command(self, *arguments: str) -> list[str]:
        """The scenario's program."""
        wrapped = ["unshare", "--user", "--map-root-user", "--mount"] if self.in_namespace else []
        module = "tests.support.stages.worker"
        return [*wrapped, python_of(self.user), "-B", "-m", module, *arguments]

    def options(self, home: Path) -> dict:
        """Who, where and with which environment."""
        who = {}
        if os.getuid() != self.user:
            who = {"user": self.user, "group": self.user, "extra_groups": []}
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(packages())}
        env["UNDERSTUDY_STATE_DIR"] = str(home / "state")
        return {"cwd": "/", "env": env, "capture_output": True, "text": True, **who}


def _identities() -> list[Identity]:
    own = os.getuid()
    user = NOBODY if own == 0 else own
    found = [Identity("user", user), Identity("namespace-root", user, in_namespace=True)]
    return [*found, Identity("root", 0)] if own == 0 else found


IDENTITIES = _identities()


@cache
def python_of(user: int) -> str:
    """A Python that this user can execute: ours may lie in a home that nobody else enters."""
    who = {} if os.getuid() == user else {"user": user, "group": user, "extra_groups": []}
    for python in _PYTHONS:
        try:
            command = [python, "-I", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"]
            if subprocess.run(command, cwd="/", timeout=120, check=False, **who).returncode == 0:
                return python
        except OSError:
            continue
    raise AssertionError(f"user {user} can execute none of {', '.join(_PYTHONS)}")


@cache
def packages() -> Path:
    """A copy of the package and the scenarios that everybody can read."""
    folder = Path(tempfile.mkdtemp(prefix="understudy-test-", dir=_place()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    for source, name in (
        ("server/understudy", "understudy"),
        ("tests/support/stages", "tests/support/stages"),
    ):
        shutil.copytree(REPOSITORY / source, folder / name, ignore=ignored)
    (folder / "tests/data").mkdir()
    shutil.copy(REPOSITORY / SECRETS, folder / SECRETS)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def _make_foreign(project: Path, user: int) -> None:
    """Files in the project that root owns."""
    project.mkdir()
    os.chown(project, user, user)
    (project / "theirs.txt").write_text("theirs\n")
    (project / "their-folder").mkdir()
    (project / "their-folder" / "inner").write_text("inner\n")
    (project / "their-folder").chmod(0o777)


def _place() -> Path:
    """Not below /tmp, which every stage replaces by its own."""
    return Path("/opt") if os.getuid() == 0 else Path.home()
