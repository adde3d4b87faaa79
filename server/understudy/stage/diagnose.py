"""Why a stage cannot be set up here, and what to do about it: from the step that failed."""

from __future__ import annotations

import errno
from pathlib import Path

from understudy.stage.model import KindName, ProbeReport

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_DEBIAN_SWITCH = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MAX_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")
_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def failed(kind: KindName, step: str, number: int, text: str) -> ProbeReport:
    """The report of a failed step, with the fix for this machine."""
    name = errno.errorcode.get(number, str(number)) if number else ""
    return ProbeReport(kind, False, step, name, text, fix_for(step, number))


def fix_for(step: str, number: int) -> str:
    """One sentence with what to change on this machine; empty where we know of nothing."""
    if step == "platform":
        return "use WSL 2 on Windows, or a Linux container"
    if _number(_APPARMOR) == 1 and step not in ("boundary", "execute"):
        return (
            "Ubuntu's AppArmor denies it: allow user namespaces for this Python with an AppArmor "
            "profile (`userns,`), or set kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if step in ("user namespace", "identity map"):
        if _number(_MAX_NAMESPACES) == 0:
            return "set the sysctl user.max_user_namespaces to 10000 or more"
        if _number(_DEBIAN_SWITCH) == 0:
            return "set the sysctl kernel.unprivileged_userns_clone to 1"
    if _in_container() and number in (errno.EPERM, errno.EACCES, errno.EINVAL):
        if step == "proc":
            return "start the container with `--security-opt systempaths=unconfined`"
        return (
            "the container forbids it: start it with `--security-opt seccomp=unconfined "
            "--security-opt systempaths=unconfined` or as `--privileged`"
        )
    if number == errno.ENOSYS or (step == "overlay" and number in (errno.ENODEV, errno.EPERM)):
        return "it needs Linux 5.12 or newer with overlayfs"
    if step == "boundary":
        return "commands are not run here; report this, with the machine it happened on"
    return ""


def _in_container() -> bool:
    return any(mark.exists() for mark in _CONTAINER_MARKS)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None
