"""Installs each package into a clean folder, without a network, and makes its first check there.

What the packages depend on is gathered first; from then on nothing can be reached.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.bundle import BUILD_LOCK, ROOT
from tools.demo import FOUND, PATCH, PROJECT, fingerprint
from tools.provision import ProvisionError
from tools.release.builds import run

_NOWHERE = "127.0.0.1:9"
_COUNT = re.compile(r", \d+ files? judged \[stamp \w+\]")
"""Without a parser more files are judged than an edit reaches."""


def gather(wheel: Path, house: Path) -> None:
    """Put what the wheel and the build of the sdist need into a folder; the last that is loaded."""
    house.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(house)]
    command += ["--disable-pip-version-check", "--only-binary", ":all:"]
    run([*command, f"{wheel}[python]"], ROOT, os.environ)
    run([*command, "--require-hashes", "--requirement", str(BUILD_LOCK)], ROOT, os.environ)


def try_python_package(package: Path, house: Path, folder: Path) -> Path:
    """Install a wheel or sdist with its servers, and check; returns the environment's folder."""
    venv = folder / "venv"
    env = environment(folder)
    run([sys.executable, "-m", "venv", str(venv)], folder, env)
    command = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index"]
    command += ["--disable-pip-version-check", "--find-links", str(house), f"{package}[python]"]
    run([*offline(), *command], folder, env)
    first_check([str(venv / "bin" / "understudy")], folder, env)
    return venv


def try_extension(package: Path, servers: Path, folder: Path) -> None:
    """Unpack an extension as an editor does, and check with what it brings of ours."""
    place = folder / "extension"
    with zipfile.ZipFile(package) as archive:
        for member in archive.infolist():
            path = Path(archive.extract(member, place))
            path.chmod(member.external_attr >> 16 & 0o777 or 0o644)
    libraries = place / "extension" / "bundled" / "libs"
    env = environment(folder)
    env |= {"PYTHONPATH": str(libraries), "PYTHONNOUSERSITE": "1", "PYTHONSAFEPATH": "1"}
    env["PATH"] = os.pathsep.join([str(servers), env["PATH"]])
    first_check([sys.executable, "-S", "-m", "understudy"], folder, env)


def first_check(program: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
    """Check the demo, as the README shows it; raises ProvisionError where it says anything else."""
    said = _COUNT.sub("", demo_checked(program, folder, env))
    if said != shown():
        sys.stderr.write(said)
        raise ProvisionError(f"another answer from: {' '.join(program)}", "the README has this one")


def demo_checked(program: Sequence[str], folder: Path, env: Mapping[str, str]) -> str:
    """What a check of the demo prints; raises ProvisionError where it finds nothing, or writes."""
    shutil.copytree(ROOT / PROJECT, folder / PROJECT)
    shutil.copyfile(ROOT / PATCH, folder / PATCH)
    before = fingerprint(folder / PROJECT)
    command = [*offline(), *program, "check", PATCH, "--root", PROJECT]
    done = subprocess.run(
        command, cwd=folder, env=env, timeout=300, check=False,
        stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if done.returncode != FOUND or fingerprint(folder / PROJECT) != before:
        sys.stderr.write(done.stdout + done.stderr)
        what = f"exit code {done.returncode} from: {' '.join(command)}"
        raise ProvisionError(what, "see above, or the project was changed")
    return done.stdout


def shown() -> str:
    """What the README says that the check of the demo prints."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^\$ understudy check \S+demo\.patch .*\n((?:.+\n)+?)```", page, re.M)
    return _COUNT.sub("", block)


def environment(folder: Path) -> dict[str, str]:
    """Variables with which nothing of the user's is found, and no index but the folder's."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    proxies = {f"{scheme}_proxy": f"http://{_NOWHERE}" for scheme in ("http", "https", "all")}
    return {
        **proxies, "HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "UNDERSTUDY_STATE_DIR": str(folder / "state"),
    }  # fmt: skip


def offline() -> list[str]:
    """What stands before a command that must reach nothing; nothing where there are no namespaces.

    There proxies that lead nowhere and the lack of an index have to do: see `environment`.
    """
    unshare = ["unshare", "--net", *(["--map-root-user"] if os.geteuid() != 0 else [])]
    if shutil.which("unshare") is None:
        return []
    asked = subprocess.run([*unshare, "true"], capture_output=True, timeout=60, check=False)
    here = [sys.executable, str(Path(__file__).with_name("offline.py"))]
    return [*unshare, *here] if asked.returncode == 0 else []
