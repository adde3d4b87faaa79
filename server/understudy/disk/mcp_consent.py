"""Which tool servers of a workspace the user allows to be started: `mcp-allowed.json`.

An allowed server whose definition changes must be allowed again: it may be another program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from understudy.context.canonical import canonical
from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure


class McpConsent:
    """Reads and writes the list; a name is allowed with the digest of its definition."""

    def __init__(self, state: Path) -> None:
        self.file = state / "mcp-allowed.json"

    def allowed(self) -> Mapping[str, str]:
        """Name -> digest; empty where the list is damaged, as no consent is read into that."""
        try:
            raw: object = json.loads(self.file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(raw, dict):
            return {}
        table = cast("dict[str, object]", raw)
        return {name: digest for name, digest in table.items() if isinstance(digest, str)}

    def change(self, allow: Mapping[str, str], withdraw: frozenset[str] = frozenset()) -> None:
        """Allow these definitions, and no longer those names.

        Raises OutsideFailure `state-unwritable`.
        """
        table = {name: digest for name, digest in self.allowed().items() if name not in withdraw}
        table.update(allow)
        try:
            make_private_folder(self.file.parent)
            write_private(self.file, canonical(table).encode("utf-8", "surrogatepass"))
        except OSError as error:
            text = f"the list of allowed servers cannot be kept: {what_disk_says(error, self.file)}"
            raise OutsideFailure("state-unwritable", text, str(self.file)) from error
