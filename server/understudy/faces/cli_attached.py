"""What the folder's host does where one runs: it knows the unsaved text, its servers are warm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from understudy.faces import cli_common as common
from understudy.faces.cli_progress import terminal_progress
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root

if TYPE_CHECKING:
    from understudy.app.check_options import CheckOptions
    from understudy.app.progress import Audience

_CANNOT_ATTACH = frozenset({"host-version", "foreign-user", "bad-hello"})


def check_attached(
    folder: Path,
    edits: Sequence[dict[str, Any]] | None,
    revision: str,
    options: CheckOptions,
    form: str,
) -> dict[str, Any] | None:
    """The host's answer: verdict, text, and what was compared with; None where none answers.

    `edits` None is the working tree against the revision. Raises what the host raises.
    """
    from understudy.app.progress import Audience

    params = {
        "edits": list(edits or ()),
        "worktree": edits is None,
        "revision": revision,
        "scope": options.scope,
        "severity": options.severity,
        "servers": list(options.servers),
        "timeout": options.timeout_s,
        "strict": options.strict,
        "format": form,
    }
    try:
        with terminal_progress() as progress:
            return ask_if_hosted(folder, "check", params, Audience(progress))
    except UnderstudyError as error:
        if error.code != "host-ended":
            raise
        _say_without(error)  # a check can be begun again: it has printed nothing yet
        return None


def ask_if_hosted(
    folder: Path, name: str, params: dict[str, Any], audience: Audience
) -> dict[str, Any] | None:
    """The answer of the folder's host; None where there is none, or none that can be asked.

    Raises what the host raises.
    """
    if not _has_host(folder):
        return None
    from understudy.faces.host_link import ask_running_host

    try:
        return common.run(lambda: ask_running_host(folder, name, params, audience))
    except UnderstudyError as error:
        if error.code not in _CANNOT_ATTACH:
            raise
        _say_without(error)
        return None


def _say_without(error: UnderstudyError) -> None:
    typer.echo(f"understudy: done without the folder's host: {error.text}", err=True)


def _has_host(folder: Path) -> bool:
    """Whether it is worth a try; quick, as most folders have none."""
    from understudy.disk.layout import workspace_layout

    try:
        return workspace_layout(Root.open(folder)).host.exists()
    except (BadInput, OSError):
        return False  # who goes on says what is wrong
