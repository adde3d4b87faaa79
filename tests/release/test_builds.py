"""What differs between two builds is found and named; what is not ours to run is not run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.bundle import ROOT
from tools.provision import ProvisionError
from tools.release.builds import differences, run, unpack
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


def test_a_commit_is_unpacked_where_tarfile_has_no_filters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As before Python 3.10.12, of which there may be none here."""
    with monkeypatch.context() as patch:
        if hasattr(tarfile, "data_filter"):
            extract = tarfile.TarFile.extractall
            patch.setattr(tarfile.TarFile, "extractall", lambda tar, path: extract(tar, path))
            patch.delattr(tarfile, "data_filter")
        unpack("HEAD", tmp_path)
    assert (tmp_path / "pyproject.toml").is_file()


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


OURS = (
    "SHA256SUMS",
    "understudy-0.1.0-py3-none-any.whl",
    "understudy-linux-x64-0.1.0.vsix.cdx.json",
)


@pytest.mark.parametrize(
    ("there", "in_the_way"),
    [
        (OURS, None),
        ([*OURS, "notes.txt"], "notes.txt"),
        ([*OURS, "understudy-old.whl/notes.txt"], "understudy-old.whl"),
    ],
)
def test_a_folder_with_other_files_is_not_replaced(
    tmp_path: Path, there: Sequence[str], in_the_way: str | None
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in there:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).touch()
    names = sorted(out.rglob("*"))
    command = [sys.executable, "-m", "tools.release", "--out", str(out), "--commit", "no-such"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sorted(out.rglob("*")) == names
    if in_the_way is None:
        assert "git show" in done.stderr, "nothing hindered it"
    else:
        assert f"{out} is replaced whole, with {out / in_the_way}" in done.stderr
