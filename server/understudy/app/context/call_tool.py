"""The verb `call`: a tool of one of the workspace's servers, its result kept in the store.

So an agent's harness needs none of the tools' definitions. A user who has allowed a server has
consented to every call of its tools.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

from understudy.app.context.put import put_output
from understudy.context.canonical import canonical
from understudy.context.policy import INGEST
from understudy.context.receipt import is_text
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.tools.catalogue import ToolCatalogue
from understudy.workspace.tools.servers import ToolServerEntry

SECONDS = 120.0
MOST_SECONDS = 3600.0


@frozen
class ToolAnswer:
    """What an agent reads: how it went and where the whole is, then the text or its receipt.

    `path` is relative to the store, None where nothing could be kept.
    """

    text: str
    failed: bool
    path: str | None


async def call_tool(
    catalogue: ToolCatalogue,
    place: ContextPlace,
    tool: str,
    arguments: Mapping[str, object],
    seconds: float | None = None,
) -> ToolAnswer:
    """Call `SERVER/TOOL`; a call is never repeated by itself.

    Raises BadInput `unknown-server`, `unknown-tool`, `bad-params`; Refused `needs-trust`,
    `needs-input`, `disabled`, `failed`; OutsideFailure `needs-auth`, `mcp-failed`, `mcp-timeout`,
    `mcp-refused` (the server's own error answer), `mcp-missing`.
    """
    limit = SECONDS if seconds is None else seconds
    if not 0 < limit <= MOST_SECONDS:
        raise BadInput("bad-params", f"from 0 to {MOST_SECONDS:g} s", "timeout")
    entry, name = await _found(catalogue, tool)
    assert entry.filled is not None
    try:
        raw = await catalogue.link.call(entry.filled.start, name, arguments, limit)
    except OutsideFailure as failure:
        text = entry.filled.redacted(failure.text)
        if failure.code == "needs-auth":
            hint = await catalogue.note(entry.server.name, failure)
            raise OutsideFailure("needs-auth", hint, tool) from failure
        if failure.code in ("mcp-failed", "not-installed", "cannot-start"):
            text = await catalogue.note(entry.server.name, failure)
        raise OutsideFailure(failure.code, text, tool) from failure
    return await asyncio.to_thread(_kept, place, tool, raw)


async def _found(catalogue: ToolCatalogue, tool: str) -> tuple[ToolServerEntry, str]:
    """The server and the tool's name; either may have slashes in it."""
    parts = tool.split("/")
    if len(parts) < 2 or not all((parts[0], parts[-1])):
        raise BadInput("bad-params", "expected SERVER/TOOL, as mcp/INDEX.md lists them", "tool")
    known = {state.name for state in await catalogue.states()}
    splits = [("/".join(parts[:n]), "/".join(parts[n:])) for n in range(1, len(parts))]
    server, name = next((split for split in splits if split[0] in known), splits[0])
    entry = await catalogue.entry(server)
    listed = await asyncio.to_thread(catalogue.folder.tools, server)
    if not listed:  # the server was never asked, or it has no tools
        await catalogue.sync([server])
        listed = await asyncio.to_thread(catalogue.folder.tools, server)
    if listed and name not in listed:
        near = get_close_matches(name, listed, n=3)
        text = f"it has: {', '.join(near)}" if near else f"mcp/INDEX.md lists its {len(listed)}"
        raise BadInput("unknown-tool", text, tool)
    return entry, name


def _kept(place: ContextPlace, tool: str, raw: Mapping[str, Any]) -> ToolAnswer:
    """Put the result into the store; returns its text, or the receipt of a long one."""
    if raw.get("resultType") not in (None, "complete"):
        text = "it asks for more input of the user, which cannot be given here"
        raise OutsideFailure("mcp-refused", text, tool)
    failed = raw.get("isError") is True
    data = "\n".join(_parts(place, tool, raw)).encode("utf-8", "surrogatepass")
    put = put_output(place, data, tool, 1 if failed else None)
    head = f"{tool} {'FAILED' if failed else 'answered'}"
    if put.receipt is None:
        why = put.failure.text if put.failure is not None else ""
        return ToolAnswer(f"{head}; not kept: {why}\n{_decoded(data)}", failed, None)
    if len(data) > INGEST or not is_text(data):
        return ToolAnswer(f"{head}\n{put.receipt.text}", failed, put.receipt.path)
    size = f"{len(data)} bytes, kept in {put.receipt.path}"
    return ToolAnswer(f"{head}; {size}\n{_decoded(data)}", failed, put.receipt.path)


def _parts(place: ContextPlace, tool: str, raw: Mapping[str, Any]) -> list[str]:
    """The blocks of a result as text; what is no text lies in a file that the text names."""
    content: object = raw.get("content")
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    if not blocks and raw.get("structuredContent") is not None:
        return [canonical(raw["structuredContent"])]
    return [_part(place, tool, block) for block in blocks]


def _part(place: ContextPlace, tool: str, block: object) -> str:
    table = _table(block)
    kind, text = table.get("type"), table.get("text")
    if kind == "text" and isinstance(text, str):
        return text
    if kind in ("image", "audio") and isinstance(table.get("data"), str):
        return _blob(place, tool, table["data"], str(table.get("mimeType", kind)))
    if kind == "resource":
        resource = _table(table.get("resource"))
        if isinstance(resource.get("text"), str):
            return f"[resource {resource.get('uri')}:]\n{resource['text']}"
        if isinstance(resource.get("blob"), str):
            return _blob(place, tool, resource["blob"], str(resource.get("uri")))
    if kind == "resource_link":
        return f"[resource {table.get('name')}: {table.get('uri')}]"
    return canonical(block)


def _blob(place: ContextPlace, tool: str, encoded: str, what: str) -> str:
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        return f"[{what}: {len(encoded)} characters that are not base64: {error}]"
    put = put_output(place, data, tool)
    where = "not kept: the disk is full" if put.receipt is None else put.receipt.path
    return f"[{what}: {len(data)} bytes, {where}]"


def _table(raw: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", raw) if isinstance(raw, Mapping) else {}


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
