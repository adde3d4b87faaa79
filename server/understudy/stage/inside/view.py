"""What the processes of a stage see: the folder under an overlay, all else read-only or hidden.

Everything that is shown is opened (O_PATH) before anything is covered, and mounted from
/proc/self/fd, which also spares all quoting of paths in mount options.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from understudy.stage.inside import kernel
from understudy.stage.inside.packets import decode, encode
from understudy.stage.inside.steps import step

_DEVICES = (b"null", b"zero", b"full", b"random", b"urandom", b"tty")
_DEVICE_LINKS = {b"fd": b"/proc/self/fd", b"ptmx": b"pts/ptmx"}
_STREAM_LINKS = {b"stdin": b"0", b"stdout": b"1", b"stderr": b"2"}
_MOUNT = kernel.MS_NOSUID | kernel.MS_NODEV
_LOOK = os.O_PATH | os.O_CLOEXEC

_RESERVED_PIDS = 512
"""Numbers below 300 are given out once only; the rest is for what ends just now."""


@dataclass
class View:
    """A view under construction, then what its owner needs of it: open descriptors."""

    plan: dict[str, Any]
    privileged: bool
    trusted: bool
    root: int = -1
    scratch: int = -1
    listed: list[bytes] = field(default_factory=lambda: [])
    read_only: list[str] = field(default_factory=list[str])
    uppers: dict[bytes, int] = field(default_factory=lambda: {})
    _writable: list[bytes] = field(default_factory=lambda: [])
    _mounts: list[tuple[int, int, bytes, Callable[[bytes], None]]] = field(
        default_factory=lambda: []
    )

    def build(self, sockets: list[bytes]) -> None:
        """Mount it all; raises StepFailed."""
        with step("private mounts"):
            kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        with step("opening what is shown"):
            self._plan_layers()
            self._plan_visible()
            devices = [(name, os.open(b"/dev/" + name, _LOOK)) for name in _DEVICES]
        with step("tmpfs"):
            self._make_scratch()
        self._plan_hidden(sockets)
        with step("devices"):
            self._make_devices(devices)
        for _, _, target, action in sorted(self._mounts, key=lambda planned: planned[:3]):
            action(target)
        with step("proc"):
            flags = _MOUNT | kernel.MS_NOEXEC
            kernel.mount(b"proc", b"/proc", b"proc", flags)
        self._limit_processes()
        with step("read-only"):
            self._close_the_rest()
        with step("opening the view"):
            root = encode(self.plan["root"])
            self.root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.chdir(root)

    def _limit_processes(self) -> None:
        """Let the kernel hold root's processes and threads back, whom no resource limit counts.

        From Linux 6.14 on a process namespace has a highest number of its own; before, the same
        file would change the machine's, and counting what runs every moment has to do.
        """
        processes: int | None = self.plan["processes"]
        release = re.match(r"(\d+)\.(\d+)", os.uname().release)
        if not self.privileged or processes is None or release is None:
            return
        if (int(release[1]), int(release[2])) < (6, 14):
            return
        with step("process limit"), open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(str(processes + _RESERVED_PIDS))

    def _close_the_rest(self) -> None:
        """Read-only, but what is private; for root without /proc, whose files rule the machine.

        Root may open any device, so that none counts but ours.
        """
        flags = kernel.ATTR_RDONLY | (kernel.ATTR_NODEV if self.privileged else 0)
        kernel.set_attributes(b"/", add=flags, recursive=True)
        for path in self._writable if self.privileged else self.writable:
            kernel.set_attributes(path, clear=kernel.ATTR_RDONLY)
        if self.privileged:
            for name in (*_DEVICES, b"pts"):
                kernel.set_attributes(b"/dev/" + name, clear=kernel.ATTR_NODEV)

    def _plan_layers(self) -> None:
        """The overlays: the folder itself, what is mounted below it, and the homes."""
        keep = self.plan["keep"]
        self.listed = [encode(path) for path in (self.plan["root"], *self.plan["below"])]
        for path in (*self.listed, *map(encode, self.plan["homes"])):
            disk = encode(keep) if keep is not None and path == self.listed[0] else None
            lower = os.open(path, _LOOK | os.O_DIRECTORY)
            self._later(3, path, self._overlay(lower, disk))

    @property
    def writable(self) -> list[bytes]:
        """Where commands may write: these mounts, and their own files in /proc."""
        return [*self._writable, b"/proc"]

    @property
    def layers(self) -> list[int]:
        """Uppers of the folder and of what is mounted below it, in the plan's order."""
        return [self.uppers[path] for path in self.listed]

    def _overlay(self, lower: int, disk: bytes | None) -> Callable[[bytes], None]:
        holder = -1 if disk is None else os.open(disk, _LOOK | os.O_DIRECTORY)

        def mount(target: bytes) -> None:
            with step("overlay"):
                _make_folder(target)
                folder = holder if disk is not None else self._scratch_folder(b"layer", 0o700)
                upper, work = (_folder_in(folder, name, 0o700) for name in (b"upper", b"work"))
                _copy_attributes(lower, upper)
                layers = (b"lowerdir", lower), (b"upperdir", upper), (b"workdir", work)
                options = b",".join(b"%s=/proc/self/fd/%d" % layer for layer in layers)
                options += b",index=off,xino=off"
                options += b",redirect_dir=nofollow,metacopy=off" if self.trusted else b",userxattr"
                try:
                    kernel.mount(b"overlay", target, b"overlay", _MOUNT, options)
                except OSError:
                    if target == self.listed[0]:
                        raise
                    kernel.bind(lower, target)  # a file system without overlays: read-only then
                    self.read_only.append(decode(target))
                else:
                    self._writable.append(target)
                # Only an upper that is readable can be listed; O_PATH would not do.
                self.uppers[target] = os.open(
                    b"/proc/self/fd/%d" % upper, os.O_RDONLY | os.O_CLOEXEC
                )

        return mount

    def _plan_visible(self) -> None:
        for path in map(encode, self.plan["visible"]):
            shown = os.open(path, _LOOK)
            self._later(4, path, lambda target, shown=shown: _show(shown, target))
        for path in map(encode, self.plan["mounts"]):
            with suppress(OSError):  # some network file systems are for one namespace only
                shown = os.open(path, _LOOK)
                self._later(4, path, lambda target, shown=shown: _show(shown, target))

    def _make_scratch(self) -> None:
        """One tmpfs for all that is written, so that one size limits it.

        It is mounted where the folder is: the overlay (or the new /tmp) covers it.
        """
        root = encode(self.plan["root"])
        size = self.plan["size"]
        options = b"mode=0755" + (b"" if size is None else b",size=%d" % size)
        try:
            # Build tools rewrite files of many MB; page by page, that is 5 % of their time.
            huge = options + b",huge=within_size"
            kernel.mount(b"tmpfs", root, b"tmpfs", _MOUNT, huge)
        except OSError:  # a kernel without huge pages
            kernel.mount(b"tmpfs", root, b"tmpfs", _MOUNT, options)
        self.scratch = os.open(root, _LOOK | os.O_DIRECTORY)

    def _plan_hidden(self, sockets: list[bytes]) -> None:
        empty = self._scratch_folder(b"empty", 0o555)
        nothing = self._scratch_file(b"nothing")
        for path, mode, with_links in self.plan["private"]:
            self._later(1, encode(path), self._private(mode, with_links=with_links))
        for path in map(encode, self.plan["masks"]):
            self._later(2, path, lambda target: _mask(target, empty, nothing))
        covered = [target for _, order, target, _ in self._mounts if order in (1, 3)]
        for path in sockets:
            if not any(path.startswith(folder + b"/") for folder in covered) and _is_socket(path):
                self._later(2, path, lambda target: _mask(target, empty, nothing))

    def _private(self, mode: int, *, with_links: bool) -> Callable[[bytes], None]:
        def mount(target: bytes) -> None:
            with step("private folders"):
                links = _links_in(target) if with_links else []
                folder = self._scratch_folder(b"private", mode)
                kernel.bind(folder, target)
                self._writable.append(target)
                for name, destination in links:
                    os.symlink(destination, target + b"/" + name)

        return mount

    def _make_devices(self, devices: list[tuple[bytes, int]]) -> None:
        """A small /dev of our own: root could write to the disks in the real one."""
        folder = self._scratch_folder(b"dev", 0o755)
        for name, device in devices:
            os.close(os.open(name, os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=folder))
            kernel.bind(device, b"/proc/self/fd/%d/%s" % (folder, name))
        for name, destination in _DEVICE_LINKS.items():
            os.symlink(destination, name, dir_fd=folder)
        for name, number in _STREAM_LINKS.items():
            os.symlink(b"/proc/self/fd/" + number, name, dir_fd=folder)
        for name in (b"pts", b"shm"):
            _folder_in(folder, name, 0o755)

        def mount(target: bytes) -> None:
            with step("devices"):
                here = b"/proc/self/fd/%d" % folder
                kernel.mount(here, target, None, kernel.MS_BIND | kernel.MS_REC)
                kernel.bind(self._scratch_folder(b"shm", 0o1777), target + b"/shm")
                options = b"newinstance,ptmxmode=0666,mode=0620"
                kernel.mount(b"devpts", target + b"/pts", b"devpts", _NO_PROGRAMS, options)
                self._writable += [target + b"/shm", target + b"/pts"]

        self._later(1, b"/dev", mount)

    def _later(self, order: int, target: bytes, action: Callable[[bytes], None]) -> None:
        """Plan a mount: folders above first, at one place by `order`."""
        depth = target.rstrip(b"/").count(b"/")
        self._mounts.append((depth, order, target, action))

    def _scratch_folder(self, name: bytes, mode: int) -> int:
        number = len(os.listdir(b"/proc/self/fd/%d" % self.scratch))
        return _folder_in(self.scratch, b"%s-%d" % (name, number), mode)

    def _scratch_file(self, name: bytes) -> int:
        os.close(os.open(name, os.O_CREAT | os.O_CLOEXEC, 0o444, dir_fd=self.scratch))
        return os.open(name, _LOOK, dir_fd=self.scratch)


_NO_PROGRAMS = kernel.MS_NOSUID | kernel.MS_NOEXEC


def _folder_in(parent: int, name: bytes, mode: int) -> int:
    """An open folder of this name, made if it is not there, with exactly this mode."""
    with suppress(FileExistsError):
        os.mkdir(name, mode, dir_fd=parent)
        os.chmod(name, mode, dir_fd=parent)
    return os.open(name, _LOOK | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _make_folder(target: bytes) -> None:
    """The place for a mount; it is missing only where a folder above it is a new, empty one."""
    os.makedirs(target, 0o755, exist_ok=True)


def _show(shown: int, target: bytes) -> None:
    with step("visible paths"):
        if stat.S_ISDIR(os.fstat(shown).st_mode):
            _make_folder(target)
        else:
            _make_folder(os.path.dirname(target))
            with suppress(FileExistsError):
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444))
        kernel.bind(shown, target)


def _mask(target: bytes, empty: int, nothing: int) -> None:
    with step("masks"):
        try:
            is_folder = stat.S_ISDIR(os.stat(target).st_mode)
        except OSError:
            return  # hidden already, with a folder above it
        kernel.bind(empty if is_folder else nothing, target)


def _links_in(folder: bytes) -> list[tuple[bytes, bytes]]:
    """Symbolic links right in a folder that is about to be hidden: some systems live by them."""
    try:
        with os.scandir(folder) as entries:
            return [(e.name, os.readlink(e.path)) for e in entries if e.is_symlink()]
    except OSError:
        return []


def _is_socket(path: bytes) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _copy_attributes(lower: int, upper: int) -> None:
    """An overlay shows its upper's root: give it the folder's own mode, owner and times."""
    status = os.stat(b"/proc/self/fd/%d" % lower)
    here = b"/proc/self/fd/%d" % upper
    with suppress(OSError):  # an owner that has no number in our user namespace
        os.chown(here, status.st_uid, status.st_gid)
    os.chmod(here, stat.S_IMODE(status.st_mode))
    os.utime(here, ns=(status.st_atime_ns, status.st_mtime_ns))
