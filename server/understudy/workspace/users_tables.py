"""Tables that users add to: a TOML file beside their own settings, over a table that we bring."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from platformdirs import user_config_path

from understudy.values.errors import BadInput
from understudy.values.toml import TOMLDecodeError, loads

Rows = Mapping[str, Mapping[str, Any]]


def users_table(name: str) -> Path:
    """Where the user's file of that name is. No folder's file can stand for it."""
    return user_config_path("understudy", appauthor=False) / name


def users_rows(path: Path) -> Rows:
    """What the file says, by the rows' names; nothing where there is none.

    Raises BadInput `bad-setting` for what is no TOML, or no table of tables.
    """
    try:
        found = loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, TOMLDecodeError) as error:
        raise BadInput("bad-setting", f"cannot be read: {error}", str(path)) from error
    for name, row in found.items():
        if not isinstance(row, Mapping):
            raise BadInput("bad-setting", "must be a table", f"{path}: {name}")
    return cast("Rows", found)
