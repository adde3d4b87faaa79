"""Whether the lines of a Python text are indented as the language wants it."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(rb"^([ \t\f]*)([^\s#][^#\n]*)", re.MULTILINE)


def is_laid_out(lines: bytes | bytearray) -> bool:
    """Whether each line is as deep as a block that is open, or begins one behind a colon.

    The grammar takes a statement that is too deep for one of the block around it, where a checker
    ends blocks at it: what follows belongs to no class then. `lines` are statements, one each, with
    strings of one word.
    """
    open_blocks = [b""]
    begins_block = False
    for match in _LINE.finditer(lines):
        indent = match[1].rpartition(b"\f")[2]
        if indent != open_blocks[-1]:
            if begins_block and indent.startswith(open_blocks[-1]):
                open_blocks.append(indent)
            elif indent in open_blocks:
                del open_blocks[open_blocks.index(indent) + 1 :]
            else:
                return False
        begins_block = match[2].rstrip().endswith(b":")
    return True
