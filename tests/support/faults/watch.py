"""System calls of a process and its children that wait for an answer: seccomp's notification.

Linux on x86-64 only, without privilege, and exact where many threads call: the kernel tells of one
call after the other. See seccomp_unotify(2).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import struct
import sys
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

SEES_HERE = sys.platform == "linux" and platform.machine() == "x86_64"

_SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER = 317, 1, 8
_NO_NEW_PRIVILEGES = 38
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTIFICATION = struct.Struct("QIIiIQ6Q")
_ANSWER = struct.Struct("QqiI")
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438


class Asked(NamedTuple):
    """A call that waits: its id, the thread that makes it, its number and its arguments."""

    id: int
    thread: int
    number: int
    arguments: tuple[int, ...]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def watch_myself(numbers: Collection[int]) -> int:
    """From now on calls of these numbers wait; the descriptor on which they are told."""
    libc = ctypes.CDLL(None, use_errno=True)
    steps = [(_LOAD, 0, 0, 0)]
    left = len(numbers)
    for number in sorted(numbers):
        left -= 1
        steps.append((_JUMP_IF_EQUAL, left + 1, 0, number))
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ASK)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(steps), ctypes.addressof(buffer))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    listener: int = libc.syscall(_SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return listener


class Listener:
    """The other end: takes the calls, and says what becomes of each."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def next(self) -> Asked | None:
        """The call that has waited longest; None where its process is gone by now."""
        raw = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, raw, True)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                return None
            raise
        id_, thread, _flags, number, _arch, _at, *arguments = _NOTIFICATION.unpack(raw)
        return Asked(id_, thread, number, tuple(arguments))

    def let(self, asked: Asked) -> None:
        """The call goes on as it would have."""
        self._answer(asked, 0, 0, _CONTINUE)

    def fail(self, asked: Asked, error: int) -> None:
        """The call is not made, and fails."""
        self._answer(asked, 0, -error, 0)

    def give(self, asked: Asked, value: int) -> None:
        """The call is not made, and returns a value: somebody else has done it."""
        self._answer(asked, value, 0, 0)

    def close(self) -> None:
        """Calls that would wait fail from now on."""
        os.close(self.descriptor)

    def _answer(self, asked: Asked, value: int, error: int, flags: int) -> None:
        with suppress(FileNotFoundError):  # its process has been killed
            raw = bytearray(_ANSWER.pack(asked.id, value, error, flags))
            fcntl.ioctl(self.descriptor, _SEND, raw, True)


def borrowed(process: int, descriptor: int) -> int:
    """A descriptor of another process as one of ours, with the same file offset."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle: int = libc.syscall(_PIDFD_OPEN, process, 0)
    if handle < 0:
        raise OSError(ctypes.get_errno(), "pidfd_open")
    try:
        ours: int = libc.syscall(_PIDFD_GETFD, handle, descriptor, 0)
        if ours < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        return ours
    finally:
        os.close(handle)
