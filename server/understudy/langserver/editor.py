"""Servers that an editor brings: its own extensions', the user's, and those that come with ours.

Which of them may be used, and where each lies in its extension, is data (`catalogue.toml`): one
that is not listed there is left alone, as its licence may bind it to its own host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType

from understudy.langserver.profile import Profile
from understudy.values.frozen import frozen
from understudy.values.packed_server import PackedServer

NODE_ENVIRONMENT = MappingProxyType({"ELECTRON_RUN_AS_NODE": "1"})
"""Makes a program of the editor's own a plain Node.js; a plain Node.js does not look at it."""

Expand = Callable[[str], str | None]
"""Replaces what an editor's settings and the environment decide of a path; None: not set."""

_TYPESCRIPT_EXTENSION = "vscode.typescript-language-features"
_EXE = ".exe" if os.name == "nt" else ""


@frozen
class EditorServers:
    """What an editor brings.

    node: a program that runs JavaScript as Node.js does. extensions: id in lower case -> folder,
    only those that are switched on. bundled: the folder of the servers that come with us.
    """

    node: Path | None = None
    extensions: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))
    bundled: Path | None = None

    @property
    def typescript(self) -> Path | None:
        """The TypeScript that its own extensions share, which lies beside them."""
        extension = self.extensions.get(_TYPESCRIPT_EXTENSION)
        if extension is None:
            return None
        package = extension.parent / "node_modules" / "typescript"
        return package if (package / "lib" / "tsserver.js").is_file() else None

    def find(self, profile: Profile, expand: Expand) -> tuple[str, ...] | None:
        """The command of a server that an extension brings, or has been told of; else None."""
        for packed in profile.editor:
            folder = self.extensions.get(packed.extension)
            command = None if folder is None else self._command(profile, packed, folder, expand)
            if command is not None:
                return command
        return None

    def find_bundled(self, profile: Profile) -> tuple[str, ...] | None:
        """The command of a server that comes with us; None if it does not."""
        if profile.bundled is None or self.bundled is None:
            return None
        return self._command(profile, profile.bundled, self.bundled, str)

    def runs(self, command: tuple[str, ...]) -> bool:
        """Whether the command is run by the editor's own program."""
        return self.node is not None and command[0] == str(self.node)

    def _command(
        self, profile: Profile, packed: PackedServer, folder: Path, expand: Expand
    ) -> tuple[str, ...] | None:
        arguments = profile.command[1:]
        if packed.program is not None:
            path = expand(packed.program)
            if path is None:
                return None
            program = folder / Path(path).expanduser()
            if _EXE and program.suffix.lower() != _EXE:
                program = program.with_name(program.name + _EXE)
            return (str(program), *arguments) if os.access(program, os.X_OK) else None
        script = folder / (packed.main or "")
        if self.node is None or not script.is_file():
            return None
        return (str(self.node), str(script), *arguments)
