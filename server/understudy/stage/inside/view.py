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

from understudy.stage.inside import borrowed, kernel, places, veils
from understudy.stage.inside.ahead import links_in
from understudy.stage.inside.disk_use import BYTES_A_FILE
from understudy.stage.inside.packets import decode, encode
from understudy.stage.inside.steps import step

_DEVICES = (b"null", b"zero", b"full", b"random", b"urandom", b"tty")
_DEVICE_LINKS = {b"fd": b"/proc/self/fd", b"ptmx": b"pts/ptmx"}
_STREAM_LINKS = {b"stdin": b"0", b"stdout": b"1", b"stderr": b"2"}
_MOUNT = kernel.MS_NOSUID | kernel.MS_NODEV
_NO_PROGRAMS = kernel.MS_NOSUID | kernel.MS_NOEXEC
_LOOK = os.O_PATH | os.O_CLOEXEC

_FEW_FILES = 1024
"""Files that even the smallest disk limit leaves room for: a stage needs some itself."""

_RESERVED_PIDS = 512
"""Numbers below 300 are given out once only; the rest is for what ends just now."""


@dataclass
class View:
    """A view under construction, then what its owner needs of it: open descriptors."""

    privileged: bool
    trusted: bool
    root: int = -1
    scratch: int = -1
    listed: list[bytes] = field(default_factory=lambda: [])
    read_only: list[str] = field(default_factory=list[str])
    unveiled: list[bytes] = field(default_factory=list[bytes])
    uppers: dict[bytes, int] = field(default_factory=lambda: {})
    _writable: list[bytes] = field(default_factory=lambda: [])
    _writable_covers: list[bytes] = field(default_factory=lambda: [])
    _beneath: dict[bytes, int] = field(default_factory=lambda: {})
    _homes: list[bytes] = field(default_factory=lambda: [])
    _hidden: list[bytes] = field(default_factory=lambda: [])
    _shown: list[bytes] = field(default_factory=lambda: [])
    _empty: int = -1
    _nothing: int = -1
    _n_folders: int = 0
    _veils: veils.Veils | None = None
    _mounts: list[tuple[int, int, bytes, Callable[[bytes], None]]] = field(
        default_factory=lambda: []
    )

    def prepare(self, ahead: dict[str, Any]) -> None:
        """Mount what has nothing to do with the folder; raises StepFailed."""
        with step("private mounts"):
            kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        with step("opening what is shown"):
            devices = [(name, os.open(b"/dev/" + name, _LOOK)) for name in _DEVICES]
            self._plan_places(ahead)
        with step("tmpfs"):
            self._make_scratch()
        with step("devices"):
            self._make_devices(devices)
        self._mount_planned()
        with step("proc"):
            flags = _MOUNT | kernel.MS_NOEXEC
            kernel.mount(b"proc", b"/proc", b"proc", flags)
        self._limit_processes(ahead["processes"])

    def finish(self, rest: dict[str, Any], sockets: list[bytes]) -> None:
        """Mount the folder and what is in it, and close the rest; raises StepFailed."""
        with step("tmpfs"):
            self._limit_scratch(rest["size"])
        with step("opening what is shown"):
            self._plan_layers(rest)
            self._plan_places(rest)
            self._plan_sockets(sockets)
            self._plan_git(rest["git"], rest["borrowed"], rest["loose"])
        for path, text in rest["over"]:
            self._plan_text(encode(path), text.encode())
        self._mount_planned()
        self._renew_times()
        with step("read-only"):
            self._close_the_rest()
        with step("opening the view"):
            root = encode(rest["root"])
            self.root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.chdir(root)
        while self._beneath:
            os.close(self._beneath.popitem()[1])

    def _mount_planned(self) -> None:
        """A folder before those in it."""
        for _, _, target, action in sorted(self._mounts, key=lambda planned: planned[:3]):
            action(target)
        self._mounts.clear()

    def _outside(self, path: bytes, flags: int = 0) -> int:
        """Open (O_PATH) what is at a path of the machine, whatever covers it here by now."""
        above = path
        while len(above) > 1:
            if above in self._beneath:
                rest = path[len(above) + 1 :] or b"."
                return os.open(rest, _LOOK | flags, dir_fd=self._beneath[above])
            above = os.path.dirname(above)
        return os.open(path, _LOOK | flags)

    def _limit_processes(self, processes: int | None) -> None:
        """Let the kernel hold root's processes and threads back, whom no resource limit counts.

        From Linux 6.14 on a process namespace has a highest number of its own; before, the same
        file would change the machine's, and counting what runs every moment has to do.
        """
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

    def _plan_layers(self, rest: dict[str, Any]) -> None:
        """The overlays of the folder itself and of what is mounted below it."""
        self.listed = [encode(path) for path in (rest["root"], *rest["below"])]
        keep = None if rest["keep"] is None else encode(rest["keep"])
        for path in self.listed:
            holder, lower = -1, path
            if path == self.listed[0]:
                lower = encode(rest["lower"])
                if keep is not None:
                    holder = self._outside(keep, os.O_DIRECTORY)
            self._later(3, path, self._overlay(self._outside(lower, os.O_DIRECTORY), holder))

    def _plan_places(self, part: dict[str, Any]) -> None:
        """All that is hidden, shown or put elsewhere, in a part of a plan."""
        for path in map(encode, part["homes"]):
            with suppress(OSError):  # a part of the home that is gone by now
                lower = self._beneath[path] = self._outside(path, os.O_DIRECTORY)
                self._later(3, path, self._overlay(lower, -1))
                self._homes.append(path)
        for path, mode, writable, with_links in part["covers"]:
            target = encode(path)
            with suppress(OSError):  # it may have to be made
                self._beneath[target] = self._outside(target, os.O_DIRECTORY)
            self._later(1, target, self._cover(mode, writable, with_links))
            if writable:
                self._writable_covers.append(target + b"/")
        self._plan_visible(part)
        for path in map(encode, part["veiled"]):
            with suppress(OSError):  # gone by now, or not for us: then it is for nobody here
                shown = self._beneath[path] = self._outside(path, os.O_DIRECTORY)
                self._later(0, path, self._veil(shown))
        for path in map(encode, part["masks"]):
            with suppress(OSError):  # a file
                self._beneath[path] = self._outside(path, os.O_DIRECTORY)
            self._later(2, path, self._mask)
        for path, destination in part["links"]:
            self._later(4, encode(path), lambda target, to=destination: places.link(to, target))
        for path, text in part["files"]:
            self._later(
                4, encode(path), lambda target, text=text: places.put(text.encode(), target)
            )

    @property
    def writable(self) -> list[bytes]:
        """Where commands may write: these mounts, and their own files in /proc."""
        return [*self._writable, b"/proc"]

    @property
    def layers(self) -> list[int]:
        """Uppers of the folder and of what is mounted below it, in the plan's order."""
        return [self.uppers[path] for path in self.listed]

    def _overlay(
        self, lower: int, holder: int, *, read_only: bool = False
    ) -> Callable[[bytes], None]:
        """An overlay over an open folder, its upper in another one, or (-1) in memory."""

        def mount(target: bytes) -> None:
            with step("overlay"):
                places.make_folder(target)
                folder = holder if holder >= 0 else self._scratch_folder(b"layer", 0o700)
                upper, work = (
                    places.folder_in(folder, name, 0o700) for name in (b"upper", b"work")
                )
                places.copy_attributes(lower, upper)
                layers = (b"lowerdir", lower), (b"upperdir", upper), (b"workdir", work)
                options = b",".join(b"%s=/proc/self/fd/%d" % layer for layer in layers)
                options += b",index=off,xino=off"
                options += b",redirect_dir=nofollow,metacopy=off" if self.trusted else b",userxattr"
                try:
                    kernel.mount(b"overlay", target, b"overlay", _MOUNT, options)
                except OSError:
                    if target in self.listed[:1]:
                        raise
                    kernel.bind(lower, target)  # a file system without overlays: read-only then
                    if not read_only:
                        self.read_only.append(decode(target))
                else:
                    if not read_only:
                        self._writable.append(target)
                # Only an upper that is readable can be listed; O_PATH would not do.
                self.uppers[target] = os.open(
                    b"/proc/self/fd/%d" % upper, os.O_RDONLY | os.O_CLOEXEC
                )

        return mount

    def _plan_visible(self, part: dict[str, Any]) -> None:
        writable = tuple(self._writable_covers)
        for path in map(encode, (*part["visible"], *part["mounts"])):
            # It may be gone by now; and some network file systems are for one namespace only.
            with suppress(OSError):
                shown = self._outside(path)
                if not stat.S_ISDIR(os.fstat(shown).st_mode):
                    self._later(4, path, lambda target, shown=shown: places.show(shown, target))
                    continue
                self._beneath[path] = shown
                if path.startswith(writable):
                    # Landlock would take it for writable, too, and so a pipe in it: an overlay's
                    # pipes and sockets are not the ones outside.
                    self._later(3, path, self._overlay(shown, -1, read_only=True))
                else:
                    self._later(4, path, self._veil(shown))

    def _plan_git(
        self, copies: list[Any], stores: list[tuple[str, str]], loose: list[tuple[str, str]]
    ) -> None:
        """Git folders of the stage's own over those of the user's, and what they borrow."""
        for path, place in (*loose, *((store, f"{place}.live") for store, place in stores)):
            shown = self._outside(encode(path), os.O_DIRECTORY)
            self._later(6, encode(place), lambda to, shown=shown: places.show(shown, to))
        for path, copy, shared in copies:
            held = self._outside(encode(copy), os.O_DIRECTORY)
            self._later(6, encode(path), lambda target, held=held: self._own(held, target))
            for inner in map(encode, shared):
                self._later(3, inner, self._overlay(self._outside(inner, os.O_DIRECTORY), -1))
        for store, place in stores:
            held = borrowed.held(self._outside, encode(store)), self._scratch_folder(b"git", 0o755)
            self._later(6, encode(place), lambda target, held=held: borrowed.show(*held, target))

    def _own(self, held: int, target: bytes) -> None:
        with step("git folder"):
            places.make_folder(target)
            kernel.bind(held, target)
            self._writable.append(target)

    def _plan_text(self, path: bytes, text: bytes) -> None:
        """A text of ours over whatever is shown there."""
        self._n_folders += 1
        name = b"text-%d" % self._n_folders
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o644, dir_fd=self.scratch), "wb") as file:
            file.write(text)
        shown = os.open(name, _LOOK, dir_fd=self.scratch)
        self._later(5, path, lambda target: places.show(shown, target))

    def _make_scratch(self) -> None:
        """One tmpfs for all that is written, so that one size limits it.

        It is mounted where the new /dev covers it.
        """
        try:
            # Build tools rewrite files of many MB; page by page, that is 5 % of their time.
            kernel.mount(b"tmpfs", b"/dev", b"tmpfs", _MOUNT, b"mode=0755,huge=within_size")
        except OSError:  # a kernel without huge pages
            kernel.mount(b"tmpfs", b"/dev", b"tmpfs", _MOUNT, b"mode=0755")
        self.scratch = os.open(b"/dev", _LOOK | os.O_DIRECTORY)
        self._empty = self._scratch_folder(b"empty", 0o555)
        self._nothing = self._scratch_file(b"nothing")
        options = b",xino=off" + (b"" if self.trusted else b",userxattr")
        self._veils = veils.Veils(self._empty, _MOUNT, options, self.unveiled)

    def _limit_scratch(self, size: int | None) -> None:
        if size is not None:
            options = b"size=%d,nr_inodes=%d" % (size, max(size // BYTES_A_FILE, _FEW_FILES))
            here = b"/proc/self/fd/%d" % self.scratch
            kernel.mount(None, here, None, _MOUNT | kernel.MS_REMOUNT, options)

    def _plan_sockets(self, sockets: list[bytes]) -> None:
        """Hide those that programs outside listen on, where nothing else does."""
        hidden, shown = tuple(self._hidden), tuple(self._shown)
        for path in sockets:
            is_reached = not path.startswith(hidden) or path.startswith(shown)
            if is_reached and self._is_socket(path):
                self._later(2, path, self._mask)

    def _is_socket(self, path: bytes) -> bool:
        try:
            opened = self._outside(path)
        except OSError:
            return False
        try:
            return stat.S_ISSOCK(os.fstat(opened).st_mode)
        finally:
            os.close(opened)

    def _renew_times(self) -> None:
        """Parts of the home have the times of now, not of when they were mounted."""
        for path in self._homes:
            if path in self.uppers:
                places.copy_times(self._beneath[path], self.uppers[path])

    def _mask(self, target: bytes) -> None:
        with step("masks"):
            try:
                is_folder = stat.S_ISDIR(os.stat(target).st_mode)
            except OSError:
                return  # hidden already, with a folder above it
            kernel.bind(self._empty if is_folder else self._nothing, target)

    def _veil(self, shown: int) -> Callable[[bytes], None]:
        def mount(target: bytes) -> None:
            with step("veils"):
                assert self._veils is not None
                places.make_folder(target)
                self._veils.cover(shown, target)

        return mount

    def _cover(self, mode: int, writable: bool, with_links: bool) -> Callable[[bytes], None]:
        def mount(target: bytes) -> None:
            with step("covers"):
                links = links_in(target) if with_links else []
                places.make_folder(target)
                kernel.bind(self._scratch_folder(b"cover", mode), target)
                if writable:
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
            places.folder_in(folder, name, 0o755)

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
        if order in (1, 3):
            self._hidden.append(target + b"/")
        elif order == 4:
            self._shown.append(target + b"/")

    def _scratch_folder(self, name: bytes, mode: int) -> int:
        self._n_folders += 1
        return places.folder_in(self.scratch, b"%s-%d" % (name, self._n_folders), mode)

    def _scratch_file(self, name: bytes) -> int:
        os.close(os.open(name, os.O_CREAT | os.O_CLOEXEC, 0o444, dir_fd=self.scratch))
        return os.open(name, _LOOK, dir_fd=self.scratch)
