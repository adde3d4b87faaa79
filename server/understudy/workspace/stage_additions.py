"""What the user has named to be shown on stages besides the list: places, and variables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.values.errors import BadInput
from understudy.values.own_folders import is_own, state_home

if TYPE_CHECKING:  # most commands need no stage, and loading what makes one takes time
    from understudy.stage.model import Additions
    from understudy.workspace.settings import Settings

_OF_THE_KERNEL = ("/proc", "/sys", "/dev")


def added_by(
    settings: Settings, places: Sequence[str], environ: Mapping[str, str] | None
) -> Additions:
    """What a run's caller names; what the settings do is added where stages are opened.

    A place that ends with `:ro` is shown read-only; `:rw`, or nothing: it is written privately.
    Raises BadInput for a place that is not there, also for an entry of the settings that looks
    like a slip.
    """
    from understudy.stage.model import Additions  # noqa: PLC0415 - see above

    own = os.environ if environ is None else environ
    for mistake in mistaken(settings.stage_home, settings.stage_env, own):
        raise mistake
    private, read_only = _by_way(places)
    return Additions(named_places(private, own, "--home"), named_places(read_only, own, "--home"))


def withheld_from(
    settings: Settings, env: Mapping[str, str], environ: Mapping[str, str] | None
) -> tuple[str, ...]:
    """The caller's variables that a command on a stage does not get."""
    from understudy.stage.shown.variables import withheld  # noqa: PLC0415 - see above

    own = os.environ if environ is None else environ
    added = additions(settings.stage_home, settings.stage_env, own)
    return withheld(own, {**added.values, **env}, added.names)


def additions(
    places: Sequence[str], variables: Sequence[str], environ: Mapping[str, str]
) -> Additions:
    """What settings name, as far as it is here; `mistaken` has what looks like a slip."""
    from understudy.stage.model import Additions  # noqa: PLC0415 - see above

    home = home_folder(environ)
    found = tuple(path for place in places if _is_there(path := _absolute(place, home)))
    names = tuple(variable for variable in variables if "=" not in variable)
    pairs = (variable.partition("=") for variable in variables if "=" in variable)
    return Additions(found, (), names, {name: value for name, _, value in pairs})


def mistaken(
    places: Sequence[str], variables: Sequence[str], environ: Mapping[str, str]
) -> Iterator[BadInput]:
    """An error for each entry of the settings that is not here while something alike is.

    What has nothing alike may be for another machine.
    """
    home = home_folder(environ)
    for place in places:
        error = _why_not_shown(place, home, "stage_home")
        if error is not None and ("did you mean" in error.text or error.code == "unreadable-place"):
            yield error
    for name in (variable for variable in variables if "=" not in variable):
        error = _why_not_passed(name, environ, "stage_env")
        if error is not None and "did you mean" in error.text:
            yield error


def _by_way(places: Sequence[str]) -> tuple[list[str], list[str]]:
    """The places that are written privately, and those that are read-only."""
    private = [place.removesuffix(":rw") for place in places if not place.endswith(":ro")]
    return private, [place.removesuffix(":ro") for place in places if place.endswith(":ro")]


def named_places(places: Sequence[str], environ: Mapping[str, str], where: str) -> tuple[Path, ...]:
    """What a command line names; raises BadInput `no-such-place`, `unreadable-place`."""
    home = home_folder(environ)
    for place in places:
        error = _why_not_shown(place, home, where)
        if error is not None:
            raise error
    return tuple(_absolute(place, home) for place in places)


def program_places(program: str, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a program really lies that the user has named: its packages, or the file alone.

    Installers put a link on PATH that leads elsewhere in the home.
    """
    found = shutil.which(program, path=environ.get("PATH"))
    if found is None:
        return ()
    real = Path(os.path.realpath(found))
    packages = [above for above in real.parents if above.name == "node_modules"]
    return (packages[-1] if packages else real,)


def named_variable(text: str, environ: Mapping[str, str], where: str) -> tuple[str, str]:
    """`NAME=VALUE`, or `NAME` with the value that it has here; raises BadInput `bad-variable`."""
    name, equals, value = text.partition("=")
    if not name or "\0" in text:
        raise BadInput("bad-variable", "write NAME=VALUE, or NAME to pass a variable on", text)
    if equals:
        return name, value
    error = _why_not_passed(name, environ, where)
    if error is not None:
        raise error
    return name, environ[name]


def home_folder(environ: Mapping[str, str]) -> Path:
    """The home of who has this environment."""
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())


def _absolute(place: str, home: Path) -> Path:
    if place == "~" or place.startswith("~/"):
        return Path(os.path.normpath(home / place[2:]))
    return Path(os.path.normpath(home / place))


def _why_not_shown(place: str, home: Path, where: str) -> BadInput | None:
    path = _absolute(place, home)
    if not place.strip() or "\0" in place or path == Path("/"):
        text = f"{where} names a place in the home, or an absolute one, not {place!r}"
        return BadInput("no-such-place", text)
    if any(path.is_relative_to(folder) for folder in _OF_THE_KERNEL):
        return BadInput("no-such-place", f"{where}: a stage has one of its own", str(path))
    try:
        path.stat()
        if os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
            return _why_not_own(path, where)
        return BadInput("unreadable-place", f"{where}: it is not yours to read", str(path))
    except PermissionError as error:
        return BadInput("unreadable-place", f"{where}: {error.strerror}", str(path))
    except OSError:
        near = _nearest_place(path, home)
        hint = f"; did you mean {near}?" if near else ""
        return BadInput(
            "no-such-place", f"{where}: there is no such file or folder{hint}", str(path)
        )


def _why_not_own(path: Path, where: str) -> BadInput | None:
    real = os.path.realpath(path)
    if real != str(state_home()) and not is_own(real):
        return None
    text = f"{where}: it is Understudy's own, which no stage shows"
    return BadInput("unreadable-place", text, str(path))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # another user's
        return False


def _nearest(name: str, names: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - mistakes are rare

    return next(iter(get_close_matches(name, sorted(names), n=1)), None)


def _nearest_place(path: Path, home: Path) -> str | None:
    """The path with its first wrong part put right, if anything there looks like it."""
    known = next(parent for parent in path.parents if _is_there(parent))
    wrong, *rest = path.relative_to(known).parts
    try:
        near = _nearest(wrong, (entry.name for entry in known.iterdir()))
    except OSError:
        return None
    if near is None:
        return None
    found = known.joinpath(near, *rest)
    if not os.path.lexists(found):
        found = known / near
    return f"~/{found.relative_to(home)}" if found.is_relative_to(home) else str(found)


def _why_not_passed(name: str, environ: Mapping[str, str], where: str) -> BadInput | None:
    if name in environ:
        return None
    near = _nearest(name, environ)
    hint = f"; did you mean {near}?" if near else ""
    return BadInput("bad-variable", f"{where}: no variable of this name is set here{hint}", name)
