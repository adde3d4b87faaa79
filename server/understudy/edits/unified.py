"""Unified diffs, plain or git's, also inside a mail, a Markdown fence or other prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from understudy.edits.hunks import read_hunks, starts_file
from understudy.edits.names import git_header_names, header_name, spellings, unquoted
from understudy.edits.patch import FilePatch, Hunk
from understudy.values.errors import BadInput

_BINARY = re.compile(r"^Binary files? .+ (?:differ|has changed)$")
_LINK_MODES = {"120000": "a symbolic link", "160000": "a submodule"}
_EXTENDED = (
    "old mode",
    "new mode",
    "new file mode",
    "deleted file mode",
    "rename from",
    "rename to",
    "copy from",
    "copy to",
    "similarity index",
    "dissimilarity index",
    "index",
)


def parse_unified(text: str) -> tuple[FilePatch, ...]:
    """Read all files' patches of a diff, in order; text around them is passed over.

    Raises BadInput: `not-a-diff`, `malformed-diff` (a part of it cannot be read), `binary-patch`,
    `unsupported` (links, submodules, merges).
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    patches: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("diff --git "):
            patch, at = _git_file(lines, at)
            patches.append(patch)
        elif starts_file(lines, at):
            patch, at = _plain_file(lines, at)
            patches.append(patch)
        else:
            _refuse_lost(lines[at], at + 1)
            at += 1
    if not patches:
        text = "no file header ('diff --git', or '---' and '+++'), nor '*** Begin Patch'"
        raise BadInput("not-a-diff", text)
    return tuple(patches)


def _refuse_lost(line: str, number: int) -> None:
    """Refuse a change that belongs to no file: it would be silently left out."""
    if line.startswith(("@@ ", "@@@ ")) or line.rstrip() == "@@":
        raise BadInput("malformed-diff", "a hunk without a file header", f"diff line {number}")
    _refuse_binary(line, f"diff line {number}")
    if line.startswith(("diff --cc ", "diff --combined ")):
        text = "the diff of a merge; give a diff of two texts"
        raise BadInput("unsupported", text, f"diff line {number}")


def _refuse_binary(line: str, where: str) -> None:
    line = line.rstrip("\r")
    if line == "GIT binary patch" or _BINARY.match(line):
        raise BadInput("binary-patch", "binary files cannot be patched as text", where)


def _plain_file(lines: Sequence[str], at: int) -> tuple[FilePatch, int]:
    old, new = _header_pair(lines, at)
    paths = spellings(old, new)
    if not paths:
        raise BadInput("malformed-diff", "both sides are /dev/null", f"diff line {at + 1}")
    hunks, end = read_hunks(lines, at + 2, paths[0])
    if not hunks:
        raise BadInput("malformed-diff", "a file header without a hunk ('@@')", paths[0])
    kind = "create" if not old else "modify" if new else "delete"
    return FilePatch(kind, paths, hunks), end


@dataclass
class _Header:
    """What stands between a `diff --git` line and the first hunk."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    extended: dict[str, str]
    no_old: bool = False
    no_new: bool = False


def _git_file(lines: Sequence[str], at: int) -> tuple[FilePatch, int]:
    first = at + 1
    header, at = _git_header(lines, at)
    paths = _moved_names(header.extended) or spellings(header.old, header.new)
    if not paths:
        raise BadInput(
            "malformed-diff", "the file names cannot be told apart", f"diff line {first}"
        )
    _refuse_links(header.extended, paths[0])
    if at < len(lines):
        _refuse_binary(lines[at], paths[0])
    hunks, end = read_hunks(lines, at, paths[0])
    return _git_patch(header, paths, hunks), end


def _git_patch(header: _Header, paths: tuple[str, ...], hunks: tuple[Hunk, ...]) -> FilePatch:
    extended = header.extended
    if len(moved := _moved_names(extended)) == 2:
        kind = "rename" if "rename to" in extended else "copy"
        return FilePatch(kind, moved[:1], hunks, moved[1])
    if "new file mode" in extended or header.no_old:
        return FilePatch("create", paths, hunks)
    if "deleted file mode" in extended or header.no_new:
        return FilePatch("delete", paths, hunks)
    if not hunks and "new mode" not in extended:
        raise BadInput("malformed-diff", "a file header without a change", paths[0])
    return FilePatch("modify", paths, hunks)


def _moved_names(extended: dict[str, str]) -> tuple[str, ...]:
    """Old and new name of a rename or copy; git writes them without prefixes."""
    for verb in ("rename", "copy"):
        if f"{verb} from" in extended and f"{verb} to" in extended:
            return unquoted(extended[f"{verb} from"]), unquoted(extended[f"{verb} to"])
    return ()


def _git_header(lines: Sequence[str], at: int) -> tuple[_Header, int]:
    old, new = git_header_names(lines[at].removeprefix("diff --git ").rstrip("\r"))
    header = _Header(old, new, {})
    at += 1
    while at < len(lines):
        line = lines[at].rstrip("\r")
        name = next((name for name in _EXTENDED if line.startswith(name + " ")), None)
        if name is None:
            break
        header.extended[name] = line[len(name) + 1 :]
        at += 1
    if at < len(lines) and starts_file(lines, at) and lines[at].startswith("--- "):
        old, new = _header_pair(lines, at)
        header.no_old, header.no_new = not old, not new
        # Names of these lines end where the line does, so they are surer; a side without a file
        # is named by the first line only.
        header.old, header.new = old or header.old, new or header.new
        at += 2
    return header, at


def _header_pair(lines: Sequence[str], at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    old, new = lines[at].rstrip("\r")[4:], lines[at + 1].rstrip("\r")[4:]
    return header_name(old), header_name(new)


def _refuse_links(extended: dict[str, str], path: str) -> None:
    modes = [extended.get(name, "") for name in _EXTENDED if name.endswith("mode")]
    modes.append(extended.get("index", "").rpartition(" ")[2])
    for mode in modes:
        if mode in _LINK_MODES:
            raise BadInput("unsupported", f"the diff makes or changes {_LINK_MODES[mode]}", path)
