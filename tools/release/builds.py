"""Builds of a commit that do not depend on who builds, where and when; and what differs if so."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bundle import BUILD_LOCK, ROOT, tools
from tools.provision import ProvisionError

DEADLINE_S = 1800


@dataclass(frozen=True)
class Surroundings:
    """What is another way for each build: the folder's name, variables, the mask of new files."""

    folder: str
    variables: Mapping[str, str]
    umask: int


SURROUNDINGS = (
    Surroundings("one", {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}, 0o022),
    Surroundings(
        "an öther folder", {"TZ": "Pacific/Chatham", "LC_ALL": "C", "PYTHONHASHSEED": "2"}, 0o077
    ),
)


def commit_time(commit: str) -> str:
    """When the commit was made, in s since 1970: the time of all files in its packages."""
    return _git("show", "--no-patch", "--format=%ct", commit).decode().strip()


def build(commit: str, targets: Sequence[str], around: Surroundings, work: Path) -> Path:
    """Build all packages of the commit; returns their folder. Raises ProvisionError."""
    place, out = work / around.folder / "understudy", work / around.folder / "dist"
    shutil.rmtree(work / around.folder, ignore_errors=True)
    place.mkdir(parents=True)
    unpack(commit, place)
    env = {**os.environ, **around.variables, "SOURCE_DATE_EPOCH": commit_time(commit)}
    env |= {"PATH": tools(), "PYTHONPATH": str(place / "server"), "UV_PYTHON_DOWNLOADS": "never"}
    python = [sys.executable, "-m"]
    chosen = [word for target in targets for word in ("--target", target)]
    for command in (
        [*python, "tools.node", "npm", "ci", "--ignore-scripts", "--loglevel=error"],
        [*python, "tools.node", "npm", "run", "--silent", "build"],
        ["uv", "build", "--quiet", "--build-constraints", str(BUILD_LOCK.relative_to(ROOT)),
         "--require-hashes", "--out-dir", str(out)],
        [*python, "tools.vsix", *chosen, "--out", str(out)],
    ):  # fmt: skip
        run(command, place, env, around.umask)
    (out / ".gitignore").unlink(missing_ok=True)
    return out


def unpack(commit: str, place: Path) -> None:
    """Put the files of a commit into a folder."""
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # not before 3.10.12
        tar.extractall(place)  # noqa: S202 - git has made it


def hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of a folder, by name."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def differences(one: Path, other: Path) -> list[str]:
    """Which packages of two builds are not the same bytes, and by which of their members."""
    ours, theirs = hashes(one), hashes(other)
    found: list[str] = []
    for name in sorted({*ours, *theirs}):
        if ours.get(name) == theirs.get(name):
            continue
        if name not in ours or name not in theirs:
            found.append(f"{name}: one build has none")
            continue
        members = _members(one / name), _members(other / name)
        differ = [member for member in sorted({*members[0], *members[1]})
                  if members[0].get(member) != members[1].get(member)]  # fmt: skip
        found.append(f"{name}: {', '.join(differ[:8]) or 'the order of its members'}")
    return found


def run(command: Sequence[str], folder: Path, env: Mapping[str, str], umask: int = -1) -> str:
    """Run a step of a release; returns what it printed. Raises ProvisionError."""
    program = shutil.which(command[0], path=env.get("PATH"))
    if program is None:
        raise ProvisionError(f"no program {command[0]}", "make setup")
    done = subprocess.run(
        [program, *command[1:]],
        cwd=folder, env=env, umask=umask, timeout=DEADLINE_S, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise ProvisionError(f"exit code {done.returncode} from: {' '.join(command)}", "see above")
    return done.stdout


def _members(package: Path) -> dict[str, tuple[object, ...]]:
    """What is kept of each file in a package: its place, time, mode and bytes."""
    if package.suffix in (".whl", ".vsix"):
        with zipfile.ZipFile(package) as archive:
            return {one.filename: (one.date_time, one.external_attr, one.CRC)
                    for one in archive.infolist()}  # fmt: skip
    if not package.name.endswith(".tar.gz"):
        return {}
    with tarfile.open(package) as tar:
        return {one.name: (one.mtime, one.mode, one.uname, _content(tar, one)) for one in tar}


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return hashlib.sha256(file.read()).digest() if file is not None else b""


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)  # noqa: S607
    if done.returncode != 0:
        raise ProvisionError(f"git {arguments[0]}: {done.stderr.decode().strip()}", "see above")
    return done.stdout
