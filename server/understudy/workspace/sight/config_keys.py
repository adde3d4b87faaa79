"""Whether two texts of a configuration file differ for a server: often others' keys do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from understudy.langserver.profile import Profile
from understudy.shadow.snapshot import Snapshot
from understudy.values import toml
from understudy.values.errors import BadInput
from understudy.values.json_input import loads_with_comments
from understudy.values.texts import Text


def differ_for(profile: Profile, path: str, one: Text | None, other: Text | None) -> bool:
    """Whether the server would read something else; so does a file that comes or goes."""
    keys = profile.config_keys.get(path.rpartition("/")[2])
    if keys is None or one is None or other is None:
        return one != other
    try:
        tables = [parsed(path, text) for text in (one, other)]
    except ValueError:
        return one != other
    return any(_at(tables[0], key) != _at(tables[1], key) for key in keys)


def differs_from_disk(profile: Profile, snapshot: Snapshot, path: str) -> bool:
    """The same for a snapshot's text and the one on the user's disk."""
    try:
        return differ_for(profile, path, snapshot.base.folder.read(path), snapshot.read(path))
    except BadInput:  # no text on one side
        return True


def parsed(path: str, text: Text) -> object:
    """What a TOML or JSON file holds, None for another kind; raises ValueError."""
    if path.endswith(".toml"):
        return toml.loads(text.content.replace("\r\n", "\n"))
    return loads_with_comments(text.content) if path.endswith(".json") else None


def _at(table: object, key: str) -> object:
    for part in key.split("."):
        if not isinstance(table, Mapping):
            return None
        table = cast("Mapping[str, object]", table).get(part)
    return table
