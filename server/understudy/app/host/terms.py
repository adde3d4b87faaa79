"""What a call is answered under: the environment and the trust that its caller brings.

A host that stays behind after its first caller serves those alone that come under the same terms:
it can then inherit nothing from the first that the others have not. Whoever brings other terms gets
a host, and so servers, of its own. What names a terminal or a session decides no answer, and would
make each terminal's terms its own: hosts that stay and language servers do not have it at all.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, MutableMapping

from understudy.values import version
from understudy.values.frozen import frozen
from understudy.values.stamps import stamp_of

_OF_A_SESSION = re.compile(
    r"_|PWD|OLDPWD|SHLVL|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|WINDOWID|GPG_TTY|VTE_VERSION|STY"
    r"|WINDOW|TMUX.*|SSH_.*|XDG_SESSION_.*|XDG_VTNR|XDG_SEAT|KITTY_.*|WEZTERM_.*|ITERM_.*"
    r"|ALACRITTY_.*|KONSOLE_.*|GNOME_TERMINAL_.*|WT_SESSION|WT_PROFILE_ID|INVOCATION_ID"
    r"|JOURNAL_STREAM|GIT_ASKPASS|VSCODE_(?:GIT|IPC|INJECTION|NONCE|STABLE|PID|CWD).*"
    r"|CLAUDE.*|CODEX_.*|CURSOR_.*|UNDERSTUDY_(?!STATE_DIR$|CACHE_DIR$).*"
)
"""Variables of a terminal, a login, or an agent's session."""


@frozen
class Terms:
    """`digest` names the environment, the trust and the program; equal terms, equal answers.

    `trusts` says that the caller trusts the folder for this call alone (`--trust`).
    """

    digest: str
    trusts: bool = False


def terms_of_caller(*, trusts: bool = False, environ: Mapping[str, str] = os.environ) -> Terms:
    """The terms of this process and its user."""
    kept = sorted(item for item in environ.items() if not _is_of_a_session(item[0]))
    program = (sys.executable, sys.version, version.__file__, version.__version__)
    parts = [*map(str, program), str(trusts), *(text for item in kept for text in item)]
    return Terms(stamp_of(parts), trusts)


def forget_session(environ: MutableMapping[str, str] = os.environ) -> None:
    """Take the variables away that the terms leave out."""
    for name in [name for name in environ if _is_of_a_session(name)]:
        del environ[name]


def _is_of_a_session(name: str) -> bool:
    return _OF_A_SESSION.fullmatch(name) is not None
