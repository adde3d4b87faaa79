"""The one module that knows URIs, real paths and what may lie inside a root."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.names import NameRule, is_git_folder, reserved
from understudy.values.own_folders import is_own

_OWN_FOLDER = "the repository's own folder, or what a system takes for it, is not for edits"
_LONGEST = 4096
"""Bytes of a path, as Linux counts them with the root's own; no file system of ours takes more."""
_DRIVE = re.compile(r"^/?([A-Za-z]):(?=/|$)")


@frozen
class Root:
    """A workspace folder by its real, absolute path. Build one with `Root.open`."""

    path: Path

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Root:
        """Resolve a folder; raises BadInput `no-such-root`, `unreadable-root`, `own-folder`."""
        try:
            real = Path(path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise BadInput("no-such-root", f"cannot open the folder: {error}", str(path)) from error
        if is_own(real):
            raise BadInput("own-folder", "Understudy's own folders are served to nobody", str(path))
        if not real.is_dir():
            raise BadInput("no-such-root", "not a folder", str(path))
        if not os.access(real, os.R_OK | os.X_OK):
            raise BadInput("unreadable-root", "the folder cannot be read", str(path))
        return Root(real)

    def relative(self, path: str) -> str:
        """Normalise what a caller named (POSIX, root-relative) or raise BadInput.

        `outside-root`: absolute, `..`, through a symbolic link that leaves the root, or what git
        or another file system takes for `.git`.
        `own-folder`: where Understudy keeps its own state or the user's settings of it.
        `bad-path`: empty, NUL, or a component that no file system takes.
        """
        if not path or "\0" in path:
            raise BadInput("bad-path", "not a path", path or "(empty)")
        refuse_long(path)
        plain = path.replace("\\", "/") if os.sep == "\\" else path
        if plain.startswith("/") or (os.name == "nt" and _DRIVE.match(plain)):
            raise BadInput("outside-root", "paths are relative to the root", path)
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        if not parts:
            raise BadInput("bad-path", "the path names the root itself", path)
        if ".." in parts:
            raise BadInput("outside-root", "a path may not contain '..'", path)
        if any(_name_size(part) > 255 for part in parts):
            raise BadInput("bad-path", "a name is longer than 255 bytes", path[:80])
        if any(map(is_git_folder, parts)):
            raise BadInput("outside-root", _OWN_FOLDER, path)
        relative = "/".join(parts)
        self._refuse_escape(relative)
        return relative

    def refuse_new(self, relative: str, rule: NameRule) -> None:
        """Raise BadInput `reserved-name` where a new file may not have this normalised path.

        Names that are in use in the folder already are no news to anybody.
        """
        if rule == "here" and os.name != "nt":
            return
        here = self.path
        for part in relative.split("/"):
            here = here / part
            taken_for = next(filter(None, map(reserved, part.split("\\"))), None)
            if taken_for is not None and not os.path.lexists(here):
                text = f"Windows takes {part!r} for {taken_for}"
                hint = "" if os.name == "nt" else '; the setting names = "here" allows it'
                raise BadInput("reserved-name", text + hint, relative)

    def absolute(self, relative: str) -> Path:
        """The file system path of a root-relative path."""
        return self.path / relative

    def uri(self, relative: str) -> str:
        """The `file:` URI of a root-relative path."""
        return uri_of(self.path / relative)

    def relative_of_uri(self, uri: str) -> str | None:
        """Root-relative path of a `file:` URI, or None if it is not inside the root.

        Both the root's real path and the spelling a client uses (a symlinked root, another drive
        letter case) are understood.
        """
        path = path_of_uri(uri)
        if path is None:
            return None
        if not path.is_relative_to(self.path):
            path = _real_parent(path)
            if not path.is_relative_to(self.path):
                return None
        relative = PurePosixPath(path.relative_to(self.path).as_posix())
        text = str(relative)
        return None if text == "." or ".." in relative.parts else text

    def _refuse_escape(self, relative: str) -> None:
        """Raise where a link on the way leads out of the root, or the way to what is ours."""
        here = os.fspath(self.path)
        for part in relative.split("/"):
            here = os.path.join(here, part)  # noqa: PTH118 - a text: of many files this is asked
            if os.path.islink(here):  # noqa: PTH114 - the same
                try:
                    target = Path(here).resolve(strict=False)
                except (OSError, RuntimeError) as error:
                    raise BadInput(
                        "outside-root", f"cannot follow a link: {error}", relative
                    ) from error
                if not target.is_relative_to(self.path):
                    raise BadInput(
                        "outside-root", f"the link {part!r} leads out of the root", relative
                    )
                if any(map(is_git_folder, target.relative_to(self.path).parts)):
                    raise BadInput("outside-root", f"the link {part!r}: {_OWN_FOLDER}", relative)
                here = os.fspath(target)
        if is_own(here):
            raise BadInput("own-folder", "Understudy's own files are served to nobody", relative)


def refuse_long(path: str) -> None:
    """Raise BadInput `bad-path` for what is too long for a path: to look at it takes minutes."""
    if len(path) > _LONGEST:
        text = f"a path has at most {_LONGEST} bytes, this one has {len(path)} characters"
        raise BadInput("bad-path", text, path[:80])


def uri_of(path: Path) -> str:
    """The `file:` URI of an absolute path; works for names that are not valid UTF-8."""
    raw = os.fsencode(path.as_posix())
    prefix = "file://" if raw.startswith(b"/") else "file:///"
    return prefix + quote_from_bytes(raw, safe="/:" if os.name == "nt" else "/")


def path_of_uri(uri: str) -> Path | None:
    """The path of a `file:` URI, or None for other schemes."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        raw = os.fsdecode(unquote_to_bytes(parts.path))
    except ValueError:  # brackets that are no address; half of a surrogate pair
        return None
    if os.name == "nt" and (match := _DRIVE.match(raw)):
        raw = match.group(1).upper() + ":" + raw[match.end() :]
    return Path(os.path.normpath(raw))


def _name_size(name: str) -> int:
    """Length in bytes; lone surrogates other than an undecodable byte's make no name."""
    try:
        return len(os.fsencode(name))
    except UnicodeEncodeError as error:
        shown = ascii(name)[1:-1]
        raise BadInput("bad-path", "no file can have this name", shown) from error


def _real_parent(path: Path) -> Path:
    """The path with its folder resolved; the last component may be a link of the user's own."""
    try:
        return path.parent.resolve() / path.name
    except (OSError, RuntimeError):
        return path
