"""A program for a stage: tries every system call that could lead out, prints those that worked."""

import ctypes
import json
import os
import signal
import socket
import sys
from pathlib import Path

targets = json.loads(sys.argv[1])
root = os.fsencode(targets["root"])
libc = ctypes.CDLL(None, use_errno=True)
worked = []
NUMBERS = {
    "x86_64": {"clone": 56, "keyctl": 250, "handle": 304, "ptrace": 101, "setns": 308, "bpf": 321},
    "aarch64": {
        "clone": 220,
        "keyctl": 219,
        "handle": 265,
        "ptrace": 117,
        "setns": 268,
        "bpf": 280,
    },
}[os.uname().machine]


def call(name, *arguments):
    function = getattr(libc, name)
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def number(name, *arguments):
    if libc.syscall(NUMBERS[name], *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def raw(code, *arguments):
    if libc.syscall(code, *arguments) < 0:
        raise OSError(ctypes.get_errno(), str(code))


def nested_clone():
    pid = libc.syscall(NUMBERS["clone"], 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")


def traced():
    pid = os.fork()
    if pid == 0:
        signal.pause()
    try:
        number("ptrace", 16, pid, 0, 0)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def devices():
    os.mknod("disk", 0o60600, os.makedev(254, 0))


def raw_disk():
    for name in os.listdir("/sys/class/block"):
        path = "/dev/" + name
        os.close(os.open(path, os.O_RDWR))


def system_files():
    for name in ("core_pattern", "hostname", "modprobe"):
        with open("/proc/sys/kernel/" + name, "w") as file:
            file.write("changed")


def raw_packets():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


def other_networks():
    for family in (40, 31, 38):  # virtual machines, Bluetooth, the kernel's ciphers
        socket.socket(family, socket.SOCK_SEQPACKET if family == 38 else socket.SOCK_STREAM).close()


MOUNTS = {
    "remount /": lambda: call("mount", None, b"/", None, 4096 | 32, None),
    "remount /usr": lambda: call("mount", None, b"/usr", None, 4096 | 32, None),
    "remount the folder": lambda: call("mount", None, root, None, 32, b""),
    "bind over": lambda: call("mount", b"/", b"/tmp", None, 4096 | 16384, None),
    "mount tmpfs": lambda: call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "mount proc": lambda: call("mount", b"proc", b"/tmp", b"proc", 0, None),
    "umount the folder": lambda: call("umount2", root, 2),
    "umount /tmp": lambda: call("umount2", b"/tmp", 2),
    "umount /proc": lambda: call("umount2", b"/proc", 2),
    "umount home": lambda: call("umount2", os.path.dirname(root), 2),
    "chroot": lambda: os.chroot("/tmp"),
    "pivot_root": lambda: raw(155 if os.uname().machine == "x86_64" else 41, b"/tmp", b"/tmp"),
    "open_tree": lambda: raw(428, -100, b"/", 1),
    "fsopen": lambda: raw(430, b"tmpfs", 0),
    "mount_setattr": lambda: raw(442, -100, b"/", 0x8000, b"\0" * 32, 32),
}
NAMESPACES = {
    f"unshare {name}": lambda flag=flag: call("unshare", flag)
    for name, flag in (
        ("user", 0x10000000),
        ("mounts", 0x20000),
        ("both", 0x10020000),
        ("net", 0x40000000),
        ("pid", 0x20000000),
        ("time", 0x80),
        ("cgroup", 0x2000000),
    )
}
OTHERS = {
    "clone into a user namespace": nested_clone,
    "join the first process's namespaces": lambda: number(
        "setns", os.open("/proc/1/ns/mnt", os.O_RDONLY), 0
    ),
    "ptrace a child": traced,
    "ptrace pid 1": lambda: number("ptrace", 16, 1, 0, 0),
    "read /proc/1/environ": lambda: Path("/proc/1/environ").read_bytes(),
    "read /proc/1/mem": lambda: os.close(os.open("/proc/1/mem", os.O_RDONLY)),
    "open /proc/1/fd": lambda: [os.readlink(f"/proc/1/fd/{n}") for n in os.listdir("/proc/1/fd")],
    "enter /proc/1/root": lambda: os.listdir("/proc/1/root"),
    "enter /proc/1/cwd": lambda: os.listdir("/proc/1/cwd"),
    "mknod": devices,
    "open a disk": raw_disk,
    "write /proc/sys": system_files,
    "write sysrq": lambda: Path("/proc/sysrq-trigger").write_text("h"),
    "raw packets": raw_packets,
    "sockets of other kinds": other_networks,
    "keys": lambda: number("keyctl", 0, -3, 0, 0, 0),
    "open by handle": lambda: number("handle", -100, b"\0" * 128, os.O_RDONLY),
    "bpf": lambda: number("bpf", 0, b"\0" * 128, 128),
    "io_uring": lambda: raw(425, 1, b"\0" * 256),
    "type into a terminal": lambda: Path("/dev/pts/0").write_text("x"),
}
for name, attack in {**MOUNTS, **NAMESPACES, **OTHERS}.items():
    try:
        attack()
        worked.append(name)
    except OSError:
        continue
for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if name in x)
    if int(line.split()[1], 16) & ~0x4FB:
        worked.append(line)
print(json.dumps({"worked": worked}))
