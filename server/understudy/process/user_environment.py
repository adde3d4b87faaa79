"""The user's environment, put back after an editor has started us with another.

The extension starts us on libraries of its own by PYTHONPATH and the like. Language servers, runs
and terminals must not see those variables: what they were before is in one of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import MutableMapping
from typing import cast

VARIABLE = "UNDERSTUDY_USER_ENVIRONMENT"
"""JSON: variable -> what the user has it set to, null where it is not set."""


def put_back(environ: MutableMapping[str, str] = os.environ) -> None:
    """Make it the user's again; our own helper processes are told where our libraries are.

    Raises ValueError or TypeError if VARIABLE is not such a table.
    """
    raw = environ.pop(VARIABLE, None)
    if raw is None:
        return
    table: object = json.loads(raw)
    if not isinstance(table, dict):
        raise TypeError(f"{VARIABLE} is no table")
    for name, value in cast("dict[str, object]", table).items():
        if isinstance(value, str):
            environ[name] = value
        else:
            environ.pop(name, None)
