"""Which variables a command on a stage gets: those of a list, and those that were named for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from understudy.stage.shown.lists import shown_lists
from understudy.values.started_by import STARTED_BY

_SOUNDS_SECRET = re.compile(
    r"TOKEN|SECRET|PASS|KEY|AUTH|CRED|COOKIE|SESSION|SIGN|PRIV", re.IGNORECASE
)
"""Names that no pattern of the list lets through; a name that is listed in full is known."""

_HOLDS_PASSWORD = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/\s@]*:[^/\s@]+@"  # https://user:password@host
    r"|[a-z][a-z0-9+.-]*://[^/\s:@]{16,}@"  # https://token@host
    r"|(?:pass(?:word|wd|phrase)?|secret|token|api-?key|authorization)\s*[=:]\s*\S",
    re.IGNORECASE,
)
"""In a value, or in a line of a tool's settings."""


def passed(
    environ: Mapping[str, str],
    changes: Mapping[str, str | None],
    named: Iterable[str] = (),
) -> dict[str, str]:
    """The environment of a command: what may pass, what is `named`, and `changes` over it.

    The mark of commands on a stage is in it, too.
    """
    wanted = frozenset(named)
    kept = {n: v for n, v in environ.items() if n in wanted or may_pass(n, v)}
    merged: dict[str, str | None] = {**kept, **changes, STARTED_BY: "stage"}
    return {name: value for name, value in merged.items() if value is not None}


def withheld(
    environ: Mapping[str, str], changes: Mapping[str, str | None], named: Iterable[str] = ()
) -> tuple[str, ...]:
    """The names that do not pass, sorted; not those that a stage has a value of its own for."""
    gets = passed(environ, changes, named)
    return tuple(sorted(environ.keys() - gets.keys() - _OWN))


_OWN = frozenset(("TMPDIR", "TMP", "TEMP", "OLDPWD", "_", "XDG_RUNTIME_DIR"))
"""A stage has its own folders for temporary files, and none of a session."""


def may_pass(name: str, value: str) -> bool:
    """Whether a variable passes without being named for it."""
    lists = shown_lists()
    is_listed = name in lists.variables or (
        name.startswith(lists.prefixes) and not _SOUNDS_SECRET.search(name)
    )
    return is_listed and not holds_password(value)


def holds_password(value: str) -> bool:
    """Whether a text looks as if a password or a token stood in it."""
    return _HOLDS_PASSWORD.search(value) is not None
