"""Real git repositories for tests, kept apart from the machine's own git configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

SECONDS = 60
_WHO = {
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


class GitRepository:
    """A repository with a work tree; every method runs the real git."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments: str | Path, stdin: str | None = None) -> str:
        """Run a git command in the folder; a failure fails the test."""
        return git(self.folder, *arguments, stdin=stdin)

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write (or, with None, delete) files of the work tree."""
        for path, content in files.items():
            target = self.folder / path
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes | None] | None = None) -> str:
        """Commit everything that is in the work tree, after writing these files."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.git("rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str | Path, stdin: str | None = None) -> str:
    """What a git command prints."""
    done = subprocess.run(
        ["git", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **_WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout
