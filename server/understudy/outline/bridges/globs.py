"""What shells match with, and a grammar takes for quotes, brackets and tests gone wrong.

Patterns declare nothing: letters stand for them where a script was not understood without.
"""

from __future__ import annotations

import re

from understudy.outline.bridges.gaps import Gap


def _word(match: re.Match[bytes]) -> bytes:
    return match[1] + b"x" * len(match[2])


def _operand(match: re.Match[bytes]) -> bytes:
    return match[1] + b"x" + b" " * (len(match[2]) - 1)


_TESTED = re.compile(
    rb"((?:=~|==|!=)[ \t]+)((?:\\\r?\n[ \t]*)?[^\s\\][^\n]{0,300}?|\\[^\n]{1,300}?)(?=[ \t]+\]\])"
)
_REMOVED = re.compile(rb"(\$\{\w+)([%#/^,][^}\n\"'$`\\]{0,200})(?=\})")
_CHOSEN = re.compile(rb"(?<![$=+(!])()([@!?+*]\([^()\n\"'`]{0,200}\))")

SHELL_GLOBS: tuple[Gap, ...] = ((_TESTED, _operand), (_CHOSEN, _word), (_REMOVED, _word))
