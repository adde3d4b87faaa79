"""An accept that a kill has left half done: finished by its plan, or taken back.

What a file holds now tells how far the accept came: the text of before, the one of after, or
another, which the user has written since and which is never overwritten.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from understudy.disk.folder.scan import FolderReader
from understudy.disk.folder.write import (
    FileChange,
    remove_emptied,
    remove_temporary,
    write_changes,
)
from understudy.disk.journal.accepts import AcceptedFile, BegunAccept
from understudy.shadow.folder import Fingerprint
from understudy.shadow.merge import merge_texts
from understudy.values.errors import BadInput, Conflict, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text


@frozen
class Recovered:
    """What became of it: `finished`, or the folder is as it was but for what is named in `why`.

    `kept` are paths that hold what the user has written since, where that did not merge.
    """

    finished: bool
    why: str = ""
    kept: tuple[str, ...] = ()


@frozen
class _Found:
    """What a path holds now, and the fingerprint that it was read with."""

    file: AcceptedFile
    mark: Fingerprint | None
    data: bytes | None
    odd: bool = False
    """Something that is no readable file is there."""

    def holds(self, text: PackedText | None) -> bool:
        """Whether it is this text (None: nothing is there)."""
        if self.odd or self.data is None or text is None:
            return not self.odd and self.data is None and text is None
        return sha256(self.data).hexdigest() == text.digest


def recover_accept(root: Root, accept: BegunAccept) -> Recovered:
    """Finish an accept if its files were prepared, with what the user has written since merged in.

    Where that does not merge, or the disk fails, it is taken back instead: every file that has the
    new text gets its old one. Raises OutsideFailure `accept-failed` where neither can be done; then
    it can be tried again.
    """
    for file in accept.files:
        try:
            root.relative(file.step.target)
            remove_temporary(root, file.step)
        except (BadInput, NotADirectoryError):
            continue  # its folder is gone, or leads out of the root by now
        except OSError as error:
            text = error.strerror or "it cannot be written to"
            raise OutsideFailure("accept-failed", text, file.step.path) from error
    if not accept.prepared:
        _remove_folders(root, accept)
        return Recovered(finished=False, why="nothing was written yet")
    try:
        _write(root, accept, _forward([_look(root, file) for file in accept.files]))
    except UnderstudyError as error:
        found = [_look(root, file) for file in accept.files]
        _take_back(root, accept, found)
        stays = [one for one in found if not one.holds(one.file.before)]
        kept = tuple(one.file.step.path for one in stays if not one.holds(one.file.after))
        return Recovered(finished=False, why=str(error), kept=kept)
    gone = [file.step.path for file in accept.files if file.after is None]
    remove_emptied(root, gone)  # the kill may have come right before that
    return Recovered(finished=True)


def _look(root: Root, file: AcceptedFile) -> _Found:
    path, reader = file.step.path, FolderReader(root)
    if file.step.link is not None:
        return _look_at_link(root, file)
    try:
        root.relative(path)
        mark = reader.fingerprint(path)
        data = reader.read(path)
    except BadInput:
        return _Found(file, None, None, odd=True)
    odd = data is None and os.path.lexists(root.absolute(path))
    return _Found(file, mark, data, odd)


def _look_at_link(root: Root, file: AcceptedFile) -> _Found:
    """A link that is deleted holds its old text as long as it leads where it did."""
    link = root.absolute(file.step.path)
    try:
        root.relative(file.step.path)
    except BadInput:  # its folder leads elsewhere by now
        return _Found(file, None, None, odd=True)
    if not os.path.lexists(link):
        return _Found(file, None, None)
    if file.before is None or not link.is_symlink() or os.fspath(link.readlink()) != file.step.link:
        return _Found(file, None, None, odd=True)
    mark = FolderReader(root).fingerprint(file.step.path)
    return _Found(file, mark, file.before.unpack().encode())


def _forward(found: list[_Found]) -> list[FileChange]:
    """What is left to do; raises Conflict where it does not go with what the user has written."""
    changes: list[FileChange] = []
    for one in found:
        step, after = one.file.step, one.file.after
        if one.holds(after):
            continue
        text = None if after is None else after.unpack()
        if not one.holds(one.file.before):
            text = _merged(one)
        data = None if text is None else text.encode()
        if data != one.data:
            changes.append(FileChange(step.path, data, one.mark, attributes=step.attributes))
    return changes


def _merged(one: _Found) -> Text | None:
    """The user's present text with the accept's changes merged in; raises Conflict."""
    path = one.file.step.path
    collides = Conflict("conflict", "the user has changed it since, in the same lines", path)
    if one.odd:
        raise collides
    before, after = one.file.before, one.file.after
    try:
        now = None if one.data is None else Text.decode(one.data, path)
    except BadInput:
        raise collides from None
    merged = merge_texts(before and before.unpack(), after and after.unpack(), now)
    if merged.conflicts:
        raise collides
    return merged.text


def _take_back(root: Root, accept: BegunAccept, found: list[_Found]) -> None:
    """Give every file that has the new text its old one."""
    changes: list[FileChange] = []
    for one in found:
        step, before = one.file.step, one.file.before
        if not one.holds(one.file.after):
            continue
        if step.link is not None:
            _relink(root.absolute(step.path), step.link, step.path)
            continue
        data = None if before is None else before.unpack().encode()
        changes.append(FileChange(step.path, data, one.mark, attributes=step.attributes))
    _write(root, accept, changes)
    _remove_folders(root, accept)


def _relink(link: Path, destination: str, path: str) -> None:
    """Make a deleted link again, in a folder that may have gone with it."""
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(destination)
    except OSError as error:
        text = f"the link cannot be made again: {error.strerror}"
        raise OutsideFailure("accept-failed", text, path) from error


def _write(root: Root, accept: BegunAccept, changes: list[FileChange]) -> None:
    """Write under the names of the plan: a second kill leaves nothing that it does not name."""
    names = {file.step.path: file.step.temporary for file in accept.files}
    write_changes(root, changes, temporaries=names)


def _remove_folders(root: Root, accept: BegunAccept) -> None:
    for name in reversed(accept.folders):
        with suppress(OSError):  # the user has put something there
            root.absolute(name).rmdir()
