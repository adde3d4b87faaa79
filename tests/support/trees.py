"""A tree of texts in memory, for tests of edits; its paths are judged by a real root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy.edits.batch import apply_edits
from understudy.edits.draft import DraftChange
from understudy.edits.model import DiffEdit, Edit
from understudy.values.paths import Root
from understudy.values.texts import Text

Files = Mapping[str, str | bytes | Text]


class MemoryTree:
    """Texts by path, as a snapshot would give them."""

    def __init__(self, files: Files, root: Path = Path("/nowhere/project")) -> None:
        self.texts = {path: as_text(content) for path, content in files.items()}
        self._root = Root(root)

    def read(self, path: str) -> Text | None:
        return self.texts.get(path)

    def normalise(self, path: str) -> str:
        return self._root.relative(path)

    def refuse_new(self, path: str) -> None:
        self._root.refuse_new(path, "everywhere")

    def path_of_uri(self, uri: str) -> str | None:
        return self._root.relative_of_uri(uri)

    def uri(self, path: str) -> str:
        return self._root.uri(path)

    def after(self, changes: Mapping[str, DraftChange]) -> dict[str, Text]:
        """All texts once the changes are made."""
        texts = {**self.texts}
        for path, change in changes.items():
            if change.after is None:
                del texts[path]
            else:
                texts[path] = change.after
        return texts


def as_text(content: str | bytes | Text) -> Text:
    """The text a file with this content has."""
    if isinstance(content, Text):
        return content
    return Text.decode(content.encode() if isinstance(content, str) else content)


def applied(files: Files, edits: Sequence[Edit]) -> dict[str, bytes]:
    """The bytes of all files after a batch."""
    tree = MemoryTree(files)
    return {path: text.encode() for path, text in tree.after(apply_edits(edits, tree)).items()}


def patched(files: Files, patch: str) -> dict[str, bytes]:
    """The bytes of all files after one diff."""
    return applied(files, [DiffEdit(patch)])
