"""What differs between two builds is found and named; what is not ours to run is not run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.provision import ProvisionError
from tools.release.builds import differences, run
from tools.release.clean import offline


def zipped(path: Path, members: dict[str, bytes], year: int = 2026, mode: int = 0o644) -> None:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            info.external_attr = mode << 16
            archive.writestr(info, content)


def test_the_member_that_differs_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    both = {"a": b"1", "b": b"2"}
    for folder in (one, other):
        zipped(folder / "same.whl", both)
    assert differences(one, other) == []
    zipped(one / "bytes.whl", both)
    zipped(other / "bytes.whl", {"a": b"1", "b": b"3"})
    zipped(one / "mode.vsix", both)
    zipped(other / "mode.vsix", both, mode=0o600)
    zipped(one / "order.whl", both)
    zipped(other / "order.whl", {"b": b"2", "a": b"1"})
    zipped(one / "times.vsix", both)
    zipped(other / "times.vsix", both, 2025)
    zipped(one / "alone.whl", both)
    for folder, text in ((one, "x"), (other, "y")):
        (folder / "file").write_text(text)
        with tarfile.open(folder / "s.tar.gz", "w:gz") as tar:
            tar.add(folder / "file", "file")
        (folder / "file").unlink()
    assert differences(one, other) == [
        "alone.whl: one build has none",
        "bytes.whl: b",
        "mode.vsix: a, b",
        "order.whl: the order of its members",
        "s.tar.gz: file",
        "times.vsix: a, b",
    ]


def test_a_step_that_fails_says_which(tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match="exit code 3 from: "):
        run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, {})
    with pytest.raises(ProvisionError, match="no program nothing-like-it"):
        run(["nothing-like-it"], tmp_path, {"PATH": str(tmp_path)})


def test_nothing_is_reached_from_a_first_check() -> None:
    """Here there are namespaces: what is run so has the loopback, and no way to anything else."""
    program = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); "
        "socket.create_connection(s.getsockname()); print(len(socket.if_nameindex()))"
    )
    assert offline()
    done = subprocess.run(
        [*offline(), sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "1\n"
