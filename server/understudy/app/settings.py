"""Settings: one schema for `[tool.understudy]`, `understudy.toml`, the user's file and the editor.

Later layers win: defaults, the user's own file, the workspace's files, the editor. What would
decide which program runs (`GUARDED`) is taken from a workspace's files only when the workspace is
trusted (law 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, cast

from platformdirs import user_config_path

from understudy.values import toml
from understudy.values.errors import BadInput, Refused
from understudy.values.findings import Severity
from understudy.values.paths import Root
from understudy.values.trust import HOW_TO_TRUST

Scope = Literal["edited", "affected", "workspace"]
GUARDED = frozenset({"servers", "server_path", "python"})
"""Settings that name programs: refused from the files of an untrusted workspace."""
PERSONAL = frozenset({"context_user_days", "context_user_mb"})
"""Settings of what all workspaces share: refused from the files of every one of them."""


@dataclass(frozen=True)
class Settings:
    """Every setting with its default; sizes in MB, times in the unit that the name says."""

    scope: Scope = field(default="affected", metadata={"doc": "which files a check judges"})
    severity: Severity = field(
        default="error", metadata={"doc": "the mildest finding that counts for the verdict"}
    )
    timeout_s: float = field(default=60.0, metadata={"doc": "a check's time limit"})
    max_files: int = field(
        default=200, metadata={"doc": "most files a server judges in a check; the rest is skipped"}
    )
    disabled_groups: tuple[str, ...] = field(
        default=(), metadata={"doc": "groups of servers that do not judge (types, lint, ...)"}
    )
    python: str | None = field(
        default=None, metadata={"doc": "the project's Python interpreter, by its path"}
    )
    server_path: tuple[str, ...] = field(
        default=(), metadata={"doc": "folders to look for language servers in, before PATH"}
    )
    servers: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict[str, Mapping[str, object]],
        metadata={"doc": "server profiles, added or overridden by name (see the catalogue)"},
    )
    idle_minutes: float = field(
        default=15.0, metadata={"doc": "a server that was not used for so long is shut down"}
    )
    memory_limit_mb: int = field(
        default=4096, metadata={"doc": "a server that grows past this is restarted"}
    )
    watch: bool = field(
        default=True,
        metadata={"doc": "say what edits introduce since an agent came, in the editor"},
    )
    branch_days: float = field(
        default=14.0, metadata={"doc": "an unused branch goes to the archive after so long"}
    )
    archive_days: float = field(
        default=90.0, metadata={"doc": "an archived branch is deleted after so long"}
    )
    context_days: float = field(
        default=14.0,
        metadata={"doc": "a kept output that no log refers to is removed so long after its use"},
    )
    context_log_days: float = field(
        default=30.0,
        metadata={"doc": "a session's history is removed so long after its last event"},
    )
    context_mb: int = field(
        default=2048,
        metadata={
            "doc": "all kept outputs together; the oldest make room, none that a log refers to"
        },
    )
    context_user_days: float = field(
        default=180.0,
        metadata={
            "doc": "an output kept for all workspaces is removed so long after its use, none that "
            "a log refers to"
        },
    )
    context_user_mb: int = field(
        default=512,
        metadata={
            "doc": "all outputs kept for all workspaces together; the oldest make room, none that "
            "a log refers to"
        },
    )
    terminal_recording: bool = field(
        default=True,
        metadata={"doc": "false, in any layer: nothing that a terminal shows is kept"},
    )
    terminal_days: float = field(
        default=7.0, metadata={"doc": "a terminal's log is removed after so long"}
    )
    terminal_mb: int = field(
        default=200, metadata={"doc": "all logs of terminals together; the oldest make room"}
    )
    terminal_logs: int = field(default=50, metadata={"doc": "most logs of terminals that are kept"})
    terminal_redact: tuple[str, ...] = field(
        default=(),
        metadata={
            "doc": "regular expressions of further secrets in terminals' logs; layers add up"
        },
    )


def load(root: Root, *, trusted: bool, editor: Mapping[str, object] | None = None) -> Settings:
    """Read all layers; raises BadInput `bad-settings` with file and key, Refused `untrusted`."""
    merged: dict[str, object] = {}
    for where, layer in _user_layer():
        _put_over(merged, _checked(layer, where))
    for where, layer in _workspace_layers(root):
        checked = _checked(layer, where)
        for key in sorted(PERSONAL & checked.keys()):
            text = "it is about all workspaces: set it in your own config.toml or in the editor"
            raise BadInput("bad-setting", text, f"{where}: {key}")
        named = GUARDED & checked.keys()
        if named and not trusted:
            raise Refused(
                "untrusted",
                f"{', '.join(sorted(named))} may start programs, and this folder is not trusted: "
                f"{HOW_TO_TRUST}, or pass --trust",
                where,
            )
        _put_over(merged, checked)
    if editor:
        given = {_snake(key): value for key, value in editor.items()}
        _put_over(merged, _checked(given, "editor"))
    return _structure(merged, "settings")


def _put_over(merged: dict[str, object], layer: dict[str, object]) -> None:
    """The later layer wins, but none takes back what another one keeps from being recorded."""
    kept = {
        "terminal_recording": merged.get("terminal_recording", True) is True
        and layer.get("terminal_recording", True) is True,
        "terminal_redact": [*_patterns(merged), *_patterns(layer)],
    }
    merged.update(layer)
    merged.update({key: value for key, value in kept.items() if key in merged})


def _patterns(layer: Mapping[str, object]) -> Iterable[object]:
    return cast("Iterable[object]", layer.get("terminal_redact", ()))


def _user_layer() -> Iterable[tuple[str, dict[str, object]]]:
    path = user_config_path("understudy", appauthor=False) / "config.toml"
    if path.is_file():
        yield str(path), _read_toml(path, str(path))


def _workspace_layers(root: Root) -> Iterable[tuple[str, dict[str, object]]]:
    own = root.path / "understudy.toml"
    project = root.path / "pyproject.toml"
    if project.is_file():
        tool = _read_toml(project, "pyproject.toml").get("tool")
        table = cast("dict[str, Any]", tool).get("understudy") if isinstance(tool, dict) else None
        if isinstance(table, dict):
            yield "pyproject.toml [tool.understudy]", cast("dict[str, object]", table)
        elif table is not None:
            raise BadInput("bad-setting", "tool.understudy must be a table", "pyproject.toml")
    if own.is_file():
        yield "understudy.toml", _read_toml(own, "understudy.toml")


def _read_toml(path: Path, where: str) -> dict[str, object]:
    try:
        return cast("dict[str, object]", toml.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise BadInput("bad-setting", f"cannot be read: {error}", where) from error


def _checked(layer: Mapping[str, object], where: str) -> dict[str, object]:
    """The layer itself, once every key in it is known and of the right type."""
    known = {entry.name for entry in fields(Settings)}
    for key in layer:
        if key not in known:
            raise BadInput(
                "bad-setting", f"unknown setting; there are: {', '.join(sorted(known))}",
                f"{where}: {key}",
            )  # fmt: skip
    _structure(layer, where)
    return dict(layer)


def _structure(layer: Mapping[str, object], where: str) -> Settings:
    if not layer:
        return Settings()
    from understudy.values.structure import structure  # noqa: PLC0415 - the defaults need no cattrs

    settings = structure(layer, Settings, "bad-setting", where)
    if settings.timeout_s <= 0 or settings.max_files < 1:
        raise BadInput("bad-setting", "timeout_s and max_files must be positive", where)
    limits = (
        *(settings.context_days, settings.context_log_days, settings.context_mb),
        *(settings.context_user_days, settings.context_user_mb),
    )
    if min(limits) < 0:
        raise BadInput("bad-setting", "context_* must not be negative", where)
    for pattern in settings.terminal_redact:
        _check_pattern(pattern, f"{where}: terminal_redact")
    return settings


def _check_pattern(pattern: str, where: str) -> None:
    try:
        matches_nothing = re.compile(pattern).search("") is not None
    except (re.error, OverflowError, RecursionError) as error:
        text = f"not a regular expression: {error}: {pattern}"
        raise BadInput("bad-setting", text, where) from error
    if matches_nothing:
        raise BadInput("bad-setting", f"matches the empty text: {pattern}", where)


def _snake(key: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower()
