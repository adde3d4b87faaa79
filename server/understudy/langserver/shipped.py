"""The profiles that we ship, as they are written, and the globs in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from understudy.values.toml import loads

_GLOBS = ("files", "config_files", "reads")
"""The keys of a profile that name files."""


@cache
def shipped_profiles() -> Mapping[str, Mapping[str, Any]]:
    """The records of all profiles by their names."""
    return loads(files("understudy.langserver").joinpath("catalogue.toml").read_text("utf-8"))


def shipped_globs() -> frozenset[str]:
    """The globs of all files that our profiles name, read without their schema."""
    records = shipped_profiles().values()
    return frozenset(glob for record in records for key in _GLOBS for glob in record.get(key, ()))
