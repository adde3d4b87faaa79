"""What an editor says at `initialize` and over `workspace/configuration`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, cast

from lsprotocol import types as lsp

from understudy.app.host.host import HostOptions
from understudy.langserver.editor import EditorServers
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root, path_of_uri
from understudy.values.structure import structure


@frozen
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
    editor: dict[str, Any] = field(
        default_factory=dict[str, Any],
        metadata={
            "doc": "what the editor brings: `node` (a program that runs JavaScript as Node.js does "
            "with ELECTRON_RUN_AS_NODE=1), `extensions` (id -> folder), `bundled` (the folder of "
            "the servers that came with us); all are optional"
        },
    )
    user: bool | None = field(
        default=None,
        metadata={
            "doc": "a user sits at this connection, and may accept; null: only at the host's "
            "own, not at one that attached"
        },
    )
    review: bool = field(
        default=False,
        metadata={
            "doc": "offer a review of branches by commands, code actions, lenses and a hover, in "
            "files that the user opens for it alone"
        },
    )


@frozen
class EditorTable:
    """The option `editor`."""

    node: str | None = None
    extensions: dict[str, Any] = field(default_factory=dict[str, Any])
    bundled: str | None = None


def host_options(raw: object) -> HostOptions:
    """The options of a host; raises BadInput `bad-setting`."""
    given: Mapping[str, Any] = {} if raw is None else raw  # pyright: ignore[reportAssignmentType] - structure() refuses what is no table
    options = structure(given, InitializationOptions, "bad-setting", "initializationOptions")
    return options_given(options)


def options_given(options: InitializationOptions) -> HostOptions:
    """The options of a host, of those that an editor gives; raises BadInput `bad-setting`."""
    editor = _editor(options.editor)
    return HostOptions(options.trusted, options.settings, options.python, options.servers, editor)


def _editor(raw: Mapping[str, Any]) -> EditorServers:
    where = "initializationOptions.editor"
    table = structure(raw, EditorTable, "bad-setting", where)
    extensions = {
        name.lower(): _path(value, f"{where}.extensions.{name}")
        for name, value in table.extensions.items()
    }
    node = None if table.node is None else _path(table.node, f"{where}.node")
    bundled = None if table.bundled is None else _path(table.bundled, f"{where}.bundled")
    return EditorServers(node, extensions, bundled)


def _path(value: object, where: str) -> Path:
    """An absolute path: a relative one would be one of the workspace."""
    if not isinstance(value, str) or not Path(value).is_absolute():
        raise BadInput("bad-setting", "expected an absolute path", where)
    return Path(value)


def is_of_a_user(raw: object, *, otherwise: bool) -> bool:
    """Whether a client says that a user sits at it; `raw` has passed `host_options`."""
    given = cast("Mapping[str, object]", raw or {})
    said = given.get("user")
    return otherwise if said is None else said is True


def wants_review(raw: object) -> bool:
    """Whether a client asks for a review by commands; `raw` has passed `host_options`."""
    return cast("Mapping[str, object]", raw or {}).get("review") is True


def root_of(params: lsp.InitializeParams) -> Root:
    """The client's folder: the first workspace folder, else rootUri, else rootPath.

    Raises BadInput `no-such-root` and as `Root.open` does.
    """
    folders = params.workspace_folders or []
    uri = folders[0].uri if folders else params.root_uri
    path = path_of_uri(uri) if uri is not None else params.root_path
    if path is None:
        raise BadInput("no-such-root", "no folder is open; understudy needs one", uri)
    return Root.open(path)
