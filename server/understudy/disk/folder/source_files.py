"""The files of a folder that a repository map is about: what git would not ignore, by a fast walk.

Nothing here writes or runs git. `.gitignore` files count, also those above the folder up to the
repository's own root, and `.git/info/exclude`; settings of the user's git do not. As for git, there
is no repository in or above the folders of GIT_CEILING_DIRECTORIES, but the root itself may be one.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.disk.folder.above import folders_above
from understudy.disk.folder.scan import PRUNED
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.own_folders import is_own, leads_to_own
from understudy.values.paths import Root

if TYPE_CHECKING:
    from pathspec.util import CheckResult

_MAX_IGNORE_BYTES = 1024 * 1024
_GROUP_NAME = re.compile(r"\(\?P<\w+>")


@dataclass
class SourceFiles:
    """The walk's result: fingerprints by path in order, and what could not be looked at.

    `links` are symbolic links to folders; they are not followed, so that no loop can trap us.
    """

    files: dict[str, Fingerprint] = field(default_factory=dict[str, Fingerprint])
    unreadable: list[str] = field(default_factory=list[str])
    links: list[str] = field(default_factory=list[str])


@frozen
class _Rules:
    """The patterns of one ignore file, for paths below `prefix`, with `lead` put before them."""

    prefix: str
    lead: str
    any_of: re.Pattern[str]
    check: Callable[[str], CheckResult[str]]

    def verdict(self, path: str) -> bool | None:
        """Whether the path is ignored; None: no pattern says anything."""
        below = self.lead + path[len(self.prefix) :]
        # One look at all patterns together: most paths match none of them.
        return self.check(below).include if self.any_of.match(below) else None


def source_files(root: Root, takes: Callable[[str], bool]) -> SourceFiles:
    """List the regular files whose names `takes` accepts, sorted by path.

    Raises BadInput `unreadable-root` when the root itself cannot be listed.
    """
    found = SourceFiles()
    above = _rules_above(root)
    waiting: list[tuple[str, str, tuple[_Rules, ...]]] = [(str(root.path), "", above)]
    while waiting:
        folder, prefix, rules = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:
            found.unreadable.append(prefix or ".")
            continue
        names = {entry.name for entry in listed}
        if "pyvenv.cfg" in names and prefix:
            continue  # an environment of installed packages, under whatever name
        own = _rules_of(Path(folder, ".gitignore"), prefix) if ".gitignore" in names else None
        inner = rules if own is None else (*rules, own)
        for entry in listed:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                is_left_out = entry.name in PRUNED or is_own(entry.path)
                if not is_left_out and not _ignored(f"{path}/", inner):
                    waiting.append((entry.path, f"{path}/", inner))
            elif entry.is_symlink() or takes(entry.name):
                _list(entry, path, takes, inner, found)
    if "." in found.unreadable:
        raise BadInput("unreadable-root", "the folder cannot be listed", str(root.path))
    found.files = dict(sorted(found.files.items()))
    found.unreadable.sort()
    found.links.sort()
    return found


def _list(
    entry: os.DirEntry[str],
    path: str,
    takes: Callable[[str], bool],
    rules: Sequence[_Rules],
    found: SourceFiles,
) -> None:
    try:
        state = entry.stat()
    except OSError:
        return  # gone since the listing, or a link to nothing or to itself
    if stat.S_ISDIR(state.st_mode):
        found.links.append(path)
    elif stat.S_ISREG(state.st_mode) and takes(entry.name) and not _ignored(path, rules):
        if entry.is_symlink() and (_inside(entry.path, path) or leads_to_own(entry.path)):
            return  # it stands under its own name, or is nobody's to see
        changed = 0 if os.name == "nt" else state.st_ctime_ns
        found.files[path] = Fingerprint(state.st_mtime_ns, state.st_size, state.st_ino, changed)


def _inside(absolute: str, path: str) -> bool:
    """Whether a link leads to another place in the same folder tree."""
    root = Path(absolute[: -len(path)]).resolve()
    try:
        return Path(absolute).resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _ignored(path: str, rules: Sequence[_Rules]) -> bool:
    """The nearest ignore file that says anything decides."""
    for one in reversed(rules):
        verdict = one.verdict(path)
        if verdict is not None:
            return verdict
    return False


def _rules_above(root: Root) -> tuple[_Rules, ...]:
    """What ignore files above the root say of it, the repository's first."""
    folders = [root.path, *folders_above(root.path)]
    top = next((place for place, folder in enumerate(folders) if _is_repository(folder)), None)
    if top is None:
        return ()
    found: list[_Rules | None] = []
    for folder in reversed(folders[: top + 1]):
        # These files want paths relative to their own folder; ours are relative to the root.
        lead = "".join(f"{part}/" for part in root.path.relative_to(folder).parts)
        if folder == folders[top]:
            found.append(_rules_of(folder / ".git" / "info" / "exclude", "", lead))
        if folder != root.path:
            found.append(_rules_of(folder / ".gitignore", "", lead))
    return tuple(rules for rules in found if rules is not None)


def _is_repository(folder: Path) -> bool:
    try:
        return (folder / ".git").exists()
    except OSError:
        return False


def _rules_of(file: Path, prefix: str, lead: str = "") -> _Rules | None:
    """The rules of an ignore file; None if it has none or cannot be read."""
    try:
        if not file.is_file() or file.stat().st_size > _MAX_IGNORE_BYTES:
            return None
        lines = file.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - takes 50 ms

    sources: list[str] = []
    understood: list[str] = []
    for line in lines:
        try:
            for pattern in GitIgnoreSpec.from_lines([line]).patterns:
                regex: re.Pattern[str] | None = getattr(pattern, "regex", None)
                if regex is not None:
                    sources.append(_GROUP_NAME.sub("(?:", regex.pattern))
                    understood.append(line)
        except (ValueError, re.error):
            continue  # git, too, takes such a line for one that matches nothing
    if not sources:
        return None
    any_of = re.compile("|".join(f"(?:{source})" for source in sources))
    return _Rules(prefix, lead, any_of, GitIgnoreSpec.from_lines(understood).check_file)
