"""A git folder copied for a stage: all but its objects, which it borrows.

Refs are read before objects are held, so that no ref of the copy can want what is not held.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

from understudy.stage.git.found import git_folders, is_git_folder, stores, with_inner
from understudy.values.frozen import frozen

_SHARED = frozenset(("lfs", "annex"))
"""Content that is named by what it is: shown as it is, with writes apart."""
_LEFT_OUT = frozenset(("gc.pid", "fsmonitor--daemon.ipc", "index.lock"))
_OWN = "\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[core]\n\tfsmonitor = false\n"
"""Our last word in the copy's configuration: nothing of git's runs on in the background."""
_BORROWED_AT = "/run/understudy.git"
LOOSE_AT = f"{_BORROWED_AT}/loose"
_HEX = frozenset("0123456789abcdef")
_OID = re.compile(r"^\^?([0-9a-f]{40}|[0-9a-f]{64})\b", re.MULTILINE)


@frozen(slots=True)
class GitCopy:
    """One git folder: where it is, the copy that is shown there, and what is shown in that."""

    at: Path
    copy: Path
    shared: tuple[Path, ...]

    @property
    def began(self) -> tuple[str, ...]:
        """The commits that its refs named when it was copied."""
        return tuple(self.copy.with_suffix(".began").read_text("ascii").split())


@frozen(slots=True)
class GitView:
    """What a stage mounts: the copies, and each store of objects with the place it gets.

    `loose` is our own folder for objects that are in no pack.
    """

    copies: tuple[GitCopy, ...] = ()
    borrowed: tuple[tuple[Path, str], ...] = ()
    loose: Path | None = None


def git_view(root: Path, holder: Path) -> GitView:
    """Copy the git folders of `root` into `holder`, a private folder; those in it already stay."""
    copies: list[GitCopy] = []
    borrowed: dict[Path, str] = {}
    for number, git in enumerate(git_folders(root)):
        copy = holder / str(number)
        is_new = not copy.exists()
        if is_new:
            _copy_folder(git, copy)
            copy.with_suffix(".began").write_text("\n".join(sorted(_tips(copy))))
        for store in stores(git):
            borrowed.setdefault(store, f"{_BORROWED_AT}/{len(borrowed)}")
        if is_new:
            _lend(git, copy, borrowed)
        shared = tuple(git / name for name in sorted(_SHARED) if (git / name).is_dir())
        copies.append(GitCopy(git, copy, shared))
    loose = holder / "loose"
    if copies:
        loose.mkdir(mode=0o700, exist_ok=True)
    return GitView(tuple(copies), tuple(borrowed.items()), loose if copies else None)


def noted_git(root: Path, holder: Path) -> tuple[GitCopy, ...]:
    """The git folder that came with a copy of a whole folder; none where it lay elsewhere."""
    git = root / ".git"
    if git.is_symlink() or not (git.is_dir() and is_git_folder(git)):
        return ()
    for name in _LEFT_OUT:
        (git / name).unlink(missing_ok=True)
    _have_own_config(git, git)
    holder.with_suffix(".began").write_text("\n".join(sorted(_tips(git))))
    return (GitCopy(git, holder, ()),)


def hold_loose(view: GitView, stop: Event) -> None:
    """Take the objects that are in no pack, which git may prune, into the view's own folder.

    It is for a thread, while the stage is open: until then the stores themselves are looked up,
    too. No stage can write where it writes.
    """
    for store, _ in view.borrowed:
        for path in _loose(store):
            if stop.is_set() or view.loose is None:
                return
            target = view.loose / os.path.relpath(path, store)
            with suppress(OSError):
                if not target.exists():
                    target.parent.mkdir(exist_ok=True)
                    shutil.copyfile(path, target.with_suffix(".new"))
                    target.with_suffix(".new").rename(target)


def _copy_folder(source: Path, target: Path) -> None:
    """Everything but objects, locks and what is no file; what vanishes meanwhile is not there."""
    target.mkdir(mode=0o700, parents=True)
    is_git = is_git_folder(source)
    with suppress(OSError), os.scandir(source) as entries:
        for entry in sorted(entries, key=_refs_last):
            if (is_git and entry.name in _SHARED | {"objects"}) or entry.name in _LEFT_OUT:
                continue
            with suppress(OSError):
                _copy_entry(entry, target / entry.name)
    if is_git:
        (target / "objects/info").mkdir(parents=True)
        (target / "objects/pack").mkdir()
        for name in _SHARED:
            if (source / name).is_dir():
                (target / name).mkdir()
        _have_own_config(source, target)


def _have_own_config(source: Path, copy: Path) -> None:
    """Say our last word in the copy's configuration: what a link leads to is copied, not written.

    It has to be another git folder's: no other file is brought into a stage by that.
    """
    config = copy / "config"
    if config.is_symlink():
        real = Path(os.path.realpath(source / "config"))
        config.unlink()
        with suppress(OSError):
            if is_git_folder(real.parent):
                shutil.copyfile(real, config)
    with config.open("a") as file:
        file.write(_OWN)


def _copy_entry(entry: os.DirEntry[str], target: Path) -> None:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        target.symlink_to(os.readlink(entry.path))
    elif stat.S_ISDIR(status.st_mode):
        _copy_folder(Path(entry.path), target)
    elif stat.S_ISREG(status.st_mode) and not entry.name.endswith(".lock"):
        shutil.copy2(entry.path, target)


def _tips(git: Path) -> Iterator[str]:
    """The commits that the copy's refs name; links to others are followed by these themselves."""
    texts = [git / "HEAD", git / "packed-refs", *git.glob("worktrees/*/HEAD")]
    texts += (path for path in (git / "refs").rglob("*") if path.is_file())
    for path in texts:
        with suppress(OSError):
            yield from _OID.findall(path.read_text("ascii", "replace"))


def _refs_last(entry: os.DirEntry[str]) -> tuple[bool, str]:
    """Loose refs before the packed ones, as git reads them: one that is packed meanwhile is there.

    HEAD and the rest of what names commits comes before both.
    """
    return entry.name == "packed-refs", entry.name


def _lend(git: Path, copy: Path, borrowed: dict[Path, str]) -> None:
    """Name the borrowed stores in the copy: packs, all as it is now, and what no pack holds."""
    places = [place + end for end in ("", ".live") for place in borrowed.values()]
    lines = "".join(f"{place}\n" for place in (*places, LOOSE_AT))
    for folder in with_inner(copy):
        above = "" if folder == copy else f"{git / 'objects'}\n"
        (folder / "objects/info/alternates").write_text(lines + above)


def _loose(store: Path) -> Iterator[str]:
    with suppress(OSError), os.scandir(store) as folders:
        for folder in folders:
            if len(folder.name) == 2 and _HEX.issuperset(folder.name):
                with suppress(OSError), os.scandir(folder.path) as entries:
                    yield from (one.path for one in entries if _HEX.issuperset(one.name))
