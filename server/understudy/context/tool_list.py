"""What a tool server offers, as files: a folder a server, a file a tool, names that are safe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from understudy.context.canonical import canonical, digest_of
from understudy.values.frozen import frozen

_PLAIN = re.compile(r"[A-Za-z0-9_.-]")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_LONGEST = 80
_KEPT = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


@frozen
class ToolList:
    """File name -> text of each tool's file; the true names, sorted; what could not be used."""

    files: Mapping[str, str]
    names: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The same for the same tools, in whatever order they were listed."""
        return digest_of(canonical(dict(self.files)))[:16]


def tool_list(raw: Iterable[object]) -> ToolList:
    """The tools that a server has listed; those that are malformed are counted, not kept."""
    tools: dict[str, str] = {}
    problems: list[str] = []
    for number, item in enumerate(raw, 1):
        fault = _fault(item)
        table = cast("Mapping[str, Any]", item)
        if fault is None and table["name"] in tools:
            fault = "another one has its name"
        if fault is None:
            try:
                tools[table["name"]] = _text(table)
            except ValueError as error:
                fault = str(error)
        if fault is not None:
            problems.append(f"tool {number}: {fault}")
    names = tuple(sorted(tools))
    files = file_names(names)
    return ToolList({f"{files[name]}.json": tools[name] for name in names}, names, tuple(problems))


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A safe file name for each name, none like another one on any file system.

    Letters, digits and `_.-` stand for themselves, all else is percent-escaped; what is long,
    reserved, or differs from another one in capitals only, ends with a hash.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names):
        plain = "".join(c if _PLAIN.fullmatch(c) else _escaped(c) for c in name)
        if plain[:1] in (".", ""):
            plain = f"%2E{plain[1:]}"
        if plain[-1:] == ".":
            plain = f"{plain[:-1]}%2E"
        if len(plain) > _LONGEST or _RESERVED.fullmatch(plain) or plain.lower() in taken:
            plain = f"{plain[:_LONGEST]}~{digest_of(name)[:8]}"
        taken.add(plain.lower())
        found[name] = plain
    return found


def index_text(servers: Mapping[str, Iterable[str]]) -> str:
    """Names only, one line a server: what stands in a prompt instead of the definitions.

    A server that has not listed any tool is named, too: its status says what the user can do.
    """
    if not servers:
        return ""
    files = file_names(servers)
    lines: list[str] = []
    for name in sorted(servers):
        tools = " ".join(_shown(tool) for tool in sorted(servers[name]))
        folder = "" if files[name] == name else f" (folder {files[name]})"
        unknown = f"no tools known; see mcp/{files[name]}/STATUS.json"
        lines.append(f"{_shown(name)}: {f'{tools}{folder}' if tools else unknown}")
    head = "Tools of other servers; mcp/SERVER/tools/TOOL.json says what each takes:"
    return "\n".join([head, *lines]) + "\n"


def _fault(item: object) -> str | None:
    if not isinstance(item, Mapping):
        return "no object"
    table = cast("Mapping[str, Any]", item)
    name, schema = table.get("name"), table.get("inputSchema", {})
    if not isinstance(name, str) or not name or len(name) > 300:
        return "its name is no string of 1 to 300 characters"
    if not isinstance(schema, Mapping):
        return f"the inputSchema of {name!r} is no object"
    if not isinstance(table.get("description", ""), str | None):
        return f"the description of {name!r} is no string"
    return None


def _text(table: Mapping[str, Any]) -> str:
    return canonical({key: table[key] for key in _KEPT if table.get(key) is not None}) + "\n"


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() and not c.isspace() else _escaped(c) for c in name)
