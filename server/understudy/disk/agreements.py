"""What the user has agreed to once, by name: `agreed.json` beside the list of trusted folders."""

from __future__ import annotations

import json
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder, trust_file
from understudy.disk.room import writing_state
from understudy.values.errors import OutsideFailure

_NAME = "agreed.json"


def has_agreed(name: str, digest: str) -> bool:
    """Whether the user has agreed to exactly this; raises OutsideFailure `state-unreadable`."""
    return _read().get(name) == digest


def agree(name: str, digest: str) -> None:
    """Remember it, in place of what was agreed to before under this name."""
    path = trust_file().with_name(_NAME)
    agreed = {**_read(), name: digest}
    make_private_folder(path.parent)
    with writing_state(path):
        text = json.dumps({"schema": 1, "agreed": agreed}, indent=2, sort_keys=True)
        write_private(path, text.encode("ascii") + b"\n")


def _read() -> dict[str, str]:
    path = trust_file().with_name(_NAME)
    try:
        raw: Any = json.loads(path.read_bytes())
        agreed = cast("dict[str, Any]", raw)["agreed"]
        return {str(name): str(digest) for name, digest in agreed.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        text = f"cannot read what you have agreed to ({error}); mend or remove it"
        raise OutsideFailure("state-unreadable", text, str(path)) from error
