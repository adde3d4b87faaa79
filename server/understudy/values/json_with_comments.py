"""JSON as configurations of TypeScript and editors have it: with comments and trailing commas."""

from __future__ import annotations

import json
import re

_COMMENT = r"//[^\n]*|/\*.*?\*/"
_NOISE = re.compile(rf'("(?:\\.|[^"\\])*")|{_COMMENT}|,(?=(?:\s|{_COMMENT})*[}}\]])', re.DOTALL)


def loads_with_comments(text: str) -> object:
    """The value; raises ValueError for what is no JSON otherwise, or goes too deep."""
    try:
        return json.loads(_NOISE.sub(lambda match: match.group(1) or "", text))
    except RecursionError as error:
        raise ValueError("it goes too deep") from error
