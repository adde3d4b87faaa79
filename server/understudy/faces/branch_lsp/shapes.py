"""Answers in the shape that this client knows, with the server that made an item kept in it."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, cast

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

Json = dict[str, Any]
_KEY = "understudy"


@frozen
class Maker:
    """The server that has made an item, of which file, and whether of the user's own text."""

    server: str
    path: str
    is_own: bool


@frozen
class Abilities:
    """What the client can do, of all that decides how it is spoken to."""

    links: frozenset[str] = frozenset()
    nested_symbols: bool = False
    action_literals: bool = False
    pulls: bool = False
    refreshes: bool = False
    applies: bool = False
    versions: bool = False

    @staticmethod
    def of(capabilities: object) -> Abilities:
        """The client's, as it says them at `initialize`."""

        def has(*names: str) -> bool:
            found: Any = capabilities
            for name in names:
                found = cast("Json", found).get(name) if isinstance(found, dict) else None
            return found not in (None, False)

        links = ("definition", "declaration", "typeDefinition", "implementation")
        document = "textDocument"
        return Abilities(
            links=frozenset(
                f"textDocument/{name}" for name in links if has(document, name, "linkSupport")
            ),
            nested_symbols=has(document, "documentSymbol", "hierarchicalDocumentSymbolSupport"),
            action_literals=has(document, "codeAction", "codeActionLiteralSupport"),
            pulls=has(document, "diagnostic"),
            refreshes=has("workspace", "diagnostics", "refreshSupport"),
            applies=has("workspace", "applyEdit"),
            versions=has("workspace", "workspaceEdit", "documentChanges"),
        )


def sealed(method: str, result: Any, maker: Maker) -> Any:  # noqa: ANN401 - as JSON has it
    """The same, with who is to be asked more about each item of it."""

    def seal(item: Json) -> Json:
        return {**item, "data": {_KEY: [*astuple(maker), item.get("data")]}}

    if method == "textDocument/completion" and isinstance(result, list):
        return [seal(item) for item in cast("list[Json]", result)]
    if method == "textDocument/completion" and isinstance(result, dict):
        whole = cast("Json", result)
        return {**whole, "items": [seal(item) for item in whole.get("items", [])]}
    if method == "textDocument/prepareCallHierarchy" and isinstance(result, list):
        return [seal(item) for item in cast("list[Json]", result)]
    if method.startswith("callHierarchy/") and isinstance(result, list):
        side = "from" if method.endswith("incomingCalls") else "to"
        return [{**call, side: seal(call[side])} for call in cast("list[Json]", result)]
    if method == "completionItem/resolve" and isinstance(result, dict):
        return seal(cast("Json", result))
    return result


def unsealed(item: object) -> tuple[Maker, Json]:
    """Who has made an item, and the item as it was; raises BadInput `bad-params`."""
    table = cast("Json", item) if isinstance(item, dict) else {}
    data = table.get("data")
    held = cast("Json", data).get(_KEY) if isinstance(data, dict) else None
    match held:
        case [str(server), str(path), bool(is_own), data]:
            plain = {key: value for key, value in table.items() if key != "data"}
            maker = Maker(server, path, is_own)
            return maker, plain if data is None else {**plain, "data": data}
        case _:
            raise BadInput("bad-params", "expected an item of an earlier answer", "data")


def fitted(method: str, result: Any, abilities: Abilities, uri: str) -> Any:  # noqa: ANN401 - as JSON has it
    """The same about a document, as a client of these abilities can read it."""
    if not isinstance(result, list):
        return result
    items = cast("list[Json]", result)
    if method == "textDocument/documentSymbol" and not abilities.nested_symbols:
        return _flat(items, uri)
    if method in _LINKED and method not in abilities.links:
        return [_location(item) for item in items]
    return items


_LINKED = frozenset(
    f"textDocument/{name}"
    for name in ("definition", "declaration", "typeDefinition", "implementation")
)


def _location(item: Json) -> Json:
    if "targetUri" not in item:
        return item
    return {"uri": item["targetUri"], "range": item["targetSelectionRange"]}


def _flat(symbols: list[Json], uri: str, container: str | None = None) -> list[Json]:
    """Nested symbols as the list that older clients know."""
    flat: list[Json] = []
    for symbol in symbols:
        if "location" in symbol:
            flat.append(symbol)
            continue
        kept = {key: symbol[key] for key in ("name", "kind", "tags", "deprecated") if key in symbol}
        kept["location"] = {"uri": uri, "range": symbol["selectionRange"]}
        flat.append(kept if container is None else {**kept, "containerName": container})
        flat += _flat(symbol.get("children") or [], uri, symbol["name"])
    return flat
