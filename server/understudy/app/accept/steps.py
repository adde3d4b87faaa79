"""An accept as the steps that an editor takes, and what they do to files at once."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.edits.parts import EditPart, parts_of
from understudy.shadow.base import Base
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import Text
from understudy.workspace.branches.parts import Taken, TakenFile
from understudy.workspace.branches.rebase import same


@frozen
class ChangeStep:
    """Hunks of one document; `version` is the editor's own, None where it is not open."""

    path: str
    version: int | None
    before: Text
    parts: tuple[EditPart, ...]


@frozen
class CreateStep:
    """A file that is not there yet, and its text."""

    path: str
    text: Text


@frozen
class DeleteStep:
    """A file that goes."""

    path: str


@frozen
class RenameStep:
    """A file that gets another name, after its text was changed under the old one."""

    path: str
    to: str


Step = ChangeStep | CreateStep | DeleteStep | RenameStep


@frozen
class FileOperations:
    """What an editor writes to disk at once, and the user therefore confirms; paths sorted."""

    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that there are, in the words of LSP's `resourceOperations`."""
        named = {"create": self.created, "delete": self.deleted, "rename": self.renamed}
        return frozenset(kind for kind, paths in named.items() if paths)

    @property
    def written_over(self) -> frozenset[str]:
        """Every path that is made, moved or removed."""
        moved = (path for pair in self.renamed for path in pair)
        return frozenset((*self.created, *self.deleted, *moved))


@frozen
class AcceptPlan:
    """The steps of an accept, and the text that each path has afterwards (None: no file)."""

    taken: Taken
    steps: tuple[Step, ...]
    operations: FileOperations
    expected: Mapping[str, Text | None]


def plan_of(taken: Taken, base: Base) -> AcceptPlan:
    """The steps that give the user what was taken; none for what the user has already.

    Raises BadInput `not-text` where a document would have to hold bytes that are no text.
    """
    steps: list[Step] = []
    expected: dict[str, Text | None] = {}
    created: list[str] = []
    deleted: list[str] = []
    renamed: list[tuple[str, str]] = []
    for path, file in taken.files.items():
        user = None if file.user is None else file.user.unpack()
        after = None if file.taken is None else file.taken.unpack()
        if file.source is not None and taken.gone[file.source] is not None:
            assert after is not None
            expected |= {path: after, file.source: None}
            if user is None:
                steps += _changes(file.source, base, _text(taken, file.source), after, file)
                steps.append(RenameStep(file.source, path))
                renamed.append((file.source, path))
            else:  # editors do not rename onto a file
                steps += [*_changes(path, base, user, after, file), DeleteStep(file.source)]
                deleted.append(file.source)
        elif same(file.user, file.taken):
            continue
        elif after is None:
            steps.append(DeleteStep(path))
            expected[path] = None
            deleted.append(path)
        elif user is None:
            _refuse_odd_bytes(path, after.content)
            steps.append(CreateStep(path, after))
            expected[path] = after
            created.append(path)
        else:
            steps += _changes(path, base, user, after, file)
            expected[path] = after
    operations = FileOperations(tuple(created), tuple(sorted(deleted)), tuple(renamed))
    return AcceptPlan(taken, tuple(sorted(steps, key=_turn)), operations, expected)


def _turn(step: Step) -> int:
    """Texts first, while versions are those of now; then what makes room, then what needs it."""
    return (ChangeStep, DeleteStep, RenameStep, CreateStep).index(type(step))


def _changes(path: str, base: Base, user: Text, after: Text, file: TakenFile) -> list[Step]:
    parts = file.parts if file.source is None else parts_of(user, after)
    if not parts:
        return []
    buffer = base.buffers.get(path)
    if buffer is None:
        _refuse_odd_bytes(path, user.content)
    _refuse_odd_bytes(path, *(line for part in parts for line in part.added))
    return [ChangeStep(path, None if buffer is None else buffer.version, user, parts)]


def _text(taken: Taken, source: str) -> Text:
    packed = taken.gone[source]
    assert packed is not None
    return packed.unpack()


def _refuse_odd_bytes(path: str, *texts: str) -> None:
    """Bytes that are no text are lost in an editor: accept such files on the command line."""
    if any("\ud800" <= char <= "\udfff" for text in texts if not text.isascii() for char in text):
        text = "it has bytes that no editor can hold; accept it on the command line"
        raise BadInput("not-text", text, path)
