"""Positions of arbitrary protocol values between UTF-16 and what a server chose."""

from __future__ import annotations

from typing import Any

from understudy.langserver.client import Client
from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.positions import LineIndex, PositionEncoding

_URI_KEYS = ("uri", "targetUri", "newUri")
_OWN_KEYS = ("originSelectionRange",)
"""Ranges that lie in the asked document although the object names another."""


class Recoder:
    """Walks requests and results about one asked document; other documents are met by their URI."""

    def __init__(self, client: Client, snapshot: Snapshot, path: str) -> None:
        self._client = client
        self._snapshot = snapshot
        self._path = path
        self._indexes: dict[str, LineIndex | None] = {}

    def outgoing(self, params: Json) -> Json:
        """UTF-16, as the protocol defaults to, in the server's encoding."""
        return self._walked(params, self._path, "utf-16", self._client.encoding)

    def incoming(self, result: Json) -> Json:
        """The server's encoding in UTF-16."""
        return self._walked(result, self._path, self._client.encoding, "utf-16")

    def _walked(
        self, value: Json, path: str | None, source: PositionEncoding, target: PositionEncoding
    ) -> Json:
        if source == target:
            return value
        if isinstance(value, list):
            return [self._walked(item, path, source, target) for item in items_of(value)]
        if not isinstance(value, dict):
            return value
        fields = fields_of(value)
        if fields.keys() == {"line", "character"}:
            return self._recoded(fields, path, source, target)
        if "startCharacter" in fields or "endCharacter" in fields:
            return self._fold_recoded(fields, path, source, target)
        path = self._path_in(fields, path)
        result: dict[str, Any] = {}
        for key, item in fields.items():
            inner = path
            if key in _OWN_KEYS:
                inner = self._path
            elif key == "data":
                result[key] = item  # the server's own, to be sent back as it is
                continue
            elif key.startswith("file:"):
                inner = self._client.path_of(key)
            result[key] = self._walked(item, inner, source, target)
        return result

    def _path_in(self, fields: dict[str, Any], path: str | None) -> str | None:
        holder = fields_of(fields.get("textDocument")) or fields_of(fields.get("from")) or fields
        for key in _URI_KEYS:
            uri = holder.get(key)
            if isinstance(uri, str):
                return self._client.path_of(uri)
        return path

    def _recoded(
        self,
        place: dict[str, Any],
        path: str | None,
        source: PositionEncoding,
        target: PositionEncoding,
    ) -> Json:
        index = self._index(path)
        if index is None:
            return place  # outside the root: no text of ours to count in
        position = index.clamped(place["line"], place["character"], source)
        return {"line": position.line, "character": index.character(position, target)}

    def _fold_recoded(
        self,
        fold: dict[str, Any],
        path: str | None,
        source: PositionEncoding,
        target: PositionEncoding,
    ) -> Json:
        """A folding range: the protocol's only positions that are no objects."""
        result = dict(fold)
        for side in ("start", "end"):
            if f"{side}Character" in fold:
                place = {"line": fold[f"{side}Line"], "character": fold[f"{side}Character"]}
                result[f"{side}Character"] = self._recoded(place, path, source, target)["character"]
        return result

    def _index(self, path: str | None) -> LineIndex | None:
        if path is None:
            return None
        if path not in self._indexes:
            try:
                text = self._snapshot.read(path)
            except BadInput:
                text = None
            self._indexes[path] = None if text is None else LineIndex(text.sendable)
        return self._indexes[path]
