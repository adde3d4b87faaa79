"""What to start: a profile with everything that this machine and workspace decide about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from understudy.langserver.json_values import Json
from understudy.langserver.profile import Profile
from understudy.values.paths import Root
from understudy.values.stamps import stamp_of

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class ServerSpec:
    """One process to be; equal specs share it.

    command: absolute program and arguments. env: put over our own environment; holds the PATH.
    settings, initialization_options: the profile's with the user's over them, complete.
    version: what is known of the server's version without running it; part of every stamp.
    staged: None if it runs in the user's folder, else it runs on a stage, and this names what the
        stage has to show from the process's start on (configuration).
    configured: names the state on disk of the files that its configuration extends or imports.
    trusted: whether the folder is trusted; a server that was started so answers nobody else.
    shipped: whether its profile comes with us, also where a user has changed what decides nothing.
    """

    profile: Profile
    command: tuple[str, ...]
    root: Root
    env: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    settings: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    initialization_options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    version: str = ""
    staged: str | None = None
    configured: str = ""
    trusted: bool = False
    shipped: bool = False

    def on_stage(self, fixed: str) -> ServerSpec:
        """The same server on a stage; equal `fixed` share a process."""
        return replace(self, staged=fixed)

    def configured_by(self, state: str) -> ServerSpec:
        """The same server where what its configuration takes is in this state."""
        return self if self.configured == state else _configured(self, state)

    @property
    def off_stage(self) -> ServerSpec:
        """The same server in the user's folder, whatever its configuration takes."""
        is_it = self.staged is None and not self.configured
        return self if is_it else replace(self, staged=None, configured="")

    @property
    def name(self) -> str:
        """The profile's name."""
        return self.profile.name

    @cached_property
    def key(self) -> str:
        """A hash of all of it: equal keys mean the same process."""
        plain = [dict(self.env), _plain(self.settings), _plain(self.initialization_options)]
        parts = [
            repr(self.profile),
            *self.command,
            str(self.root.path),
            self.version,
            self.staged,
            self.configured,
            str(self.trusted),
            str(self.shipped),
            json.dumps(plain, sort_keys=True, default=repr),
        ]
        return stamp_of(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerSpec) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=64)
def _configured(spec: ServerSpec, state: str) -> ServerSpec:
    return replace(spec, configured=state)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with others put over them, table by table; anything else is replaced whole."""
    result = {key: _plain(value) for key, value in below.items()}
    for key, value in above.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = merged(old, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            result[key] = _plain(value)
    return result


def with_carried(
    settings: Mapping[str, Any], told: Mapping[str, Any], names: Mapping[str, str]
) -> Mapping[str, Any]:
    """Settings; what is not set in them is as others have it: dotted name -> source in `told`.

    An editor tells what nobody has set, too: of that, what is empty says nothing.
    """
    for name, source in names.items():
        value = section_of(told, source)
        if value not in (None, "", [], {}) and section_of(settings, name) is None:
            table: Json = value
            for part in reversed(name.split(".")):
                table = {part: table}
            settings = merged(settings, table)
    return settings


def section_of(settings: Mapping[str, Any], section: str | None) -> Json:
    """A section of settings by its dotted name, None if there is none; all of it without a name."""
    if not section:
        return _plain(settings)
    if section in settings:
        return _plain(settings[section])
    value: Json = settings
    for part in section.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]  # pyright: ignore[reportUnknownVariableType]
    return _plain(value)


def _plain(value: Json) -> Json:
    """The same with dicts and lists, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
