"""What the folder's host does where one runs: it knows the unsaved text, its servers are warm.

A check that finds none leaves one behind, for itself and those that come after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.faces.cli import boundary as common
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import complain
from understudy.faces.inside.place import way_out
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root

if TYPE_CHECKING:
    from understudy.disk.layout import Layout
    from understudy.workspace.options import CheckOptions, FixWish
    from understudy.workspace.progress import Audience, Progress

_CANNOT_ATTACH = frozenset({"host-version", "foreign-user", "bad-hello"})


def check_attached(
    folder: Path,
    edits: Sequence[dict[str, Any]] | None,
    branch: str | None,
    revision: str | None,
    options: CheckOptions,
    wish: FixWish | None,
    form: str,
    *,
    explain: bool = False,
    traces: bool = False,
    trusts: bool,
) -> dict[str, Any] | None:
    """The host's answer: verdict, text, and what was compared with; None where none answers.

    Without edits and a branch it is the working tree against the revision; `trusts` is for this
    call alone, and so for a host of its own. Raises what the host raises.
    """
    params = {
        "edits": None if edits is None else list(edits),
        "branch": branch,
        "revision": revision,
        "scope": options.scope,
        "severity": options.severity,
        "servers": list(options.servers),
        "timeout": options.timeout_s,
        "strict": options.strict,
        "format": form,
        "explain": explain,
        "trace": traces,
        **_wished(wish),
    }
    with terminal_progress() as progress:
        if branch is None:
            return ask_warm(folder, "check", params, progress, trusts=trusts)
        from understudy.faces.hosting.link import ask_host  # who knows it is the host that keeps it
        from understudy.workspace.progress import Audience

        audience = Audience(progress)
        return common.run(lambda: ask_host(folder, "check", params, audience, stays=True))


def ask_warm(
    folder: Path, name: str, params: dict[str, Any], progress: Progress, *, trusts: bool
) -> dict[str, Any] | None:
    """The answer of a warm host, which is left behind if there is none; None where none may be.

    `trusts` is for this call alone, and so for a host of its own. Raises what the host raises.
    """
    from understudy.faces.hosting.warm import ask_warm_host
    from understudy.workspace.progress import Audience

    try:
        return ask_warm_host(
            common.run, Root.open(folder), name, params, Audience(progress), trusts=trusts
        )
    except UnderstudyError as error:
        if error.code == "host-ended" or error.code in _CANNOT_ATTACH:
            _say_without(error)  # it can be begun again: nothing is printed yet
            return None
        raise


def _wished(wish: FixWish | None) -> dict[str, Any]:
    if wish is None:
        return {}
    only = list(wish.codes)
    return {"fix": True, "only": only, "untilClean": wish.until_clean, "unsafe": wish.unsafe}


def ask_if_hosted(
    folder: Path, name: str, params: dict[str, Any], audience: Audience
) -> dict[str, Any] | None:
    """The answer of the folder's host; None where there is none, or none that can be asked.

    Raises what the host raises.
    """
    way = way_out()
    if way is not None:
        from understudy.faces.hosting.link import ask_branch

        root = Root.open(folder)
        return common.run(lambda: ask_branch(way, root, name, params, audience))
    place = _place_of_host(folder)
    if place is None:
        return None
    from understudy.app.host.terms import terms_of_caller
    from understudy.faces.hosting.link import ask_running_host

    terms = terms_of_caller()
    try:
        return common.run(lambda: ask_running_host(place, name, params, audience, terms))
    except UnderstudyError as error:
        if error.code == "other-terms":  # that host stays for others' checks alone
            return None
        if error.code not in _CANNOT_ATTACH:
            raise
        _say_without(error)
        return None


def _say_without(error: UnderstudyError) -> None:
    complain(f"done without the folder's host: {error.text}")


def _place_of_host(folder: Path) -> Layout | None:
    """Where the folder's host is, if there may be one; quick, as most folders have none."""
    from understudy.disk.layout import workspace_layout

    try:
        place = workspace_layout(Root.open(folder))
        return place if place.host.exists() else None
    except (BadInput, OSError):
        return None  # who goes on says what is wrong
