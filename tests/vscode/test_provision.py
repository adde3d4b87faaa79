"""What installs the editor and the servers: a whole folder or none, and once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.support.servers import environment
from tools.provision import ProvisionError, installed

ROOT = Path(__file__).resolve().parents[2]
INSTALL = """
import json, sys
from pathlib import Path
from tools.provision import installed, locked
cache, entry = Path(sys.argv[1]), json.loads(sys.argv[2])
with locked(cache / "lock"):
    print(installed("tool", entry, cache, ""))
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


@pytest.fixture
def entry(tmp_path: Path) -> dict[str, Any]:
    """A pinned package with one program, from a wheel that needs no registry."""
    return {"pypi": [str(make_wheel(tmp_path))], "programs": {"tool": "tool"}}


def make_wheel(folder: Path) -> Path:
    path = folder / "tool-1.0.0-py3-none-any.whl"
    about = "tool-1.0.0.dist-info"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("tool.py", "def main():\n    print('it works')\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tool\nVersion: 1.0.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/entry_points.txt", "[console_scripts]\ntool = tool:main\n")
        wheel.writestr(f"{about}/RECORD", "")
    return path


def run_tool(folder: Path) -> str:
    paths = {**environment(), "PYTHONPATH": str(folder.parent / "packages")}
    done = subprocess.run(
        [folder / "tool"], env=paths, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_half_an_install_is_none(cache: Path, entry: dict[str, Any]) -> None:
    wheel = Path(entry["pypi"][0])
    whole = wheel.read_bytes()
    wheel.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ProvisionError, match="exit code"):
        installed("tool", entry, cache, "")
    assert [path.name[:5] for path in cache.iterdir()] == [".tool"]
    wheel.write_bytes(whole)
    assert run_tool(installed("tool", entry, cache, "")) == "it works\n"
    assert [path.name[:5] for path in cache.iterdir()] == ["tool-"]


def test_a_package_without_its_program_is_refused(cache: Path, entry: dict[str, Any]) -> None:
    with pytest.raises(ProvisionError, match="brought no program"):
        installed("tool", {**entry, "programs": {"tool": "another"}}, cache, "")


def test_two_at_once_install_once(cache: Path, entry: dict[str, Any]) -> None:
    command = [sys.executable, "-c", INSTALL, str(cache), json.dumps(entry)]
    both = [
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    (folder,) = {out.strip() for out, _ in said}
    assert run_tool(Path(folder)) == "it works\n"
    assert sum("installed tool" in err for _, err in said) == 1
