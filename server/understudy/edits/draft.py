"""The files as they are while a batch is being applied; nothing outside sees it until the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import MAX_TEXT_BYTES, Text


class Tree(Protocol):
    """The files that a batch is applied to: a snapshot, with its root's idea of paths."""

    def read(self, path: str) -> Text | None:
        """The text at a normalised path, None if there is no file; BadInput `is-folder` for one."""
        ...

    def normalise(self, path: str) -> str:
        """`Root.relative`: the path as we write it, or BadInput `outside-root`, `bad-path`."""
        ...

    def refuse_new(self, path: str) -> None:
        """Raise BadInput `reserved-name` where a new file may not have this path."""
        ...

    def path_of_uri(self, uri: str) -> str | None:
        """`Root.relative_of_uri`: the root-relative path, None if it is not inside the root."""
        ...


@frozen(slots=True)
class DraftChange:
    """What a batch makes of one path: its text (None: deleted), and where it was renamed from."""

    after: Text | None
    origin: str | None = None


class Draft:
    """A tree with changes over it. All paths given to it are normalised (`resolve`)."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._changes: dict[str, DraftChange] = {}
        self._folders: Counter[str] = Counter()
        """Folders of the files that the batch has left or put there, and how many are in each."""

    def resolve(self, path: str) -> str:
        """Normalise a caller's path; raises BadInput, also `unsupported` for notebooks."""
        normal = self.tree.normalise(path)
        if normal.lower().endswith(".ipynb"):
            raise BadInput("unsupported", "notebooks cannot be edited here", normal)
        return normal

    def resolve_uri(self, uri: str) -> str:
        """The path of a `file:` URI; raises BadInput as `resolve` does."""
        if uri.startswith("vscode-notebook-cell:"):
            raise BadInput("unsupported", "notebooks cannot be edited here", uri)
        path = self.tree.path_of_uri(uri)
        if path is None:
            raise BadInput("outside-root", "the URI names no file inside the root", uri)
        return self.resolve(path)

    def read(self, path: str) -> Text | None:
        """The text at a path as the edits so far have it, None if there is no file."""
        change = self._changes.get(path)
        return self.tree.read(path) if change is None else change.after

    def need(self, path: str) -> Text:
        """The text at a path; raises BadInput `no-such-file`."""
        text = self.read(path)
        if text is None:
            raise BadInput("no-such-file", "there is no such file", path)
        return text

    def create(self, path: str, text: Text) -> None:
        """Add a file; raises BadInput `exists`, `is-folder`, `not-a-folder`, `reserved-name`."""
        if self.read(path) is not None:
            raise BadInput("exists", "the file exists already", path)
        self.tree.refuse_new(path)
        self._refuse_folders(path)
        self._set(path, DraftChange(sound(text, path)))

    def replace(self, path: str, text: Text) -> None:
        """Give an existing file another text."""
        origin = self._changes[path].origin if path in self._changes else None
        self._set(path, DraftChange(sound(text, path), origin))

    def remove(self, path: str) -> None:
        """Delete a file; raises BadInput `no-such-file`."""
        self.need(path)
        self._set(path, DraftChange(None))

    def move(self, path: str, to: str) -> None:
        """Rename a file; raises BadInput `no-such-file`, and as `create` does for the new name."""
        text = self.need(path)
        change = self._changes.get(path)
        origin = path if change is None else change.origin
        if origin is None and self.tree.read(path) is not None:
            origin = path
        self.create(to, text)
        self._set(to, DraftChange(text, None if origin == to else origin))
        self._set(path, DraftChange(None))

    def changes(self) -> Mapping[str, DraftChange]:
        """What differs from the tree, by path, sorted."""
        kept = {
            path: change
            for path, change in sorted(self._changes.items())
            if change.origin is not None or change.after != self.tree.read(path)
        }
        return MappingProxyType(kept)

    def _set(self, path: str, change: DraftChange) -> None:
        before = self._changes.get(path)
        self._changes[path] = change
        n_more = (change.after is not None) - (before is not None and before.after is not None)
        if n_more:
            for folder in _folders_of(path):
                self._folders[folder] += n_more

    def _refuse_folders(self, path: str) -> None:
        """Refuse a file that the batch itself made a folder of, or put a file above."""
        if self._folders[path]:
            held = (name for name, one in self._changes.items() if one.after is not None)
            name = next(name for name in held if name.startswith(path + "/"))
            raise BadInput("is-folder", f"a folder, it holds {name}", path)
        for folder in _folders_of(path):
            above = self._changes.get(folder)
            if above is not None and above.after is not None:
                raise BadInput("not-a-folder", f"{folder} is a file, nothing can lie in it", path)


def _folders_of(path: str) -> Iterator[str]:
    """The folders that a path lies in, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def sound(text: Text, where: str) -> Text:
    """The text as it would be read back from disk.

    Raises BadInput `not-text` for what no file of its encoding holds (NUL, lone surrogates), and
    `too-large`.
    """
    content, bom = text.content, text.bom
    if "\0" in content:
        raise BadInput("not-text", "the text has a NUL character", where)
    if len(content) > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{len(content)} characters are over the limit", where)
    if content.isascii():
        return text
    if not bom and content.startswith("\ufeff"):
        text = Text(content[1:], text.encoding, bom=True)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(content[error.start]):04X}" if error.start < len(content) else "a character"
        raise BadInput(
            "not-text", f"{code} (half of a surrogate pair) stands alone", where
        ) from error
    return Text.decode(data, where)
