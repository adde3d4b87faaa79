"""A skill's SKILL.md: its frontmatter, strictly by the specification or as leniently as clients do.

Specification and client guide: agentskills.io (docs/specification, docs/client-implementation).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, cast

from understudy.values.frozen import frozen

MOST_BYTES = 64 * 1024
"""Of a frontmatter; a longer one is refused unread."""

_DEEPEST = 8
_MOST_NODES = 2000
_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_LONGEST = {"name": 64, "description": 1024, "compatibility": 500}
_UNQUOTED = re.compile(r"^(name|description|license|compatibility):[ \t]+(?![\"'>|])(.*:.*)$", re.M)


@frozen
class SkillFile:
    """What a SKILL.md says of itself; `problems` are what was wrong with it and overlooked."""

    name: str
    description: str
    body: str
    problems: tuple[str, ...] = ()


class BadSkill(ValueError):
    """A SKILL.md that cannot be used; the message has every reason."""


def read_skill(text: str, folder: str, *, strict: bool) -> SkillFile:
    """Read a SKILL.md in a folder of this name; raises BadSkill.

    Lenient: a wrong name and what else is not needed become `problems`; only a frontmatter that
    cannot be read, even with its colons quoted, and a missing description are refused.
    """
    head, body = split_frontmatter(text)
    problems: list[str] = []
    try:
        table = _loaded(head)
    except BadSkill as error:
        quoted = _UNQUOTED.sub(lambda m: f"{m[1]}: {_quoted(m[2])}", head)
        if strict or quoted == head:
            raise
        table = _loaded(quoted)
        problems.append(f"read with its values quoted ({error})")
    problems += mistakes(table, folder)
    if strict and problems:
        raise BadSkill("; ".join(problems))
    name, description = table.get("name"), table.get("description")
    if not isinstance(description, str) or not description.strip():
        raise BadSkill("; ".join(problems) or "it has no description")
    shown = name.strip() if isinstance(name, str) and name.strip() else folder
    return SkillFile(_one_line(shown), _one_line(description), body, tuple(problems))


def split_frontmatter(text: str) -> tuple[str, str]:
    """The lines between the first two that are exactly `---`, and all behind; raises BadSkill."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        raise BadSkill("it does not begin with a line `---`")
    for number in range(1, len(lines)):
        if lines[number].rstrip() == "---":
            return "\n".join(lines[1:number]) + "\n", "\n".join(lines[number + 1 :]).strip("\n")
    raise BadSkill("its frontmatter has no end: a line `---` is missing")


def mistakes(table: dict[str, Any], folder: str) -> list[str]:
    """Everything in a frontmatter that the specification does not allow."""
    found = [f"unknown key {key!r}" for key in sorted(set(table) - _KEYS)]
    for key in ("name", "description"):
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            found.append(f"{key} is missing or no text")
    for key, longest in _LONGEST.items():
        value = table.get(key)
        if isinstance(value, str) and len(value) > longest:
            found.append(f"{key} has {len(value)} characters, the limit is {longest}")
    texts = ("license", "compatibility", "allowed-tools")
    found += [f"{key} is no text" for key in texts if not isinstance(table.get(key, ""), str)]
    metadata = table.get("metadata", {})
    pairs = cast("dict[object, object]", metadata) if isinstance(metadata, dict) else {0: 0}
    if not all(isinstance(part, str) for pair in pairs.items() for part in pair):
        found.append("metadata is no table of texts")
    if isinstance(table.get("name"), str):
        found += _name_mistakes(table["name"], folder)
    return found


def _name_mistakes(name: str, folder: str) -> list[str]:
    normal = unicodedata.normalize("NFKC", name.strip())
    found: list[str] = []
    if normal != normal.lower() or not all(c.isalnum() or c == "-" for c in normal):
        found.append("name has other characters than small letters, digits and `-`")
    if normal.startswith("-") or normal.endswith("-") or "--" in normal:
        found.append("name has `-` at an end, or twice")
    if normal != unicodedata.normalize("NFKC", folder):
        found.append(f"name is not that of its folder, {folder!r}")
    return found


def _loaded(head: str) -> dict[str, Any]:
    """The YAML of a frontmatter: a table, without aliases, repeated keys, tags and great depth."""
    import yaml  # noqa: PLC0415 - a compiled wheel, and not needed where there are no skills

    if len(head) > MOST_BYTES:
        raise BadSkill(f"its frontmatter has more than {MOST_BYTES} characters")
    try:
        parsed = cast("Iterable[object]", yaml.parse(head, yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType] - its stub is partial
        _inspect(list(_limited(parsed)))
        table: object = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BadSkill):
            raise
        raise BadSkill(f"its frontmatter is no YAML: {_one_line(str(error))}") from error
    if not isinstance(table, dict):
        raise BadSkill("its frontmatter is no table")
    return {str(key): value for key, value in cast("dict[object, Any]", table).items()}


def _limited(events: Iterable[object]) -> Iterator[object]:
    """The parser's events; aliases (bombs are made of them), depth and sheer number are refused."""
    import yaml  # noqa: PLC0415 - as above

    depth = 0
    for number, event in enumerate(events):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise BadSkill("its frontmatter has anchors or aliases")
        if getattr(event, "tag", None) is not None:
            raise BadSkill("its frontmatter has tags")
        if depth > _DEEPEST or number > _MOST_NODES:
            raise BadSkill("its frontmatter is too deep or too big")
        yield event


def _inspect(events: list[object]) -> None:
    """Refuse a key that stands twice in the outer table: YAML readers would take the last."""
    import yaml  # noqa: PLC0415 - as above

    depth = 0
    is_key = True
    seen: set[str] = set()
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth == 1 and isinstance(event, yaml.ScalarEvent | yaml.CollectionEndEvent):
            if is_key and isinstance(event, yaml.ScalarEvent):
                if event.value in seen:
                    raise BadSkill(f"its frontmatter has the key {event.value!r} twice")
                seen.add(event.value)
            is_key = not is_key
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1


def _quoted(value: str) -> str:
    return '"' + value.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text: str) -> str:
    return " ".join(text.split())
