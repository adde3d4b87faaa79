"""The system calls of a stage, by ctypes; each raises OSError with what was tried."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 2, 4, 8, 32, 4096, 16384
MS_PRIVATE = 1 << 18

_MOUNT_SETATTR, _CLOSE_RANGE = 442, 436
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
ATTR_RDONLY, ATTR_NODEV = 1, 4
_CLOSE_RANGE_CLOEXEC = 4
_JOIN_SESSION_KEYRING = 1

_PR_SET_PDEATHSIG, _PR_CAPBSET_READ, _PR_CAPBSET_DROP = 1, 23, 24
_PR_SET_SECUREBITS, _PR_CAP_AMBIENT = 28, 47
_AMBIENT_RAISE, _AMBIENT_CLEAR_ALL = 2, 4
_NO_ROOT_LOCKED = 0x3  # SECBIT_NOROOT and its lock: user id 0 gives no capability at execve
_CAPABILITY_VERSION = 0x20080522
CAP_SYS_ADMIN, CAP_SETPCAP = 21, 8

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_SET_ADDRESS, _SET_NETMASK = 0x8916, 0x891C
_LOCK_TERMINAL, _OPEN_OTHER_SIDE = 0x40045431, 0x5441

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move this process (or, for processes, its children) into new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def mount(
    source: bytes | None, target: bytes, kind: bytes | None, flags: int = 0, data: bytes = b""
) -> None:
    """mount(2)."""
    what = f"mount {(kind or b'').decode()} on {os.fsdecode(target)!r}"
    _check(_libc.mount(source, target, kind, ctypes.c_ulong(flags), data or None), what)


def bind(descriptor: int, target: bytes) -> None:
    """Show an open (O_PATH) file or folder at another path."""
    mount(b"/proc/self/fd/%d" % descriptor, target, None, MS_BIND | MS_REC)


def set_attributes(path: bytes, *, add: int = 0, clear: int = 0, recursive: bool = False) -> None:
    """Change flags (`ATTR_…`) of a mount, or of all below it too."""
    attributes = ctypes.create_string_buffer(struct.pack("QQQQ", add, clear, 0, 0), 32)
    flags = _AT_RECURSIVE if recursive else 0
    result = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, attributes, 32)
    _check(result, f"mount_setattr on {os.fsdecode(path)!r}")


def raise_loopback() -> None:
    """Bring the loopback interface of a new network namespace up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", answer)[1] | _UP
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags))


def give_loopback(address: str, number: int) -> None:
    """Let the loopback interface answer for one more address; `number` tells it from others."""
    if ":" in address:
        raw = socket.inet_pton(socket.AF_INET6, address)
        request = struct.pack("16sIi", raw, 128, socket.if_nametoindex("lo"))
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SET_ADDRESS, request)
        return
    name = b"lo:%d" % number
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for what, raw in (
            (_SET_ADDRESS, socket.inet_aton(address)),
            (_SET_NETMASK, b"\xff" * 4),
        ):
            request = struct.pack("16sHH4s8x", name, socket.AF_INET, 0, raw)
            fcntl.ioctl(any_socket, what, request)


def open_terminal() -> tuple[int, int]:
    """A new terminal of this process's own /dev: the side of who shows it, and the program's."""
    ours = os.open(b"/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(ours, _LOCK_TERMINAL, struct.pack("i", 0))
        return ours, fcntl.ioctl(ours, _OPEN_OTHER_SIDE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        os.close(ours)
        raise


def leave_session_keyring() -> None:
    """Take a new, empty session keyring, so that the user's keys are out of reach."""
    number = _KEYCTL.get(platform.machine())
    if number is not None:
        _libc.syscall(number, _JOIN_SESSION_KEYRING, None)  # a kernel without keys has none


def die_with_parent(signal_number: int) -> None:
    """Get this signal when the parent ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "PR_SET_PDEATHSIG")


def close_on_exec_from(first: int) -> None:
    """Let an execve close this descriptor and all above it."""
    result = _libc.syscall(_CLOSE_RANGE, first, 0xFFFFFFFF, _CLOSE_RANGE_CLOEXEC)
    _check(result, "close_range")


def effective_capabilities() -> int:
    """The effective set as a bit mask."""
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION, 0), 8)
    data = ctypes.create_string_buffer(24)
    _check(_libc.capget(header, data), "capget")
    words = struct.unpack("6I", data.raw)
    return words[0] | words[3] << 32


def keep_capabilities(kept: int) -> None:
    """Give up all capabilities but those of the mask, for ever and for all programs started."""
    mine = effective_capabilities()
    kept &= mine
    if mine >> CAP_SETPCAP & 1:
        number = 0
        while (held := _libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0)) >= 0:
            if held and not kept >> number & 1:
                _check(_libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0), "PR_CAPBSET_DROP")
            number += 1
        _check(_libc.prctl(_PR_SET_SECUREBITS, _NO_ROOT_LOCKED, 0, 0, 0), "PR_SET_SECUREBITS")
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION, 0), 8)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    words = ctypes.create_string_buffer(struct.pack("6I", low, low, low, high, high, high), 24)
    _check(_libc.capset(header, words), "capset")
    _libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL, 0, 0, 0)
    for number in range(kept.bit_length()):
        if kept >> number & 1:
            _check(_libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, number, 0, 0), "PR_CAP_AMBIENT")


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
