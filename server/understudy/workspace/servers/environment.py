"""The project's own environment: its Python interpreter and its TypeScript.

Third-party imports must resolve as they do for the user, but nothing of an untrusted workspace
is executed (law 7): then what is there is named, and whoever needs it answers `untrusted`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from understudy.langserver.find import find_program
from understudy.values.errors import HOW_TO_TRUST
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.verdicts import Reason

NATIVE_TYPESCRIPT = 7
"""From this major version on, TypeScript has no tsserver but is a language server itself."""

_FOLDERS = (".venv", "venv", ".conda")
_BIN = "Scripts" if os.name == "nt" else "bin"
_PYTHON = "python.exe" if os.name == "nt" else "python"


@frozen(slots=True)
class ProjectTool:
    """A program or library of the project's: where it is, why that one, and why not usable."""

    path: Path | None = None
    origin: str = "none found"
    reason: Reason | None = None


def find_python(
    root: Root, *, selected: str | None, trusted: bool, environ: Mapping[str, str]
) -> ProjectTool:
    """The interpreter: the selected one, else the project's, conda's, or VIRTUAL_ENV's.

    `selected` comes from the user (the editor, or a setting that passed the trust rule). Without
    any, the language server's own way of finding one holds (`path` None, no reason).
    """
    if selected:
        path = root.path / Path(selected).expanduser()
        if path.is_dir():
            path = path / _BIN / _PYTHON
        if not path.exists():
            text = f"the selected interpreter {selected} does not exist"
            return ProjectTool(None, "selected", Reason("not-installed", text))
        return ProjectTool(path, "selected")
    for name in _FOLDERS:
        candidate = root.path / name / _BIN / _PYTHON
        if candidate.exists():
            return _guarded(root, candidate, f"the project's {name}", trusted=trusted)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environ.get(variable)
        if prefix:
            name = (
                _PYTHON if variable == "CONDA_PREFIX" and os.name == "nt" else f"{_BIN}/{_PYTHON}"
            )
            candidate = Path(prefix) / name
            if candidate.exists():
                return _guarded(root, candidate, variable, trusted=trusted)
    return ProjectTool()


def find_typescript(root: Root, *, trusted: bool, editors: Path | None = None) -> ProjectTool:
    """The TypeScript that a server would load: Yarn's, else the nearest `node_modules`' one.

    `editors` is the editor's own, which takes the place of one that is missing or not trusted, as
    it does in the editor.
    """
    folders = (root.path, *root.path.parents)
    places = [folder / ".yarn" / "sdks" / "typescript" for folder in folders]
    places += [folder / "node_modules" / "typescript" for folder in folders]
    for candidate in places:
        if (candidate / "package.json").is_file():
            origin = f"{candidate.parent} (the project's)"
            found = _guarded(root, candidate, origin, trusted=trusted, always=True)
            if found.reason is None or editors is None:
                return found
            break
    return ProjectTool() if editors is None else ProjectTool(editors, "the editor's")


def typescript_major(package: Path) -> int:
    """The major version of an installed TypeScript; 0 if it does not say."""
    major = typescript_version(package).partition(".")[0]
    return int(major) if major.isdecimal() else 0


def typescript_version(package: Path) -> str:
    """The version of an installed TypeScript, "" if it does not say."""
    try:
        return str(json.loads((package / "package.json").read_text("utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def search_path(
    root: Root, extra: tuple[str, ...], environ: Mapping[str, str], own: Path, *, trusted: bool
) -> tuple[Path, ...]:
    """Where programs are looked for: the settings' folders, beside our own Python, then PATH.

    Folders inside an untrusted workspace are left out, also when PATH names them.
    """
    named = [root.path / Path(folder).expanduser() for folder in extra]
    listed = [Path(entry) for entry in environ.get("PATH", "").split(os.pathsep) if entry]
    folders = dict.fromkeys([*named, own, *listed])  # own: it runs already
    return tuple(
        folder
        for folder in folders
        if folder.is_absolute() and (trusted or folder == own or not is_inside(root, folder))
    )


def find_git(root: Root | None) -> Path | None:
    """The user's git, None if it is not installed: none that lies in the folder, or by the way."""
    named = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep)]
    absolute = [place for place in named if place.is_absolute()]
    return find_program(
        "git", [one for one in absolute if root is None or not is_inside(root, one)]
    )


def _guarded(
    root: Root, path: Path, origin: str, *, trusted: bool, always: bool = False
) -> ProjectTool:
    if trusted or not (always or is_inside(root, path)):
        return ProjectTool(path, origin)
    text = (
        f"{origin} would be executed to resolve imports, and this folder is not trusted: "
        f"{HOW_TO_TRUST}, or pass --trust"
    )
    return ProjectTool(path, origin, Reason("untrusted", text))


def is_inside(root: Root, path: Path) -> bool:
    """Whether a path lies in the workspace, or leads there by a link."""
    if path.absolute().is_relative_to(root.path):
        return True
    try:  # a link of the workspace's own must not lead around the rule
        return path.resolve().is_relative_to(root.path)
    except (OSError, RuntimeError):
        return True
