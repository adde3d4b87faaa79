"""The fix that is named for a failed step, by what the machine says of itself."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from understudy.stage import diagnose


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that says nothing of itself; write into the folder what it says."""
    monkeypatch.setattr(diagnose, "_APPARMOR", tmp_path / "apparmor")
    monkeypatch.setattr(diagnose, "_DEBIAN_SWITCH", tmp_path / "debian")
    monkeypatch.setattr(diagnose, "_MAX_NAMESPACES", tmp_path / "max")
    monkeypatch.setattr(diagnose, "_CONTAINER_MARKS", (tmp_path / "container",))
    return tmp_path


@pytest.mark.parametrize(
    ("says", "step", "number", "expected"),
    [
        ({"apparmor": "1\n"}, "identity map", errno.EPERM, "AppArmor"),
        ({"apparmor": "1\n"}, "loopback", errno.EPERM, "AppArmor"),
        ({"apparmor": "0\n", "max": "0\n"}, "user namespace", errno.ENOSPC, "max_user_namespaces"),
        ({"debian": "0\n"}, "user namespace", errno.EPERM, "unprivileged_userns_clone"),
        ({"container": ""}, "user namespace", errno.EPERM, "seccomp=unconfined"),
        ({"container": ""}, "proc", errno.EPERM, "systempaths=unconfined"),
        ({}, "overlay", errno.ENODEV, "overlayfs"),
        ({}, "read-only", errno.ENOSYS, "Linux 5.12"),
        ({}, "boundary", 0, "not run here"),
        ({}, "platform", 0, "WSL 2"),
    ],
)
def test_fix(machine: Path, says: dict[str, str], step: str, number: int, expected: str) -> None:
    for name, text in says.items():
        (machine / name).write_text(text)
    assert expected in diagnose.fix_for(step, number)


def test_no_fix_is_made_up(machine: Path) -> None:
    assert machine
    assert diagnose.fix_for("tmpfs", errno.ENOMEM) == ""
    report = diagnose.failed("overlay", "tmpfs", errno.ENOMEM, "Cannot allocate memory")
    assert (report.ok, report.step, report.errno, report.fix) == (False, "tmpfs", "ENOMEM", "")
