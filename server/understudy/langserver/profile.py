"""A profile: what we know about one language server, as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import translate
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from understudy.checkers.profile import Checker, parse_checker
from understudy.values.errors import BadInput
from understudy.values.positions import PositionEncoding

Rule = Literal["pull", "pull_status", "pull_command", "version", "reopen", "canary", "command"]
_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Packed:
    """Where a server lies in a folder that an editor brings: a program, or a script (`main`).

    extension: the id, in lower case, of the extension whose folder is meant; empty in `bundled`.
    program: one that begins with `~` is where the extension installs it in the user's home;
        `${config:NAME}` and `${env:NAME}` are settings of the editor and of the environment.
    """

    extension: str = ""
    main: str | None = None
    program: str | None = None


@dataclass(frozen=True)
class Profile:
    """One server. Sourced from catalogue.toml and the user's settings; see the table there.

    files: glob -> language id; the first that fits wins. A glob without `/` is for the name alone.
    requires: other programs that it cannot judge without.
    npm_package, npm_major: the program counts only as part of this package, of this major version
        or a later one; there are others of the same name.
    rule: the freshness rule that its answers are proven by. `command`: it is no server but a
        command that is run on a stage, and `checker` says what its output proves.
    editor: extensions of an editor that bring the server; only ones whose licence lets others run
        it. bundled: where it lies among the servers that come with our own extension.
    optional: a file whose group has nothing but optional profiles, none of them installed, is not
        judged; without it, it is `unknown`.
    wheel_script: the script in a Python package that the program of its wheel starts with the
        Node.js of another wheel; we start it so ourselves, without a Python in between.
    scope: `file` if other files never change a file's findings, else `project`.
    config_files: globs of files that configure it, read from disk when it starts; for a branch
        that edits one it needs a process of its own.
    config_keys: name of a configuration file -> the dotted keys in it that the server reads; of
        other configuration files all counts.
    reads: globs of other files that it does not judge but reads from disk.
    folder_events: `trusted` if the server is known to follow didChangeWatchedFiles before its next
        answer, else `restart`: a created or deleted file then means a new process.
    reads_disk: it reads the files that it judges from disk, too, where another one imports them.
    cross_file: for one of scope `file` a pattern: where a configuration has it, other files do
        change a file's findings, and it reads them from disk when it starts.
    new_file: `memory` if other files can import a file that is only in memory, else `disk`.
    change_after_open: whether a didOpen whose text is not the disk's must be followed by a
        didChange before dependents see it.
    positions: what the server counts columns in, where that is not what it says.
    ready: `configuration` if the server judges nothing opened before it has our settings.
    options_from: key of the initialization options -> the part of the settings that goes there,
        for a server that takes its settings with the handshake alone.
    arguments_from: the setting of the editor that has further arguments for its program.
    settings_root: the section that it means when it asks for its settings without naming one; it is
        told the workspace folder with them.
    null_settings: dotted names of settings that have to be null where they are not set (TOML has no
        word for it).
    pinned_settings: what it has to be told whatever the user's settings say, or it would judge
        nothing, or not when asked.
    needs_config: it judges a file only if one of `root_markers` lies beside it or in a folder
        above; others are not its business.
    settings_by: `request` if it asks for its settings after the handshake, and would load them
        twice if it were told that they changed.
    configuration_errors: how it says what is wrong with its configuration: `messages` of type error
        before its answers, findings `published` for the file, or what `tsserver` answers.
    failure_messages: texts in its log after which an empty answer is no evidence.
    client_content: it asks us for files (`vscode/content`) instead of reading them.
    looks_up_modules: with scope `file`, whether it looks for the modules that a file imports (not
        into them), as a sorter of imports does to tell the project's own.
    at_once: how many files it may be asked about at once; some mix up what they find for one with
        what they look up for another.
    tell_changes: it keeps what it derived from a document until told that the file changed.
    canary: language id -> a line that is always a finding; `{token}` is replaced by a unique name.
    """

    name: str
    group: str
    command: tuple[str, ...]
    files: Mapping[str, str]
    rule: Rule
    scope: Literal["file", "project"]
    install: str
    requires: tuple[str, ...] = ()
    npm_package: str | None = None
    npm_major: int | None = None
    wheel_script: str | None = None
    editor: tuple[Packed, ...] = ()
    bundled: Packed | None = None
    optional: bool = False
    root_markers: tuple[str, ...] = ()
    config_files: tuple[str, ...] = ()
    config_keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)
    reads: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    initialization_options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    options_from: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    arguments_from: str | None = None
    settings_root: str | None = None
    null_settings: tuple[str, ...] = ()
    pinned_settings: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    executes_workspace_code: bool = False
    needs_config: bool = False
    environment: Literal["python", "typescript"] | None = None
    folder_events: Literal["trusted", "restart"] = "restart"
    reads_disk: bool = False
    cross_file: str | None = None
    new_file: Literal["memory", "disk"] = "disk"
    change_after_open: bool = False
    positions: PositionEncoding | None = None
    ready: Literal["initialized", "configuration"] = "initialized"
    settings_by: Literal["notification", "request"] = "notification"
    configuration_errors: Literal["messages", "published", "tsserver"] = "messages"
    failure_messages: tuple[str, ...] = ()
    client_content: bool = False
    at_once: int = 8
    tell_changes: bool = False
    looks_up_modules: bool = False
    canary: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    checker: Checker | None = None

    @cached_property
    def languages(self) -> frozenset[str]:
        """The language ids it judges."""
        return frozenset(self.files.values())

    def language_of(self, path: str) -> str | None:
        """The language id of a root-relative path, None if the server is not for it."""
        return next((lang for glob, lang in self.files.items() if glob_fits(glob, path)), None)

    def is_config(self, path: str) -> bool:
        """Whether the server reads this file from disk to configure itself."""
        return any(glob_fits(glob, path) for glob in self.config_files)

    def reads_file(self, path: str) -> bool:
        """Whether the server reads this file from disk without judging it."""
        return any(glob_fits(glob, path) for glob in self.reads)


def glob_fits(glob: str, path: str) -> bool:
    """Whether a POSIX path fits a glob; `*` in a glob without `/` never leaves the name."""
    subject = path if "/" in glob else path.rpartition("/")[2]
    return _compiled(glob).match(subject) is not None


def parse_profile(name: str, record: Mapping[str, object], before: Profile | None) -> Profile:
    """A profile from untrusted settings, put over `before`; raises BadInput `bad-setting`."""
    values: dict[str, Any] = {"name": name}
    if before is not None:
        values = {item.name: getattr(before, item.name) for item in fields(Profile)}
    for key, value in record.items():
        where = f"servers.{name}.{key}"
        check = _CHECKS.get(key)
        if check is None:
            raise BadInput("bad-setting", f"unknown key; known are {', '.join(_CHECKS)}", where)
        values[key] = check(value, where)
    missing = [key for key in _REQUIRED if key not in values]
    if missing:
        raise BadInput("bad-setting", f"missing: {', '.join(missing)}", f"servers.{name}")
    profile = Profile(**values)
    if (profile.rule == "command") != (profile.checker is not None):
        text = "rule = 'command' and a table `checker` belong together"
        raise BadInput("bad-setting", text, f"servers.{name}.checker")
    if profile.rule == "canary" and not profile.languages <= set(profile.canary):
        raise BadInput(
            "bad-setting", "the rule needs a line for each language", f"servers.{name}.canary"
        )
    return profile


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise BadInput("bad-setting", "must be a text", where)
    return value


def _pattern(value: object, where: str) -> str:
    text = _text(value, where)
    try:
        re.compile(text)
    except re.error as error:
        raise BadInput("bad-setting", f"is no pattern: {error}", where) from error
    return text


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput("bad-setting", "must be true or false", where)
    return value


def _number(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadInput("bad-setting", "must be a whole number", where)
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise BadInput("bad-setting", "must be a list of texts", where)
    items = cast("list[object]", value)
    return tuple(_text(item, f"{where}[{idx}]") for idx, item in enumerate(items))


def _command(value: object, where: str) -> tuple[str, ...]:
    command = _texts(value, where)
    if not command:
        raise BadInput("bad-setting", "must name a program", where)
    return command


def _table(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadInput("bad-setting", "must be a table", where)
    return cast("Mapping[str, Any]", value)


def _text_table(value: object, where: str) -> Mapping[str, str]:
    return {key: _text(item, f"{where}.{key}") for key, item in _table(value, where).items()}


def _texts_table(value: object, where: str) -> Mapping[str, tuple[str, ...]]:
    return {key: _texts(item, f"{where}.{key}") for key, item in _table(value, where).items()}


def _packed(value: object, where: str) -> Packed:
    record = _text_table(value, where)
    known = [item.name for item in fields(Packed)]
    for key in record:
        if key not in known:
            raise BadInput("bad-setting", f"unknown key; known are {', '.join(known)}", where)
    if ("main" in record) == ("program" in record):
        raise BadInput("bad-setting", "needs either `main` or `program`", where)
    return Packed(**{**record, "extension": record.get("extension", "").lower()})


def _packed_in_extensions(value: object, where: str) -> tuple[Packed, ...]:
    if not isinstance(value, list | tuple):
        raise BadInput("bad-setting", "must be a list of tables", where)
    found = [_packed(item, f"{where}[{n}]") for n, item in enumerate(cast("list[object]", value))]
    for n, packed in enumerate(found):
        if not packed.extension:
            raise BadInput("bad-setting", "needs `extension`", f"{where}[{n}]")
    return tuple(found)


def _one_of(*options: str) -> Callable[[object, str], str]:
    def check(value: object, where: str) -> str:
        if value not in options:
            raise BadInput("bad-setting", f"must be one of {', '.join(options)}", where)
        return cast("str", value)

    return check


_CHECKS: dict[str, Callable[[object, str], Any]] = {
    "group": _text,
    "command": _command,
    "files": _text_table,
    "rule": _one_of(*get_args(Rule)),
    "scope": _one_of("file", "project"),
    "install": _text,
    "requires": _texts,
    "npm_package": _text,
    "npm_major": _number,
    "wheel_script": _text,
    "editor": _packed_in_extensions,
    "bundled": _packed,
    "optional": _flag,
    "root_markers": _texts,
    "config_files": _texts,
    "config_keys": _texts_table,
    "reads": _texts,
    "settings": _table,
    "initialization_options": _table,
    "options_from": _text_table,
    "arguments_from": _text,
    "settings_root": _text,
    "null_settings": _texts,
    "pinned_settings": _table,
    "executes_workspace_code": _flag,
    "needs_config": _flag,
    "environment": _one_of("python", "typescript"),
    "folder_events": _one_of("trusted", "restart"),
    "reads_disk": _flag,
    "cross_file": _pattern,
    "new_file": _one_of("memory", "disk"),
    "change_after_open": _flag,
    "positions": _one_of("utf-8", "utf-16", "utf-32"),
    "ready": _one_of("initialized", "configuration"),
    "settings_by": _one_of("notification", "request"),
    "configuration_errors": _one_of("messages", "published", "tsserver"),
    "failure_messages": _texts,
    "client_content": _flag,
    "at_once": _number,
    "tell_changes": _flag,
    "looks_up_modules": _flag,
    "canary": _text_table,
    "checker": parse_checker,
}
_REQUIRED = ("group", "command", "files", "rule", "scope", "install")
