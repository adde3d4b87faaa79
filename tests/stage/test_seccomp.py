"""The system call filter: what it denies, in children too, and what it leaves alone."""

from __future__ import annotations

import errno
import platform
import struct

import pytest

from tests.stage.fenced import answers
from understudy.stage.copy import seccomp

WORKS = seccomp.unavailable() is None

PROGRAM = """
seccomp.install([socket.AF_INET] if "few" in sys.argv else None,
                also=["truncate"] if "few" in sys.argv else ())
found = {
    "unshare": may(lambda: call("unshare", 0x10000000)),
    "setns": may(lambda: call("setns", 0, 0)),
    "mount": may(lambda: call("mount", b"none", b"/proc", b"tmpfs", 0, None)),
    "umount": may(lambda: call("umount2", b"/proc", 2)),
    "ptrace": may(lambda: call("ptrace", 16, os.getppid(), 0, 0)),
    "keyctl": may(lambda: call("syscall", {"x86_64": 250}.get(os.uname().machine, 219), 0, 0)),
    "io_uring": may(lambda: call("syscall", 425, 1, 0)),
    "open_tree": may(lambda: call("syscall", 428, -100, b"/", 0)),
    "typing": may(lambda: __import__("fcntl").ioctl(0, 0x5412, b"x")),
    "pair": may(socket.socketpair),
    "inet": may(lambda: socket.socket(socket.AF_INET).close()),
    "unix": may(lambda: socket.socket(socket.AF_UNIX).close()),
    "truncate": may(lambda: os.truncate("/nowhere/at/all", 0)),
    "child": subprocess.run(["echo", "yes"], capture_output=True, text=True).stdout.strip(),
}
import threading
ran = []
thread = threading.Thread(target=lambda: ran.append("yes"))
thread.start(); thread.join()
found["thread"] = ran[0]
found["in child"] = subprocess.run([sys.executable, "-I", "-S", "-c",
    "import ctypes; print(ctypes.CDLL(None).unshare(0x10000000))"],
    capture_output=True, text=True).stdout.strip()
print(json.dumps(found))
"""
DENIED = ("unshare", "setns", "mount", "umount", "ptrace", "keyctl", "io_uring", "open_tree")


def test_it_works_on_the_machines_it_knows() -> None:
    known = platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64")
    assert not known or WORKS, seccomp.unavailable()


def test_what_is_denied_and_what_is_not() -> None:
    if not WORKS:
        with pytest.raises(OSError, match=r"seccomp|system call"):
            seccomp.program(platform.machine())
        return
    found = answers(PROGRAM)
    assert {name: found[name] for name in DENIED} == dict.fromkeys(DENIED, "EPERM")
    assert found["typing"] == "EPERM"
    assert found["in child"] == "-1"
    for name in ("pair", "inet", "unix", "child", "thread"):
        assert found[name] == "yes", name
    assert found["truncate"] == "ENOENT"


def test_only_some_families_of_sockets() -> None:
    if WORKS:
        found = answers(PROGRAM, "few")
        assert (found["inet"], found["unix"], found["pair"]) == ("yes", "EACCES", "yes")
        assert found["truncate"] == "EPERM"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_lands_inside_the_program(machine: str) -> None:
    code = seccomp.program(machine, [1, 2, 10], ["truncate"])
    instructions = list(struct.iter_unpack("HBBI", code))
    assert len(instructions) < 4096  # BPF_MAXINSNS
    for index, (kind, when_true, when_false, _) in enumerate(instructions):
        if kind in (0x15, 0x35, 0x45):
            assert index + 1 + max(when_true, when_false) < len(instructions)
    assert instructions[-1] == (0x06, 0, 0, 0x7FFF0000)


def _verdict(code: bytes, machine: str, number: int, *arguments: int) -> int:
    """What the filter returns: the kernel's own reading of these instructions, in short."""
    arch = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003}[machine]
    words = {0: number, 4: arch, 16: 0, 24: 0}
    words.update({16 + 8 * index: value for index, value in enumerate(arguments)})
    instructions = list(struct.iter_unpack("HBBI", code))
    at = accumulator = 0
    while True:
        kind, when_true, when_false, operand = instructions[at]
        at += 1
        if kind == 0x20:
            accumulator = words[operand]
        elif kind == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[kind]
            at += when_true if holds else when_false


ALLOW = 0x7FFF0000
CLONE_NEWUSER, CLONE_THREAD = 0x10000000, 0x00010000


@pytest.mark.parametrize(
    ("machine", "clone", "unshare", "read", "socket"),
    [("x86_64", 56, 272, 0, 41), ("aarch64", 220, 97, 63, 198)],
)
def test_the_numbers_of_each_machine(
    machine: str, clone: int, unshare: int, read: int, socket: int
) -> None:
    code = seccomp.program(machine, [2])
    assert _verdict(code, machine, read) == ALLOW
    assert _verdict(code, machine, unshare) == 0x50000 | errno.EPERM
    assert _verdict(code, machine, clone, CLONE_THREAD) == ALLOW
    assert _verdict(code, machine, clone, CLONE_NEWUSER | 17) == 0x50000 | errno.EPERM
    assert _verdict(code, machine, 435) == 0x50000 | errno.ENOSYS
    assert _verdict(code, machine, socket, 2) == ALLOW
    assert _verdict(code, machine, socket, 1) == 0x50000 | errno.EACCES
    assert _verdict(code, "i386", read) == 0x50000 | errno.ENOSYS


def test_the_other_numbers_of_x86() -> None:
    code = seccomp.program("x86_64")
    assert _verdict(code, "x86_64", 0x40000000 + 272) == 0x50000 | errno.ENOSYS


def test_an_unknown_machine() -> None:
    with pytest.raises(OSError, match="riscv64"):
        seccomp.program("riscv64")
