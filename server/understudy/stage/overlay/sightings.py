"""Looking through the layers that take a stage's writes, while commands go on writing."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress

from understudy.stage.beneath import open_beneath
from understudy.stage.live import CapturedFile, SeenPath, Sightings
from understudy.stage.overlay.upper import OPAQUE, Layer, Touched, read_still
from understudy.values.errors import Refused

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_AT_EMPTY_PATH, _BIRTH = 0x1000, 0x800
_STATX = {"x86_64": 332, "aarch64": 291}
_BIRTH_AT = 80
"""Where struct statx has stx_btime: seconds (8 bytes), nanoseconds (4)."""


def look(
    layers: Sequence[Layer],
    enters: Callable[[str], bool],
    is_over: Callable[[], bool],
    only: str | None = None,
) -> Sightings:
    """Every path that has something in these layers; folders that `enters` refuses are left out.

    With `only` that path alone, in the layer that holds it, whatever lies in the others.
    """
    items: dict[str, SeenPath] = {}
    skipped: dict[str, str] = {}
    for layer in layers:

        def enter(path: str, prefix: str = layer.prefix) -> bool:
            return enters(prefix + path)

        if only is not None and layer is not layer_of(layers, only):
            continue
        of = None if only is None else only[len(layer.prefix) :]
        touched = Touched(layer.upper, layer.lower, layer.opaque, is_over, enter, of)
        touched.walk("", has_lower=True, opaque=False)
        for path, entry in touched.present.items():
            items[layer.prefix + path] = SeenPath(entry.type, entry.mark)
        for path in touched.hidden - touched.present.keys():
            items[layer.prefix + path] = SeenPath("gone")
        skipped |= {layer.prefix + path: why for path, why in touched.skipped.items()}
    return Sightings(items, skipped)


def layer_of(layers: Sequence[Layer], path: str) -> Layer:
    """The one that holds what is written at a path."""
    return max(
        (one for one in layers if path.startswith(one.prefix)), key=lambda one: len(one.prefix)
    )


def take(layers: Sequence[Layer], path: str) -> CapturedFile | None:
    """Read what a layer has of a file; raises as `LiveStage.taken` does."""
    layer = layer_of(layers, path)
    try:
        file = open_beneath(layer.upper, path[len(layer.prefix) :], _READ)
    except OSError:
        return None
    with os.fdopen(file, "rb") as stream:
        found = read_still(stream, path)
        if found is None:
            return None
        origin = layer.opaque.replace("opaque", "origin")
        return CapturedFile(*found, _source(file, origin), _born_ns(file))


def source_of(folder: int, path: str) -> bytes | None:
    """How a layer would name this file of the user's, had it been copied from it.

    None where the file system has no such names.
    """
    with suppress(OSError, Refused):
        file = open_beneath(folder, path, os.O_PATH)
        try:
            return _handle(file)
        finally:
            os.close(file)
    return None


def _source(file: int, attribute: str) -> bytes | None:
    """The handle that the kernel has noted: struct ovl_fb has 21 bytes before it."""
    assert attribute in {name.replace("opaque", "origin") for name in OPAQUE.values()}
    try:
        noted = os.getxattr(file, attribute)
    except OSError:
        return b""
    return noted[4:5] + noted[21:] if len(noted) > 21 else None


def _handle(file: int) -> bytes | None:
    libc = ctypes.CDLL(None, use_errno=True)
    room = 128
    buffer = ctypes.create_string_buffer(struct.pack("Ii", room, 0), 8 + room)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(file, b"", buffer, ctypes.byref(mount), _AT_EMPTY_PATH) < 0:
        return None
    size, kind = struct.unpack_from("Ii", buffer.raw)
    return bytes([kind & 0xFF]) + buffer.raw[8 : 8 + size]


def _born_ns(file: int) -> int:
    """When the inode was made, in ns since 1970; 0 where the file system does not say."""
    number = _STATX.get(os.uname().machine)
    if number is None:
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(256)
    if libc.syscall(number, file, b"", _AT_EMPTY_PATH, _BIRTH, buffer) < 0:
        return 0
    if not struct.unpack_from("I", buffer.raw)[0] & _BIRTH:
        return 0
    seconds, nanoseconds = struct.unpack_from("qI", buffer.raw, _BIRTH_AT)
    return seconds * 1_000_000_000 + nanoseconds
