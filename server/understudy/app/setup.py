"""The verb `setup`: what an agent's own configuration needs so that it knows Understudy.

A change is made of the file as it is: everything else in it stays, in its order. A file that
cannot be written back as it was (comments, duplicate keys) is refused with the lines to add.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from understudy.disk.atomic import flush_folder, prepare
from understudy.disk.named_file import refuse_link
from understudy.values.errors import BadInput, OutsideFailure

Agent = Literal["claude", "codex", "opencode", "copilot", "gemini"]
AGENTS: tuple[Agent, ...] = get_args(Agent)
NOTES: Mapping[Agent, str] = {
    "codex": "Codex runs a new or changed hook only after you have reviewed it: type /hooks there"
}
"""What is left for the user to do, where that is more than to start the agent."""
NAME = "understudy"
BACKUP = ".before-understudy"
Table = dict[str, Any]

_WRITES = '"tool_?name": *"(create|edit|apply_patch|insert|replace|str_replace|multi_)'
# Copilot hands the tool's name to every hook; only the terminal's Copilot heeds a `matcher`.
_CONTEXT_HOOK = (
    f"if grep -iE '{_WRITES}' >/dev/null; then {{check}} --format hook; "
    "case $? in 0|1|3) exit 0;; *) exit 1;; esac; fi"
)
"""For agents that hand on what a hook prints, and take another exit code than 0 for a failure."""
_HOOK = "{check} >&2; case $? in 0) exit 0;; 1|3) exit 2;; *) exit 1;; esac"
"""Exit code 2 is how a hook hands its text to the model: for findings, and for what is unknown."""


@dataclass(frozen=True)
class ConfigurationChange:
    """A file of an agent's configuration: its bytes now (None: there is none) and then."""

    path: Path
    before: bytes | None
    after: bytes

    @property
    def is_needed(self) -> bool:
        """False if the file says it all already."""
        return self.before != self.after


@dataclass(frozen=True)
class _Piece:
    """What one file is to hold: JSON or TOML, a place in it and the value there."""

    path: Path
    merge: Callable[[Table], None]
    lines: str


def setup_changes(
    agent: Agent, root: Path, home: Path, program: Sequence[str]
) -> list[ConfigurationChange]:
    """The files that an agent needs, as they will be; nothing is written yet.

    Raises BadInput `not-mergeable`, with the lines to add by hand in its text; Refused `symlink`
    where a link in the folder leads to the file.
    """
    pieces = _pieces(agent, root, home, list(program))
    for piece in pieces:
        refuse_link(piece.path, root.resolve())
    return [_change(piece) for piece in pieces]


def write_changes(changes: Sequence[ConfigurationChange]) -> list[Path]:
    """Write what is needed, each file whole or not at all; returns the backups made.

    A file that has changed since it was read is not overwritten. Raises BadInput `file-changed`,
    OutsideFailure `cannot-write`.
    """
    backups: list[Path] = []
    for change in changes:
        if not change.is_needed:
            continue
        path = change.path
        try:
            if _bytes_of(path) != change.before:
                raise BadInput("file-changed", "it has changed meanwhile; ask again", str(path))
            path.parent.mkdir(parents=True, exist_ok=True)
            if change.before is not None:
                mode = path.stat().st_mode & 0o777
                backup = path.with_name(path.name + BACKUP)
                prepare(backup, change.before, mode).commit()
                backups.append(backup)
                prepare(path, change.after, mode).commit()
            else:
                prepare(path, change.after).commit()
            flush_folder(path.parent)
        except OSError as error:
            text = f"cannot be written: {error.strerror}"
            raise OutsideFailure("cannot-write", text, str(path)) from error
    return backups


def _pieces(agent: Agent, root: Path, home: Path, program: list[str]) -> list[_Piece]:
    plain = {"command": program[0], "args": [*program[1:], "mcp"]}
    stdio = {"type": "stdio", **plain}
    check = " ".join(map(_quoted, [*program, "check"]))
    hook = {"type": "command", "command": _HOOK.format(check=check), "timeout": 120}
    if agent == "claude":
        return [
            _server(root / ".mcp.json", "mcpServers", stdio),
            _hook(root / ".claude" / "settings.json", "PostToolUse", "Edit|MultiEdit|Write", hook),
        ]
    if agent == "codex":
        # The hook is the project's: in the home folder it would lint whatever folder it ran in.
        return [
            _server(home / ".codex" / "config.toml", "mcp_servers", plain),
            _hook(root / ".codex" / "hooks.json", "PostToolUse", "apply_patch|Edit|Write", hook),
        ]
    if agent == "opencode":
        local = {"type": "local", "command": [*program, "mcp"], "enabled": True}
        return [_server(root / "opencode.json", "mcp", local)]
    if agent == "copilot":
        entry = {"type": "command", "bash": _CONTEXT_HOOK.format(check=check), "timeoutSec": 120}
        return [
            _server(root / ".vscode" / "mcp.json", "servers", stdio),
            _flat_hook(root / ".github" / "hooks" / "understudy.json", "postToolUse", entry),
        ]
    settings = root / ".gemini" / "settings.json"
    both = _server(settings, "mcpServers", plain)
    # Its time limits are in milliseconds.
    after = _hook(settings, "AfterTool", "write_file|replace", {**hook, "timeout": 120_000})

    def merge(table: Table) -> None:
        both.merge(table)
        after.merge(table)

    return [_Piece(settings, merge, both.lines + "\n" + after.lines)]


def _server(path: Path, key: str, entry: Table) -> _Piece:
    def merge(table: Table) -> None:
        _below(table, key, dict, path)[NAME] = entry

    return _Piece(path, merge, json.dumps({key: {NAME: entry}}, indent=2))


def _hook(path: Path, event: str, matcher: str, hook: Table) -> _Piece:
    added = {"matcher": matcher, "hooks": [hook]}

    def merge(table: Table) -> None:
        listed = _below(_below(table, "hooks", dict, path), event, list, path)
        ours = [n for n, item in enumerate(listed) if _is_ours(item)]
        if ours:
            listed[ours[0]] = added
        else:
            listed.append(added)

    return _Piece(path, merge, json.dumps({"hooks": {event: [added]}}, indent=2))


def _flat_hook(path: Path, event: str, entry: Table) -> _Piece:
    def merge(table: Table) -> None:
        table.setdefault("version", 1)
        listed = _below(_below(table, "hooks", dict, path), event, list, path)
        listed[:] = [item for item in listed if not _is_ours(item)] + [entry]

    return _Piece(path, merge, json.dumps({"version": 1, "hooks": {event: [entry]}}, indent=2))


def _is_ours(item: object) -> bool:
    text = json.dumps(item)
    is_hook = " check >&2; case" in text or " check --format hook; case" in text
    return isinstance(item, dict) and NAME in text and is_hook


def _below(table: Table, key: str, kind: type[Any], path: Path) -> Any:  # noqa: ANN401 - of `kind`
    found = table.setdefault(key, kind())
    if not isinstance(found, kind):
        what = "a table" if kind is dict else "a list"
        raise BadInput("not-mergeable", f"`{key}` is not {what}", str(path))
    return found


def _change(piece: _Piece) -> ConfigurationChange:
    before = _bytes_of(piece.path)
    try:
        if piece.path.suffix == ".toml":
            return ConfigurationChange(piece.path, before, _in_toml(piece, before))
        return ConfigurationChange(piece.path, before, _in_json(piece, before))
    except (ValueError, RecursionError) as error:
        text = f"it cannot be merged without loss ({error}); add this by hand:\n{piece.lines}"
        raise BadInput("not-mergeable", text, str(piece.path)) from error


def _in_json(piece: _Piece, before: bytes | None) -> bytes:
    text = "{}" if before is None or not before.strip() else before.decode("utf-8")
    table: object = json.loads(
        text, object_pairs_hook=_unique, parse_float=_exact, parse_constant=_refused
    )
    if not isinstance(table, dict):
        raise BadInput("not-mergeable", "it holds no JSON object", str(piece.path))
    merged = cast("Table", json.loads(json.dumps(table)))
    piece.merge(merged)
    if merged == table and before is not None:
        return before
    indent = next((line for line in text.splitlines() if line[:1] in " \t" and line.strip()), "  ")
    space = indent[: len(indent) - len(indent.lstrip())]
    end = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(merged, indent=space, ensure_ascii=False) + "\n"
    return written.replace("\n", end).encode("utf-8")


def _in_toml(piece: _Piece, before: bytes | None) -> bytes:
    import tomlkit  # noqa: PLC0415 - for one agent only

    document = tomlkit.parse("" if before is None else before.decode("utf-8"))
    known = json.dumps(document.unwrap(), default=str)
    plain = document.unwrap()
    piece.merge(plain)
    if json.dumps(plain, default=str) == known and before is not None:
        return before
    piece.merge(document)
    return tomlkit.dumps(document).encode("utf-8")  # pyright: ignore[reportUnknownMemberType] - untyped there


def _unique(pairs: list[tuple[str, Any]]) -> Table:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("it has a key twice")
    return table


def _exact(text: str) -> float:
    if repr(float(text)) != text:
        raise ValueError(f"the number {text} would be written otherwise")
    return float(text)


def _refused(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _quoted(word: str) -> str:
    return word if all(c.isalnum() or c in "-_./" for c in word) else "'" + word + "'"


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        text = f"cannot be read: {error.strerror}"
        raise OutsideFailure("cannot-read", text, str(path)) from error
