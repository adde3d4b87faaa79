"""Makes a release of the commit that is checked out, into dist/; nothing leaves the machine.

    python -m tools.release                             every package
    python -m tools.release --target linux-x64          of the extension's, only this one

1. Everything is built twice, in other surroundings, and must be the same bytes.
2. Each package that this machine can run is installed into a clean folder without a network, and
   checks the demo of the README there; the extension in an editor, too, where there is one.
3. Beside the packages come what is in each (CycloneDX) and the SHA-256 of all files.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from tools.bundle import PLATFORMS, ROOT, UNIVERSAL
from tools.provision import ProvisionError, locked
from tools.release import builds, clean
from tools.release.parts import BILL, bill, installed_parts
from tools.vsix import manifest

P, T = ParamSpec("P"), TypeVar("T")
HASHES = "SHA256SUMS"
_MADE = re.compile(r"understudy-.+\.(whl|tar\.gz|vsix|cdx\.json)")
_EDITOR_TEST = "tests/vscode/test_first_use.py"


def main() -> int:
    """Make it; the exit code is 1 when a step failed, and it says which."""
    parser = argparse.ArgumentParser(prog="make release", description="see tools/release")
    known = [*PLATFORMS, UNIVERSAL]
    parser.add_argument("--target", action="append", choices=known, help="default: all")
    parser.add_argument("--commit", default="HEAD", help="default: what is checked out")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="default: dist/")
    wanted = parser.parse_args()
    work = ROOT / "build" / "release"
    work.mkdir(parents=True, exist_ok=True)
    try:
        with locked(work.parent / "release.lock"):
            _release(wanted.commit, wanted.target or known, work, wanted.out)
    except ProvisionError as error:
        sys.stderr.write(f"release: {error}\nrelease: {error.advice}\n")
        return 1
    return 0


def _release(commit: str, targets: Sequence[str], work: Path, out: Path) -> None:
    _refuse_foreign(out)
    os.environ["SOURCE_DATE_EPOCH"] = builds.commit_time(commit)
    made = [
        _timed(f"build in {around.folder!r}", builds.build, commit, targets, around, work)
        for around in builds.SURROUNDINGS
    ]
    if differ := builds.differences(*made):
        raise ProvisionError("two builds differ:\n  " + "\n  ".join(differ), "see above")
    built = made[0]
    bills = _tried(built, targets, work)
    for name, text in bills.items():
        (built / name).write_text(text, encoding="utf-8")
    sums = "".join(f"{digest}  {name}\n" for name, digest in builds.hashes(built).items())
    (built / HASHES).write_text(sums, encoding="utf-8")
    _refuse_foreign(out)  # it took long
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(built, out)
    _say(f"{out}: {len(list(out.iterdir()))} files; both builds were the same bytes")
    sys.stdout.write(sums)


def _refuse_foreign(out: Path) -> None:
    """Raise ProvisionError where something is in the way that no release has put there."""
    if not os.path.lexists(out):
        return
    is_folder = out.is_dir() and not out.is_symlink()
    for path in sorted(out.iterdir()) if is_folder else [out]:
        if not (is_folder and _is_made(path)):
            raise ProvisionError(f"{out} is replaced whole, with {path}", "name another --out")


def _is_made(path: Path) -> bool:
    return path.is_file() and (path.name == HASHES or _MADE.fullmatch(path.name) is not None)


def _tried(built: Path, targets: Sequence[str], work: Path) -> dict[str, str]:
    """Install each and check; returns the bills of all packages by the names of their files."""
    folder = work / "clean"
    shutil.rmtree(folder, ignore_errors=True)
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    if not clean.offline():
        _say("no namespaces here: an index and proxies that lead nowhere have to do")
    _timed("gathering what is installed with it", clean.gather, wheel, folder / "house")
    bills: dict[str, str] = {}
    for package in (wheel, sdist):
        place = folder / package.name
        place.mkdir()
        venv = _timed(package.name, clean.try_python_package, package, folder / "house", place)
        (libraries,) = venv.glob("lib/python*/site-packages")
        parts = [part for part in installed_parts(libraries) if part.name not in _OURS]
        digest = builds.hashes(built)[package.name]
        bills[f"{package.name}.cdx.json"] = bill("understudy", manifest()["version"], parts, digest)
    for target in targets:
        (package,) = built.glob(f"*-{target}-*.vsix")
        with zipfile.ZipFile(package) as archive:
            text = archive.read(f"extension/{BILL}").decode()
        bills[f"{package.name}.cdx.json"] = text
        if target not in (UNIVERSAL, _here()):
            _say(f"{package.name}: built; nothing here can run it")
            continue
        place = folder / package.name
        place.mkdir()
        servers = folder / wheel.name / "venv" / "bin"
        _timed(package.name, clean.try_extension, package, servers, place)
        if os.environ.get("UNDERSTUDY_TEST_EDITOR"):
            _timed(f"{package.name} in an editor", _try_in_editor, package)
    return bills


_OURS = frozenset(("understudy", "pip", "setuptools"))
"""What a clean environment has beside the libraries."""


def _try_in_editor(package: Path) -> None:
    command = [*clean.offline(), sys.executable, "-m", "pytest", "-q", "-n0", _EDITOR_TEST]
    builds.run(command, ROOT, {**os.environ, "UNDERSTUDY_TEST_VSIX": str(package), "CI": "true"})


def _here() -> str:
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{sys.platform}-{processor}"


def _timed(what: str, step: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    began = time.monotonic()
    result = step(*arguments, **named)
    _say(f"{what}: {time.monotonic() - began:.0f} s")
    return result


def _say(text: str) -> None:
    sys.stderr.write(f"release: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
