"""Settings: one schema for `[tool.understudy]`, `understudy.toml`, the user's file and the editor.

Later layers win: defaults, the user's own file, the workspace's files, the editor. What would
decide which program runs (`GUARDED`) is taken from a workspace's files only when the workspace is
trusted (law 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from platformdirs import user_config_path

from understudy.values import toml
from understudy.values.errors import HOW_TO_TRUST, BadInput, Refused
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.values.names import NameRule
from understudy.values.paths import Root
from understudy.values.structure import structure

T = TypeVar("T")
Scope = Literal["edited", "affected", "workspace"]
AgentQuestion = Literal["lint", "navigation"]
GUARDED = frozenset({"servers", "server_path", "python", "names", "stage_home", "stage_env"})
"""Settings that name programs, loosen a guard, or say what programs may see.

They are refused from the files of an untrusted workspace."""
_ADDING_UP = ("terminal_redact", "stage_home", "stage_env")
OWN_FILE = frozenset({"accept_unattended"})
"""Settings that the user's own file has: an editor's may come with a folder."""
PERSONAL = frozenset({"context_user_days", "context_user_mb"}) | OWN_FILE
"""Settings of what all workspaces share: refused from the files of every one of them."""
MAX_HOST_MINUTES = 24 * 60
"""A folder that nobody trusts may say how long a host stays, too."""
MAX_RECORD_MB = 1000
MAX_PATTERNS, MAX_PATTERN_SIZE = 50, 2000
"""Of `terminal_redact`: patterns of one layer, and steps that the engine makes of one."""


def _setting(default: T, doc: str, *, advanced: str | None = None) -> T:
    """A setting and what it is; `advanced` says why few people need it, and editors hide it."""
    metadata = {"doc": doc} if advanced is None else {"doc": doc, "advanced": advanced}
    return field(default=default, metadata=metadata)


@frozen
class Settings:
    """Every setting with its default; sizes in MB, times in the unit that the name says."""

    scope: Scope = _setting("affected", "which files a check judges")
    severity: Severity = _setting("error", "the mildest finding that counts for the verdict")
    timeout_s: float = _setting(60.0, "a check's time limit")
    max_files: int = _setting(200, "most files a server judges in a check; the rest is skipped")
    disabled_groups: tuple[str, ...] = _setting(
        (),
        "groups of servers that do not judge (types, lint, ...)",
        advanced="a server that judges wrongly is better mended in `servers`",
    )
    python: str | None = _setting(None, "the project's Python interpreter, by its path")
    server_path: tuple[str, ...] = _setting(
        (), "folders to look for language servers in, before PATH"
    )
    servers: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict[str, Mapping[str, object]],
        metadata={"doc": "server profiles, added or overridden by name (see the catalogue)"},
    )
    names: NameRule = _setting(
        "everywhere",
        "names that edits may give new files: everywhere (none that Windows takes for a device or "
        "for another file), or here (what git takes on this system)",
        advanced="the default makes edits that every system can take",
    )
    stage_home: tuple[str, ...] = _setting(
        (),
        "what a run sees besides its list: places in the home (or absolute); layers add up",
        advanced="a run that fails on something hidden names it; till then nothing is missing",
    )
    stage_env: tuple[str, ...] = _setting(
        (),
        "variables that a run gets besides its list: NAME or NAME=VALUE; layers add up",
        advanced="a run that fails on something hidden names it; till then nothing is missing",
    )
    idle_minutes: float = _setting(
        15.0,
        "a server that was not used for so long is shut down",
        advanced="it trades memory for the start of a server; the default fits most machines",
    )
    host_minutes: float = _setting(
        15.0,
        "a check leaves its servers running for the next one, until none has come for so long; 0: "
        "it leaves nothing, as where CI is set",
        advanced="it trades memory for the time of the next check; the default fits most machines",
    )
    memory_limit_mb: int = _setting(
        4096,
        "a server that grows past this is restarted",
        advanced="a server that was restarted says so, and only then is there something to set",
    )
    watch: bool = _setting(True, "say what edits introduce since an agent came, in the editor")
    branch_days: float = _setting(
        14.0,
        "an unused branch goes to the archive after so long",
        advanced="housekeeping: the archive keeps what leaves",
    )
    archive_days: float = _setting(
        90.0,
        "an archived branch is deleted after so long",
        advanced="housekeeping: what is deleted then was put away long before",
    )
    context_days: float = _setting(
        14.0,
        "a kept output that no log refers to is removed so long after its use",
        advanced="housekeeping: of files that nobody refers to",
    )
    context_log_days: float = _setting(
        30.0,
        "a session's history is removed so long after its last event",
        advanced="housekeeping: of histories that nobody continues",
    )
    context_mb: int = _setting(
        2048,
        "all kept outputs together; the oldest make room, none that a log refers to",
        advanced="housekeeping: few folders come near it",
    )
    context_user_days: float = _setting(
        180.0,
        "an output kept for all workspaces is removed so long after its use, none that a log "
        "refers to",
        advanced="housekeeping: of files that nobody refers to",
    )
    context_user_mb: int = _setting(
        512,
        "all outputs kept for all workspaces together; the oldest make room, none that a log "
        "refers to",
        advanced="housekeeping: few machines come near it",
    )
    accept_unattended: bool = _setting(
        False,
        "a program may accept by the Python API where there is no terminal; your config.toml alone "
        "says so",
    )
    terminal_recording: bool = _setting(
        True, "false, in any layer: nothing that a terminal shows is kept"
    )
    terminal_days: float = _setting(
        7.0,
        "a terminal's log is removed after so long",
        advanced="housekeeping: logs are for the work of the week",
    )
    terminal_mb: int = _setting(
        200,
        "all logs of terminals together; the oldest make room",
        advanced="housekeeping: few folders come near it",
    )
    terminal_record_mb: int = _setting(
        64,
        "what is kept of one terminal, at most half of terminal_mb: all of it, or a command's "
        "beginning and the newest output; on Windows the oldest",
        advanced="few commands come near it; a server's newest lines are kept in any case",
    )
    agents_may: tuple[AgentQuestion, ...] = _setting(
        ("lint", "navigation"),
        "what agents may ask of language servers: lint (verdicts), navigation (what a name is, "
        "where it is used, to rename it)",
        advanced="an agent that is better at one of them does not use the other",
    )
    terminal_logs: int = _setting(
        50,
        "most logs of terminals that are kept",
        advanced="housekeeping: few folders come near it",
    )
    terminal_redact: tuple[str, ...] = _setting(
        (),
        "regular expressions (RE2) of further secrets in terminals' logs; layers add up",
        advanced="the common forms of secrets are known without it",
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
                f"{', '.join(sorted(named))}: for trusted folders alone, and this one is not: "
                f"{HOW_TO_TRUST}, or pass --trust",
                where,
            )
        _put_over(merged, checked)
    if editor:
        given = {_snake(key): value for key, value in editor.items()}
        for key in sorted(OWN_FILE & given.keys()):
            text = "it is yours alone to say: set it in your own config.toml"
            raise BadInput("bad-setting", text, f"editor: {key}")
        _put_over(merged, _checked(given, "editor"))
    return _structure(merged, "settings")


def user_allows_unattended() -> bool:
    """What the user's own file says, and no other layer; raises BadInput `bad-setting`."""
    return any(
        _structure(_checked(layer, where), where).accept_unattended
        for where, layer in _user_layer()
    )


def _put_over(merged: dict[str, object], layer: dict[str, object]) -> None:
    """The later layer wins, but none takes back what another one keeps from being recorded."""
    kept = {
        "terminal_recording": merged.get("terminal_recording", True) is True
        and layer.get("terminal_recording", True) is True,
        **{key: [*_listed(merged, key), *_listed(layer, key)] for key in _ADDING_UP},
    }
    merged.update(layer)
    merged.update({key: value for key, value in kept.items() if key in merged})


def _listed(layer: Mapping[str, object], key: str) -> Iterable[object]:
    return cast("Iterable[object]", layer.get(key, ()))


def user_file() -> Path:
    """The user's own settings file, for all folders."""
    return user_config_path("understudy", appauthor=False) / "config.toml"


def _user_layer() -> Iterable[tuple[str, dict[str, object]]]:
    path = user_file()
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
    settings = structure(layer, Settings, "bad-setting", where)
    if settings.timeout_s <= 0 or settings.max_files < 1:
        raise BadInput("bad-setting", "timeout_s and max_files must be positive", where)
    if not 0 <= settings.host_minutes <= MAX_HOST_MINUTES:
        text = f"host_minutes is a number from 0 to {MAX_HOST_MINUTES}"
        raise BadInput("bad-setting", text, where)
    limits = (
        *(settings.context_days, settings.context_log_days, settings.context_mb),
        *(settings.context_user_days, settings.context_user_mb),
    )
    if min(limits) < 0:
        raise BadInput("bad-setting", "context_* must not be negative", where)
    if not 1 <= settings.terminal_record_mb <= MAX_RECORD_MB:
        text = f"terminal_record_mb is a number from 1 to {MAX_RECORD_MB}"
        raise BadInput("bad-setting", text, where)
    _check_named(settings.stage_home, settings.stage_env, where)
    _check_patterns(settings.terminal_redact, f"{where}: terminal_redact")
    return settings


def _check_named(places: Iterable[str], variables: Iterable[str], where: str) -> None:
    """Raise BadInput `bad-setting` for what can name nothing, on any machine."""
    for place in places:
        if not place.strip() or "\0" in place or Path(place) == Path("/"):
            text = f"name a place in the home, or an absolute one, not {place!r}"
            raise BadInput("bad-setting", text, f"{where}: stage_home")
    for variable in variables:
        name = variable.partition("=")[0]
        if not name or "\0" in variable or name.split() != [name]:
            text = f"write NAME or NAME=VALUE, not {variable!r}"
            raise BadInput("bad-setting", text, f"{where}: stage_env")


def _check_patterns(patterns: tuple[str, ...], where: str) -> None:
    """Patterns may come from a folder that nobody trusts: no text makes them slow."""
    if len(patterns) > MAX_PATTERNS:
        text = f"{len(patterns)} patterns; at most {MAX_PATTERNS} are looked for"
        raise BadInput("bad-setting", text, where)
    for pattern in patterns:
        _check_pattern(pattern, where)


def _check_pattern(pattern: str, where: str) -> None:
    from understudy.terminal.secrets import linear  # noqa: PLC0415 - few have patterns

    if linear.why_missing() is not None:
        return  # nothing is recorded then, and the recorder says why
    try:
        compiled = linear.Pattern(pattern)
    except BadInput as error:
        text = f"not a regular expression that can be used: {error.text}: {pattern}"
        raise BadInput("bad-setting", text, where) from error
    if compiled.is_in(b""):
        raise BadInput("bad-setting", f"matches the empty text: {pattern}", where)
    if compiled.size > MAX_PATTERN_SIZE:
        text = f"too large: {compiled.size} steps, at most {MAX_PATTERN_SIZE}: {pattern[:200]}"
        raise BadInput("bad-setting", text, where)


def _snake(key: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower()
