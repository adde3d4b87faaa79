"""Keeps the oracle's findings between runs, by the checker's version and the project's texts."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.support.edits import GeneratedEdit
from tests.support.kit import Oracle
from tests.support.kits import source_of
from tests.support.oracle import STOPPED, Delta, Found, Key, Truth, oracle_delta, settled
from tests.support.sample import Project
from tests.support.servers import environment

_SOURCES = ("oracle.py", "oracle_fresh.py", "typescript_api.mjs")


class KeptTruth:
    """As `Truth`, but what was judged once, in this run or another, is not judged again.

    One for a folder at a time: the checker finds the edit there as files.
    """

    def __init__(self, oracle: Oracle, project: Project, folder: Path) -> None:
        self.oracle = oracle
        self.project = project
        self._folder = folder
        self._truth: Truth | None = None
        self._before: Counter[Found] | None = None

    def delta(self, edit: GeneratedEdit) -> Delta:
        """What the edit introduces and fixes in the whole project."""
        after = self._findings(edit)
        return settled(oracle_delta(self.findings_before(), after, edit), edit)

    def unsaid(self, edit: GeneratedEdit) -> Counter[Key]:
        """What a checker that gave up says no longer, and may be there still; lines of before."""
        after = self._findings(edit)
        if STOPPED not in after:
            return Counter()
        heard = Counter({one: number for one, number in after.items() if one != STOPPED})
        before = self.findings_before()
        return oracle_delta(before, heard, edit).fixed - oracle_delta(before, after, edit).fixed

    def findings_before(self) -> Counter[Found]:
        """All findings of the project as it is."""
        if self._before is None:
            self._before = self._findings(None)
        return self._before

    def _findings(self, edit: GeneratedEdit | None) -> Counter[Found]:
        changed = {**self.project.files, **(edit.files if edit is not None else {})}
        texts = {path: text for path, text in changed.items() if text is not None}
        kept = _cache_folder() / f"{_key(self.oracle, texts)}.json"
        if kept.is_file():
            return Counter([Found(*item) for item in json.loads(kept.read_text())])
        if self._truth is None:
            self._truth = Truth(self.oracle.find, self.project, self._folder)
        found = self._truth.before if edit is None else self._truth.after(edit)
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(sorted(found.elements(), key=str)))
        written.replace(kept)
        return found


def _key(oracle: Oracle, texts: Mapping[str, str]) -> str:
    parts = [
        oracle.name,
        _identity(oracle),
        *(part for item in sorted(texts.items()) for part in item),
    ]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()[:32]


@cache
def _identity(oracle: Oracle) -> str:
    """Changes with the checker's version, what is installed beside it, and the oracle itself."""
    installed = sorted(f"{d.name}=={d.version}" for d in importlib.metadata.distributions())
    found = shutil.which(oracle.program or oracle.name, path=environment()["PATH"])
    assert found is not None, f"the program of {oracle.name} is not installed"
    place = Path(found).resolve()  # its folder is named by its version
    here = Path(__file__).parent
    files = [source_of(oracle), *(here / name for name in _SOURCES)]
    sources = [file.read_text(encoding="utf-8") for file in files]
    toolchain = place.parent.parent / "VERSION"  # Go's: its folder is not
    version = toolchain.read_text(encoding="utf-8") if toolchain.is_file() else ""
    return "\n".join([str(place), version, sys.version, *installed, *sources])


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "truth"
