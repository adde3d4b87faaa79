"""A reader of ours that is given bytes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class FuzzTarget:
    """`run` takes any bytes, and raises only what is a defect: named errors are answers.

    `seeds` are inputs that mean something, to begin with.
    """

    name: str
    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def text_of(data: bytes) -> str:
    """Text as it comes from outside: bytes that are none stand in it as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def chosen(data: bytes, choices: int) -> tuple[int, bytes]:
    """A choice by the first byte, and the rest."""
    return (data[0] % choices if data else 0), data[1:]


@cache
def scratch() -> Path:
    """A folder for what a reader wants as a file; gone with this process."""
    folder = Path(tempfile.mkdtemp(prefix="understudy-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
