"""A system call filter for the commands of a stage (seccomp-bpf, by ctypes).

Importable by the stage's own helper processes (`python -I -S`): the standard library alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_X32_BIT = 0x40000000

_DENIED: Mapping[str, tuple[int, int]] = {
    # other namespaces and mounts: a nested user namespace has all capabilities again
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # parts of the kernel that no build or test needs, and that were ways out before
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    # keys of the user's session
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # the machine itself
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
}
"""System call -> its number on x86_64 and on aarch64; each of them answers EPERM."""

_MORE: Mapping[str, tuple[int, int]] = {
    "truncate": (76, 45),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
"""What is denied only where a caller asks for it."""
SYSTEM_V = ("shmget", "shmat", "msgget", "semget", "mq_open")
"""Ways to objects that all processes of an IPC namespace share, and that outlive them."""

_CLONE, _CLONE3, _IOCTL, _SOCKET = (56, 220), (435, 435), (16, 29), (41, 198)
_NEW_NAMESPACE = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # both can type into the terminal that we run in

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _ARGUMENT_0, _ARGUMENT_1 = 0, 4, 16, 24  # offsets in struct seccomp_data

_PR_SET_NO_NEW_PRIVS, _PR_GET_SECCOMP, _PR_SET_SECCOMP, _MODE_FILTER = 38, 21, 22, 2


def install(families: Iterable[int] | None = None, also: Iterable[str] = ()) -> None:
    """Filter this process and all that it starts from now on; it cannot be taken back.

    Call it in the single-threaded child, last before execve: it also sets no_new_privs.
    `families` are the address families that socket(2) may still open (the rest is EACCES); None
    leaves them all. A socketpair(2) always works. `also` names more calls to deny (`truncate`).
    Raises OSError where the kernel refuses or the machine's numbers are not known.
    """
    code = program(platform.machine(), families, also)
    libc = ctypes.CDLL(None, use_errno=True)
    instructions = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(instructions))
    fprog = ctypes.create_string_buffer(head, len(head))
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, fprog, 0, 0))


def unavailable() -> str | None:
    """Why no filter can be installed here; None if it can."""
    if platform.system() != "Linux":
        return "there is no seccomp outside Linux"
    if platform.machine() not in _AUDIT_ARCH:
        return f"the system call numbers of {platform.machine()} are not known"
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) < 0:
        return f"the kernel has no seccomp ({os.strerror(ctypes.get_errno())})"
    return None


def program(machine: str, families: Iterable[int] | None = None, also: Iterable[str] = ()) -> bytes:
    """The filter as BPF instructions; raises OSError ENOSYS for a machine that is not known.

    Calls by another architecture's numbers (32-bit programs) are ENOSYS, and so is clone3, whose
    flags a filter cannot read: the C library then takes clone.
    """
    if machine not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"the system call numbers of {machine} are not known")
    column = _COLUMN[machine]
    code = [
        _op(_LOAD, _ARCH),
        _op(_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _fail(errno.ENOSYS),
        _op(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        code += [_op(_AT_LEAST, _X32_BIT, 0, 1), _fail(errno.ENOSYS)]
    for numbers in (*_DENIED.values(), *(_MORE[name] for name in also)):
        code += [_op(_EQUAL, numbers[column], 0, 1), _fail(errno.EPERM)]
    code += [_op(_EQUAL, _CLONE3[column], 0, 1), _fail(errno.ENOSYS)]
    code += _when(
        _CLONE[column], _ARGUMENT_0, [_op(_ANY_BIT, _NEW_NAMESPACE, 0, 1), _fail(errno.EPERM)]
    )
    terminal = [
        part
        for request in (_TIOCSTI, _TIOCLINUX)
        for part in (_op(_EQUAL, request, 0, 1), _fail(errno.EPERM))
    ]
    code += _when(_IOCTL[column], _ARGUMENT_1, terminal)
    if families is not None:
        allowed = [
            part
            for family in sorted(set(families))
            for part in (_op(_EQUAL, family, 0, 1), _op(_RETURN, _ALLOW))
        ]
        code += _when(_SOCKET[column], _ARGUMENT_0, [*allowed, _fail(errno.EACCES)])
    return b"".join([*code, _op(_RETURN, _ALLOW)])


def _when(number: int, argument: int, body: list[bytes]) -> list[bytes]:
    """Instructions for one system call by its argument; what the body lets through is allowed."""
    inner = [_op(_LOAD, argument), *body, _op(_RETURN, _ALLOW)]
    return [_op(_EQUAL, number, 0, len(inner)), *inner]


def _op(code: int, operand: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, jump_true, jump_false, operand)


def _fail(number: int) -> bytes:
    return _op(_RETURN, _ERRNO | number)


def _check(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")
