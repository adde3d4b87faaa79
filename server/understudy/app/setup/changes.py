"""The verb `setup`: what an agent's own configuration needs so that it knows Understudy.

A change is made of the text as it is: everything else in it stays to the byte, and comes back to
the byte when ours is removed. A file that cannot be changed so is named, with the lines to add.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from understudy.app.setup.kept import Former, digest, forget_former, former_of, keep_former
from understudy.app.setup.merging import held, lines_by_hand, merged, without
from understudy.app.setup.words import Words
from understudy.disk.atomic import flush_folder, prepare
from understudy.disk.layout import workspace_layout
from understudy.disk.named_file import refuse_link
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.own_folders import state_home
from understudy.values.paths import Root
from understudy.workspace.agents.profile import Agent, AgentFile

NAME = b"understudy"


@frozen
class ConfigurationChange:
    """A file of an agent's configuration: its bytes now and then; None is a file that is not."""

    path: Path
    before: bytes | None
    after: bytes | None
    is_removal: bool = False

    @property
    def is_needed(self) -> bool:
        """False if the file is so already."""
        return self.before != self.after


def setup_changes(
    agent: Agent, root: Root, home: Path, program: Sequence[str]
) -> list[ConfigurationChange]:
    """The files that an agent needs, as they will be; nothing is written yet.

    Raises BadInput `not-mergeable`, with the lines to add by hand in its text; Refused `symlink`
    where a link in the folder leads to the file, `read-only` where the user wants no change.
    """
    words = words_of(agent, root, program)
    return [_change(file, words, root, home, removes=False) for file in agent.files]


def removal_changes(
    agent: Agent, root: Root, home: Path, program: Sequence[str], others: Sequence[Agent] = ()
) -> list[ConfigurationChange]:
    """The same files as they will be with nothing of ours in them; raises as `setup_changes`.

    What one of the `others`, which is set up too, reads in the same file stays.
    """
    words = words_of(agent, root, program)
    staying = [one for one in others if one.name != agent.name and _has_own(one, agent, root, home)]
    shared = [file for one in staying for file in one.files]
    files = [file for file in reversed(agent.files) if file not in shared]
    return [_change(file, words, root, home, removes=True) for file in files]


def is_set_up(agent: Agent, root: Root, home: Path) -> bool:
    """Whether every file that the agent needs has us in it."""
    texts = (_bytes_of(place_of(file, root, home)) or b"" for file in agent.files)
    marks = (NAME, os.fsencode(state_home()))
    return all(any(mark in text for mark in marks) for text in texts)


def _has_own(agent: Agent, but: Agent, root: Root, home: Path) -> bool:
    """Whether the agent is set up, as far as files tell that the other one does not read."""
    own = tuple(file for file in agent.files if file not in but.files)
    return bool(own) and is_set_up(replace(agent, files=own), root, home)


def place_of(file: AgentFile, root: Root, home: Path) -> Path:
    """Where a file of the table is."""
    in_home = file.path.startswith("~/")
    return home / file.path.removeprefix("~/") if in_home else root.path / file.path


def words_of(agent: Agent, root: Root, program: Sequence[str]) -> Words:
    """What the table's words stand for in this folder."""
    place = workspace_layout(root)
    return Words(agent.name, program, place.context, place.terminals)


def write_changes(changes: Sequence[ConfigurationChange]) -> None:
    """Write what is needed, each file whole or not at all; what each was before is kept.

    A file that has changed since it was read is not overwritten. Raises BadInput `file-changed`,
    OutsideFailure `cannot-write`.
    """
    for change in changes:
        if not change.is_needed:
            continue
        path = change.path
        try:
            if _bytes_of(path) != change.before:
                raise BadInput("file-changed", "it has changed meanwhile; ask again", str(path))
            if change.is_removal:
                _take_back(change)
            else:
                _put(change)
        except OSError as error:
            text = f"cannot be written: {error.strerror}"
            raise OutsideFailure("cannot-write", text, str(path)) from error


def _put(change: ConfigurationChange) -> None:
    path, after = change.path, change.after
    assert after is not None
    former = former_of(path)
    if former is None or not former.is_as_left(change.before):
        made = [str(folder) for folder in path.parents if not folder.exists()]
        former = Former(change.before, "", tuple(made) if change.before is None else ())
    keep_former(path, Former(former.before, digest(after), former.made))
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, after)


def _take_back(change: ConfigurationChange) -> None:
    path, former = change.path, former_of(change.path)
    if change.after is not None:
        _replace(path, change.after)
        if former is not None and former.before != change.after:
            keep_former(path, Former(former.before, digest(change.after), former.made))
        else:
            forget_former(path)
        return
    path.unlink()
    for folder in former.made if former is not None else ():
        try:
            Path(folder).rmdir()
        except OSError:
            break  # there is something of another's in it
    forget_former(path)


def _replace(path: Path, data: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    prepare(path, data, mode).commit()
    flush_folder(path.parent)


def _change(
    file: AgentFile, words: Words, root: Root, home: Path, *, removes: bool
) -> ConfigurationChange:
    path = place_of(file, root, home)
    refuse_link(path, root.path.resolve())
    before = _bytes_of(path)
    try:
        text = None if before is None else before.decode("utf-8")
        after = _removed(file, words, path, text) if removes else merged(file, words, text)
    except (ValueError, RecursionError) as error:
        told = f"it cannot be merged without loss ({error}); "
        told += f"add this by hand:\n{lines_by_hand(file, words)}"
        if removes:
            told = f"nothing can be taken out of it ({error}); do it by hand"
        raise BadInput("not-mergeable", told, str(path)) from error
    change = ConfigurationChange(path, before, None if after is None else after.encode(), removes)
    if change.is_needed and before is not None and not path.stat().st_mode & 0o222:
        raise Refused("read-only", "the file is read-only, so it stays as it is", str(path))
    return change


def _removed(file: AgentFile, words: Words, path: Path, text: str | None) -> str | None:
    """The file without us: as it was to the byte, where nobody has changed it since."""
    if text is None:
        return None
    former = former_of(path)
    before = former.before.decode() if former is not None and former.before is not None else None
    left = without(file, words, text, None if before is None else held(file, before))
    if former is None or not former.is_as_left(text.encode()):
        return left
    return before if held(file, left) == held(file, before) else left


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        text = f"cannot be read: {error.strerror}"
        raise OutsideFailure("cannot-read", text, str(path)) from error
