"""Where Understudy keeps what is its own: no face serves it as a file, and no root lies in it."""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path

STATE_VARIABLE = "UNDERSTUDY_STATE_DIR"
"""Environment variable that names the state folder instead of the platform's own."""

_DECIDING = (
    *(STATE_VARIABLE, "XDG_STATE_HOME", "XDG_CONFIG_HOME"),
    *("HOME", "USERPROFILE", "LOCALAPPDATA"),
)
_KEPT = (
    *("workspaces", "user", "trust.json", "agreed.json", "proofs.json", "recording-consent"),
    *("servers", "servers.lock", "proofs.lock", "setup", "turns", "stopped-terminals"),
)
"""What is ours in the state folder, which the user may have chosen to be one with other things."""


def state_home() -> Path:
    """The folder above all workspaces' state; `trust.json` lies here."""
    return _state_home(tuple(os.environ.get(name) for name in _DECIDING))


def is_own(path: str | os.PathLike[str]) -> bool:
    """Whether a real, absolute path is one of our folders, or lies in one."""
    text = os.fspath(path)
    return any(text == folder or text.startswith(folder + os.sep) for folder in own_folders())


def own_folders() -> tuple[str, ...]:
    """Our folders by their real paths."""
    return _folders(tuple(os.environ.get(name) for name in _DECIDING))


def leads_to_own(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a symbolic link that leads there; False for all that is no link."""
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode) and is_own(os.path.realpath(path))
    except (OSError, ValueError):
        return False


def _platform_home() -> Path:
    import platformdirs  # noqa: PLC0415 - not needed where the variable is set

    return Path(platformdirs.user_state_dir("understudy", appauthor=False)).resolve()


@cache
def _state_home(deciding: tuple[str | None, ...]) -> Path:
    """It is asked for with every question; found once for each state of the variables."""
    chosen = deciding[0]
    return Path(chosen).expanduser().resolve() if chosen else _platform_home()


@cache
def _folders(_: tuple[str | None, ...]) -> tuple[str, ...]:
    """The folders by their real paths; found once for each state of the variables that decide."""
    import platformdirs  # noqa: PLC0415 - as above

    homes = {state_home(), _platform_home()}
    config = platformdirs.user_config_path("understudy", appauthor=False)
    found = [config, *(home / name for home in homes for name in _KEPT)]
    return tuple(sorted({os.path.realpath(folder) for folder in found}))
