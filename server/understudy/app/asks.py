"""The verb `ask`: the user wants lines of a branch changed, and its agent is to hear it."""

from __future__ import annotations

from understudy.shadow.asks import Ask
from understudy.terminal.secrets.redaction import Redactor
from understudy.terminal.secrets.rules import own_rule
from understudy.values.errors import BadInput
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

MOST_CHARACTERS = 4000


async def ask_for_change(
    session: Session, branch_id: str, path: str, lines: tuple[int, int], text: str,
    live_base: LiveBase,
) -> Ask:  # fmt: skip
    """Keep a wish about lines (0-based, the end exclusive) with the branch, without its secrets.

    Raises BadInput `bad-text` for one that is too long, and as `BranchBook.ask` does.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadInput("bad-text", f"at most {MOST_CHARACTERS} characters", "text")
    sound = without_secrets(session, text).strip()
    wish = Ask(0, 0, session.root.relative(path), *lines, sound)
    return await session.branches.ask(branch_id, await live_base.fresh(), wish)


def without_secrets(session: Session, text: str) -> str:
    """Words that are kept and shown, without passwords and keys, as records of terminals are."""
    rules = [own_rule(pattern) for pattern in session.settings.terminal_redact]
    return Redactor(rules).redact(text)
