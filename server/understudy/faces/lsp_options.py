"""What an editor says at `initialize` and over `workspace/configuration`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.app.host import HostOptions
from understudy.values.structure import structure


@dataclass(frozen=True)
class InitializationOptions:
    """The `initializationOptions` of `initialize`."""

    trusted: bool | None = field(
        default=None, metadata={"doc": "the editor's word on trust; null: `understudy trust`'s"}
    )
    python: str | None = field(
        default=None, metadata={"doc": "the selected Python interpreter, by its path"}
    )
    settings: dict[str, Any] = field(
        default_factory=dict[str, Any],
        metadata={"doc": "our settings (see Settings), in camelCase or snake_case"},
    )
    servers: dict[str, Any] = field(
        default_factory=dict[str, Any],
        metadata={"doc": "the editor's own settings for language servers, by section"},
    )


def host_options(raw: object) -> HostOptions:
    """The options of a host; raises BadInput `bad-setting`."""
    given: Mapping[str, Any] = {} if raw is None else raw  # pyright: ignore[reportAssignmentType] - structure() refuses what is no table
    options = structure(given, InitializationOptions, "bad-setting", "initializationOptions")
    return HostOptions(options.trusted, options.settings, options.python, options.servers)
