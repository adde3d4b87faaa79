"""A program for a stage: takes memory in one of the ways there are, and holds it until ended.

    hog.py WAY MIB

It ends by itself, with `held back`, only where it does not get as much.
"""

import ctypes
import mmap
import os
import resource
import signal
import socket
import sys

MIB = 1 << 20
SO_MEMINFO = 55
way, wanted = sys.argv[1], int(sys.argv[2]) * MIB
kept = []
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def touch(memory):
    for place in range(0, len(memory), 4096):
        memory[place] = 1


def fill(size, write):
    for _ in range(size // MIB):
        write(b"x" * MIB)


def shared():
    kept.append(mmap.mmap(-1, wanted))
    touch(kept[0])


def shared_by_many():
    """Each child has a part, and maps it away from the others'."""
    for _ in range(8):
        if os.fork() == 0:
            part = mmap.mmap(-1, wanted // 8)
            touch(part)
            signal.pause()


def memory_file():
    descriptor = os.memfd_create("hog")
    fill(wanted, lambda data: os.write(descriptor, data))


def memory_files():
    for _ in range(wanted // (4 * MIB)):
        descriptor = os.memfd_create("hog")
        fill(4 * MIB, lambda data, descriptor=descriptor: os.write(descriptor, data))


def mapped_memory_file():
    """No descriptor leads to it any more."""
    descriptor = os.memfd_create("hog")
    os.ftruncate(descriptor, wanted)
    kept.append(mmap.mmap(descriptor, wanted))
    os.close(descriptor)
    touch(kept[0])


def system_v():
    """Nobody has it attached any more."""
    for _ in range(wanted // (16 * MIB)):
        segment = libc.shmget(0, 16 * MIB, 0o1600)
        assert segment >= 0, os.strerror(ctypes.get_errno())
        place = libc.shmat(segment, None, 0)
        ctypes.memset(place, 1, 16 * MIB)
        libc.shmdt(ctypes.c_void_p(place))


def deleted_file():
    file = open("/tmp/hog", "wb")  # noqa: SIM115 - held
    os.unlink("/tmp/hog")
    kept.append(file)
    fill(wanted, file.write)
    file.flush()


def file_in_shm():
    with open("/dev/shm/hog", "wb") as file:
        fill(wanted, file.write)


def fill_sockets(pairs):
    sent = 0
    while sent < wanted:
        for one in next(pairs):
            kept.append(one)
            one.setblocking(False)
            try:
                while True:
                    sent += one.send(b"x" * 65536)
            except BlockingIOError:
                pass


def unix_sockets():
    fill_sockets(iter(socket.socketpair, None))


def tcp_sockets():
    listener = socket.create_server(("127.0.0.1", 0))

    def pairs():
        while True:
            yield socket.create_connection(listener.getsockname()), listener.accept()[0]

    fill_sockets(pairs())


def udp_sockets():
    """Where the kernel holds it, it drops what is too much."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(wanted // (128 * 1024)):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("127.0.0.1", 0))
        kept.append(one)
        for _ in range(4):
            sender.sendto(b"x" * 32768, one.getsockname())
    got = sum(
        int.from_bytes(one.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36)[:4], sys.byteorder)
        for one in kept
    )
    if got < wanted / 2:
        print("held back")
        sys.exit()


def pipes():
    while True:
        try:
            _, writer = os.pipe()
        except OSError:
            break
        os.set_blocking(writer, False)
        try:
            while True:
                kept.append(os.write(writer, b"x" * 65536))
        except BlockingIOError:
            pass
        if sum(kept) >= wanted:
            return
    print("held back")
    sys.exit()


{
    "shared": shared,
    "shared by many": shared_by_many,
    "memory file": memory_file,
    "memory files": memory_files,
    "mapped memory file": mapped_memory_file,
    "system v": system_v,
    "deleted file": deleted_file,
    "file in shm": file_in_shm,
    "unix sockets": unix_sockets,
    "tcp sockets": tcp_sockets,
    "udp sockets": udp_sockets,
    "pipes": pipes,
}[way]()
signal.pause()
