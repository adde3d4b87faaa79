"""Landlock by ctypes: a process and all it starts may write beneath given places only.

Importable by the stage's own helper processes (`python -I -S`): the standard library alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE, _READ_FILE = 1 << 1, 1 << 2
_MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
"""Devices that any program may write to, and read from."""


def abi() -> int:
    """The version of Landlock here; 0 if the kernel has none, or it is switched off."""
    if os.name == "nt" or not hasattr(os, "O_PATH"):
        return 0
    version = ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, 1)
    return max(version, 0)


def restrict(
    writable: Iterable[str],
    readable: Iterable[str] | None = None,
    *,
    network: bool = False,
    alone: bool = True,
) -> None:
    """Fence this process and all that it starts from now on; it cannot be taken back.

    Nothing is written but beneath `writable` and to `DEVICES`; no files are read but these and
    those beneath `readable` (names can be listed; None: all are read). Without `network`, no TCP
    (version 4). From version 6 on, no process outside is signalled and no abstract socket outside
    reached, unless it is not `alone`.
    Raises OSError where the kernel has no Landlock.
    """
    version = abi()
    if version < 1:
        raise OSError(errno.ENOSYS, "the kernel has no Landlock")
    writing = _writing(version)
    reading = _READ_FILE if readable is not None else 0
    net = 0 if network or version < 4 else _BIND_TCP | _CONNECT_TCP
    scoped = _ABSTRACT_SOCKETS | _SIGNALS if alone and version >= 6 else 0
    attributes = struct.pack("QQQ", writing | reading, net, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _call(libc, _CREATE_RULESET, ctypes.create_string_buffer(attributes, 24), size, 0)
    try:
        for place in (*writable, *DEVICES):
            _allow(libc, ruleset, place, writing | reading)
        for place in readable or ():
            _allow(libc, ruleset, place, reading)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "no_new_privs is refused")
        _call(libc, _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _writing(version: int) -> int:
    """The rights to write that this version knows; unknown ones would be refused."""
    rights = _WRITE_FILE | _MAKE_AND_REMOVE
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE)):
        if version >= since:
            rights |= right
    return rights


def _allow(libc: ctypes.CDLL, ruleset: int, place: str, rights: int) -> None:
    """Add a rule for a folder or a file; a place that is gone needs none."""
    try:
        descriptor = os.open(place, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
        rule = struct.pack("=Qi", rights, descriptor)
        _call(libc, _ADD_RULE, ruleset, _PATH_BENEATH, ctypes.create_string_buffer(rule, 12), 0)
    finally:
        os.close(descriptor)


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    result = libc.syscall(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return result
