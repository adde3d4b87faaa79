"""A profile: what we know about one language server, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from understudy.checkers.profile import Checker
from understudy.findings.hiding_rule import HidingRule
from understudy.langserver.packages.names import install_text
from understudy.values.fields import Word, doc
from understudy.values.frozen import frozen
from understudy.values.globs import glob_fits
from understudy.values.packed_server import PackedServer
from understudy.values.positions import PositionEncoding

Rule = Literal["pull", "pull_status", "pull_command", "version", "reopen", "canary", "command"]
_EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return _EMPTY


@frozen
class Profile:
    """One server, from catalogue.toml and the user's settings; the keys of its table."""

    name: Word = field(metadata=doc("the table's own name, no key in it"))
    group: Word = field(
        metadata=doc("of each group, the first installed profile judges a file (types, lint, ...)")
    )
    command: tuple[Word, ...] = field(metadata=doc("the program and its arguments"))
    files: Mapping[str, Word] = field(
        metadata=doc(
            "glob -> language id of the files that it judges; the first wins, and one without `/` "
            "is for the name alone"
        )
    )
    rule: Rule = field(
        metadata=doc(
            "the freshness rule that its answers are proven by; `command`: it is no server but a "
            "command that is run on a stage, and `checker` says what its output proves"
        )
    )
    scope: Literal["file", "project"] = field(
        metadata=doc("`file` if other files never change a file's findings")
    )
    install: Word | None = field(
        default=None, metadata=doc("how to get it, for who does not have it; or `packages`")
    )
    packages: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "what `understudy servers add` installs it from, itself first: `pip NAME`, `npm NAME`, "
            "`go PATH@VERSION`, `cargo NAME`; `apt NAME` is only named, as it needs root"
        ),
    )
    infers_results: bool = field(
        default=True, metadata=doc("`false` if it infers no result from the body of a function")
    )
    requires: tuple[Word, ...] = field(
        default=(), metadata=doc("other programs that it cannot judge without")
    )
    npm_package: Word | None = field(
        default=None,
        metadata=doc("the program counts only as part of this npm package; others have its name"),
    )
    npm_major: int | None = field(
        default=None, metadata=doc("and of this version or a later one", "major version")
    )
    wheel_script: Word | None = field(
        default=None,
        metadata=doc(
            "the script in a Python package that the program of its wheel starts with the Node.js "
            "of another wheel; we start it so ourselves, without a Python in between"
        ),
    )
    editor: tuple[PackedServer, ...] = field(
        default=(),
        metadata=doc(
            "extensions of an editor that bring it; only if their licence lets others run it"
        ),
    )
    bundled: PackedServer | None = field(
        default=None,
        metadata=doc("where it lies among the servers that come with our own extension"),
    )
    optional: bool = field(
        default=False,
        metadata=doc(
            "a file whose group has nothing but optional profiles, none of them installed, is not "
            "judged; without it, it is `unknown`"
        ),
    )
    root_markers: tuple[Word, ...] = field(
        default=(), metadata=doc("files that mark the folder of a project")
    )
    config_files: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "globs of files that configure it, read from disk when it starts; for a branch that "
            "edits one it needs a process of its own"
        ),
    )
    config_keys: Mapping[str, tuple[Word, ...]] = field(
        default_factory=_empty,
        metadata=doc(
            "name of a configuration file -> the dotted keys in it that the server reads; of other "
            "configuration files all counts"
        ),
    )
    config_extends: Mapping[str, tuple[Word, ...]] | None = field(
        default=None,
        metadata=doc(
            "glob of configuration, or of what it names -> the dotted keys in it that name further "
            "files; null: `extend` and `extends`. A program's imports count, too"
        ),
    )
    config_beside: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "further files that configure it, by their paths from the root, or from the user's "
            "home after `~/`"
        ),
    )
    reads: tuple[Word, ...] = field(
        default=(),
        metadata=doc("globs of other files that it does not judge but reads from disk"),
    )
    settings: Mapping[str, Any] = field(
        default_factory=_empty,
        metadata=doc("its settings, under the editor's names; the user's go over them"),
    )
    initialization_options: Mapping[str, Any] = field(
        default_factory=_empty, metadata=doc("what the handshake tells it")
    )
    options_from: Mapping[str, Word] = field(
        default_factory=_empty,
        metadata=doc(
            "key of the initialization options -> the part of the settings that goes there, for a "
            "server that takes its settings with the handshake alone"
        ),
    )
    settings_from: Mapping[str, Word] = field(
        default_factory=_empty,
        metadata=doc("setting -> one of an extension that cannot be borrowed, where it is unset"),
    )
    arguments_from: Word | None = field(
        default=None,
        metadata=doc("the setting of the editor that has further arguments for its program"),
    )
    settings_root: Word | None = field(
        default=None,
        metadata=doc(
            "the section that it means when it asks for its settings without naming one; it is "
            "told the workspace folder with them"
        ),
    )
    null_settings: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "dotted names of settings that have to be null where they are not set (TOML has no "
            "word for it)"
        ),
    )
    pinned_settings: Mapping[str, Any] = field(
        default_factory=_empty,
        metadata=doc(
            "what it has to be told whatever the user's settings say, or it would judge nothing, "
            "or not when asked"
        ),
    )
    executes_workspace_code: bool = field(
        default=False, metadata=doc("it runs code of the folder, and so needs its trust")
    )
    needs_config: bool = field(
        default=False,
        metadata=doc(
            "it judges a file only if one of `root_markers` lies beside it or in a folder above; "
            "others are not its business"
        ),
    )
    environment: Literal["python", "typescript", "go"] | None = field(
        default=None,
        metadata=doc(
            "what of the project's own it is told: its interpreter, its TypeScript, or the build "
            "tags that the user's settings name for Go"
        ),
    )
    folder_events: Literal["trusted", "restart"] = field(
        default="restart",
        metadata=doc(
            "`trusted` if the server is known to follow didChangeWatchedFiles before its next "
            "answer; else a created or deleted file means a new process"
        ),
    )
    reads_disk: bool = field(
        default=False,
        metadata=doc(
            "it reads the files that it judges from disk, too, where another one imports them"
        ),
    )
    finds_uses_in: Literal["folder", "open"] = field(
        default="folder",
        metadata=doc(
            "where it looks for the uses of a name: in the whole folder, or only in documents that "
            "were open, so that those are opened first that may use it"
        ),
    )
    cross_file: re.Pattern[str] | None = field(
        default=None,
        metadata=doc(
            "for one of scope `file`: where a configuration has this pattern, other files do "
            "change a file's findings, and it reads them from disk when it starts"
        ),
    )
    new_file: Literal["memory", "disk"] = field(
        default="disk",
        metadata=doc("`memory` if other files can import a file that is only in memory"),
    )
    change_after_open: bool = field(
        default=False,
        metadata=doc(
            "a didOpen whose text is not the disk's must be followed by a didChange before "
            "dependents see it"
        ),
    )
    positions: PositionEncoding | None = field(
        default=None,
        metadata=doc("what the server counts columns in, where that is not what it says"),
    )
    ready: Literal["initialized", "configuration"] = field(
        default="initialized",
        metadata=doc(
            "`configuration` if the server judges nothing opened before it has our settings"
        ),
    )
    probe: Mapping[str, Word] = field(
        default_factory=_empty,
        metadata=doc(
            "name of a file -> a text of it in which the server finds something once it has loaded "
            "what it judges by; shown again until then, and nothing else is"
        ),
    )
    settings_by: Literal["notification", "request"] = field(
        default="notification",
        metadata=doc(
            "`request` if it asks for its settings after the handshake, and would load them twice "
            "if it were told that they changed"
        ),
    )
    configuration_errors: Literal["messages", "published", "tsserver"] = field(
        default="messages",
        metadata=doc(
            "how it says what is wrong with its configuration: messages of type error before its "
            "answers, findings published for the file, or what tsserver answers"
        ),
    )
    failure_messages: tuple[Word, ...] = field(
        default=(),
        metadata=doc("texts in its log after which an empty answer is no evidence"),
    )
    remedies: Mapping[str, Word] = field(
        default_factory=_empty,
        metadata=doc(
            "a piece of the reason why a file is unknown -> what that means for this server, and "
            "what to do; told behind the reason"
        ),
    )
    client_content: bool = field(
        default=False,
        metadata=doc("it asks us for files (`vscode/content`) instead of reading them"),
    )
    commands: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "those of its commands that are known to change nothing on disk and to execute nothing "
            "of the folder: what they do are edits that the client is asked to apply; any other "
            "runs on a stage of its own, in a trusted folder"
        ),
    )
    unmarked_fixes: Literal["safe", "unsafe"] = field(
        default="safe",
        metadata=doc(
            "what its quick fixes are that it neither prefers nor does not prefer (`isPreferred`); "
            "unsafe ones are tried only for who asks for them"
        ),
    )
    at_once: int = field(
        default=8,
        metadata=doc(
            "how many it may be asked about at once; some mix up what they find for one with what "
            "they look up for another",
            "files",
        ),
    )
    tell_changes: bool = field(
        default=False,
        metadata=doc("it keeps what it derived from a document until told that the file changed"),
    )
    looks_up_modules: bool = field(
        default=False,
        metadata=doc(
            "with scope `file`, whether it looks for the modules that a file imports (not into "
            "them), as a sorter of imports does to tell the project's own"
        ),
    )
    canary: Mapping[str, Word] = field(
        default_factory=_empty,
        metadata=doc(
            "language id -> a line that is always a finding, whose message repeats the unique "
            "name that `{token}` is replaced by; nothing else may be found in that line"
        ),
    )
    objections: Mapping[str, str] = field(
        default_factory=_empty,
        metadata=doc(
            "language id -> lines that break any text; a server that has found nothing yet has to "
            "object to them before its silence counts (a proof has those of its kit)"
        ),
    )
    hides: tuple[HidingRule, ...] | None = field(
        default=None,
        metadata=doc(
            "what keeps it from saying what it would say otherwise: a finding that is gone is "
            "`fixed` only where none of these is new; null: every new error may, in its file "
            "and, with scope `project`, on unedited lines of the files that depend on it"
        ),
    )
    checker: Checker | None = field(
        default=None, metadata=doc("what the output of a checking command proves")
    )

    @cached_property
    def languages(self) -> frozenset[str]:
        """The language ids it judges."""
        return frozenset(self.files.values())

    @property
    def how_to_install(self) -> str:
        """How a person gets it."""
        return self.install or install_text(self.packages)

    @cached_property
    def hiding_rules(self) -> tuple[HidingRule, ...]:
        """What keeps it from looking; where nobody has said, every new error does."""
        if self.hides is not None:
            return self.hides
        far = (HidingRule("users", unedited=True),) if self.scope == "project" else ()
        return (HidingRule("file"), *far)

    def language_of(self, path: str) -> str | None:
        """The language id of a root-relative path, None if the server is not for it."""
        return next((lang for glob, lang in self.files.items() if glob_fits(glob, path)), None)

    def is_config(self, path: str) -> bool:
        """Whether the server reads this file from disk to configure itself."""
        return any(glob_fits(glob, path) for glob in self.config_files)

    def reads_file(self, path: str) -> bool:
        """Whether the server reads this file from disk without judging it."""
        return any(glob_fits(glob, path) for glob in self.reads)
