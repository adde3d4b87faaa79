"""What a check may be asked: known before anything is started, and cheap to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

if TYPE_CHECKING:  # a check that a host answers needs neither catalogue nor settings
    from understudy.values.findings import Severity
    from understudy.workspace.servers.choice import ServerChooser
    from understudy.workspace.settings import Scope

LONGEST_S = 86_400
"""Most seconds that a caller may give a check or a request."""
REPEATS = 2
"""How often files that moved while they were judged are judged again."""


@frozen
class CheckOptions:
    """What a check is asked; None takes the setting."""

    scope: Scope | None = None
    severity: Severity | None = None
    servers: tuple[str, ...] = ()
    timeout_s: float | None = None
    strict: bool = False


@frozen
class FixWish:
    """What is to be mended: the introduced findings, or those of them with one of these codes.

    `until_clean` begins again with what is left until nothing gains any more. `unsafe` tries what
    servers do not vouch for, too. Raises BadInput `bad-params` for an empty code.
    """

    codes: tuple[str, ...] = ()
    until_clean: bool = False
    unsafe: bool = False

    def __post_init__(self) -> None:
        if not all(code.strip() for code in self.codes):
            raise BadInput("bad-params", "name the code of a finding; this one is empty", "only")


def time_limit(asked: float | None, otherwise: float) -> float:
    """The seconds that were asked for, if any; raises BadInput `bad-timeout`."""
    if asked is None:
        return otherwise
    if not 0 < asked <= LONGEST_S:
        text = f"a time limit is more than 0 and at most {LONGEST_S} s"
        raise BadInput("bad-timeout", text, str(asked)[:40])
    return asked


def refuse_unknown_servers(servers: ServerChooser, options: CheckOptions) -> None:
    """Raise BadInput `unknown-server` for a name that no profile has."""
    known = servers.names()
    for name in options.servers:
        if name not in known:
            raise BadInput("unknown-server", f"there are: {', '.join(known)}", name)
