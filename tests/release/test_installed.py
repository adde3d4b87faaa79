"""The wheel as others install it: by the README's first command, and at both ends of our ranges."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.pythons import python_of
from tools.bundle import BUILD_LOCK, PYTHONS, tools
from tools.release.builds import run
from tools.release.clean import demo_checked, environment, gather, offline

ROOT = Path(__file__).resolve().parents[2]
BROKEN = ("invoices/totals.py:22:15: error", "invoices/printing.py:17:15: error")
OURS_ALONE = """
import importlib, pkgutil, understudy
inside = ("understudy.stage.inside.", "understudy.__main__", "understudy.adapters.")
modules = [m.name for m in pkgutil.walk_packages(understudy.__path__, "understudy.")]
wanted = [name for name in modules if not name.startswith(inside)]
for name in wanted:
    importlib.import_module(name)
print(len(wanted))
"""


@pytest.fixture(scope="module")
def variables() -> Mapping[str, str]:
    return {**os.environ, "PATH": tools(), "UV_PYTHON_DOWNLOADS": "never"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, variables: Mapping[str, str]) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = ["uv", "build", "--wheel", "--quiet", "--require-hashes", "--out-dir", str(out)]
    run([*command, "--build-constraints", str(BUILD_LOCK)], ROOT, variables)
    (built,) = out.glob("*.whl")
    return built


def test_the_first_command_of_the_readme(
    tmp_path: Path, wheel: Path, variables: Mapping[str, str]
) -> None:
    """From a local index, which stands for the public one: nothing else can be reached."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (first,) = re.findall(r"```sh\n(.+?)\s+#", page)[:1]
    assert first == "uvx 'understudy[python]' check"
    house = tmp_path / "index"
    gather(wheel, house)
    shutil.copy(wheel, house)
    env = environment(tmp_path)
    env |= {"PATH": variables["PATH"], "UV_CACHE_DIR": str(tmp_path / "cache")}
    settings = tmp_path / "uv.toml"
    settings.write_text(f"no-index = true\nfind-links = [{json.dumps(str(house))}]\n")
    env |= {"UV_CONFIG_FILE": str(settings), "UV_PYTHON_DOWNLOADS": "never"}
    work = tmp_path / "work"
    shutil.copytree(ROOT / "tests" / "data" / "demo", work)
    patch = str(ROOT / "tests" / "data" / "demo.patch")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "Begin"],
                  ["apply", patch]):  # fmt: skip
        subprocess.run(["git", *words], cwd=work, env=env, check=True, timeout=60)
    command = [*offline(), "/bin/sh", "-c", first]
    done = subprocess.run(
        command, cwd=work, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for finding in BROKEN:
        assert finding in done.stdout
    assert not [*work.glob(".understudy*")]


@pytest.mark.parametrize(
    ("which", "resolution"), [(0, "lowest-direct"), (-1, "highest")], ids=["lowest", "newest"]
)
def test_both_ends_of_our_ranges(
    tmp_path: Path, wheel: Path, variables: Mapping[str, str], which: int, resolution: str
) -> None:
    """The oldest Python with the oldest libraries, the newest that is here with the newest."""
    python = [found for version in PYTHONS if (found := python_of(version)) is not None][which]
    venv = tmp_path / "venv"
    run(["uv", "venv", "--quiet", "--python", python, str(venv)], ROOT, variables)
    install = ["uv", "pip", "install", "--quiet", "--python", str(venv / "bin" / "python")]
    extras = [word for name in ("python", "mcp", "acp") for word in ("--extra", name)]
    asked = [*install, "--resolution", resolution, "-r", "pyproject.toml", *extras]
    run(asked, ROOT, variables)
    run([*install, "--no-deps", str(wheel)], ROOT, variables)
    env = environment(tmp_path)
    said = demo_checked([str(venv / "bin" / "understudy")], tmp_path, env)
    for finding in BROKEN:
        assert finding in said
    imported = run([str(venv / "bin" / "python"), "-c", OURS_ALONE], tmp_path, env)
    assert int(imported) > 300
