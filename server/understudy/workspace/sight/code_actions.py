"""Code actions: what a server would do about its own findings, as edits; nothing is changed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from understudy.edits.model import edits_nothing
from understudy.langserver.lease import Lease
from understudy.langserver.methods import EXECUTE_COMMAND
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex, Position
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.sights import sights

Json = dict[str, Any]
_IMPORTS = "source.organizeImports"
_MOST_S = 15.0
"""How long one request may take: an action that never comes must not cost all of the others."""


@frozen
class CodeAction:
    """One action as its server lists it; what it edits may still have to be asked for.

    `is_preferred` None: the server does not say. `needs_confirmation`: it wants a person to look.
    """

    server: str
    title: str
    kind: str
    is_preferred: bool | None
    raw: Json

    @property
    def needs_confirmation(self) -> bool:
        """Whether the server marks an edit of it as one that a person has to confirm."""
        edit = self.raw.get("edit")
        notes = cast("Json", edit).get("changeAnnotations") if isinstance(edit, dict) else None
        listed = list(cast("dict[str, object]", notes).values()) if isinstance(notes, dict) else []
        tables = [cast("Json", one) for one in listed if isinstance(one, dict)]
        return any(table.get("needsConfirmation") for table in tables)


class FileActions:
    """Asks one server about one file of a snapshot, while it holds the turn.

    `diagnostics` are its findings there, each as the server said it (positions in UTF-16).
    """

    def __init__(
        self, session: Session, choice: ServerChoice, spec: ServerSpec, lease: Lease,
        snapshot: Snapshot, path: str, deadline: float,
    ) -> None:  # fmt: skip
        self.diagnostics: list[tuple[Finding, Json]] = []
        self._session = session
        self._choice = choice
        self._spec = spec
        self._lease = lease
        self._snapshot = snapshot
        self._path = path
        self._deadline = deadline

    async def look(self) -> None:
        """Ask for the diagnostics; raises as `Lease.diagnostics` does."""
        found = await self._lease.diagnostics(self._snapshot, self._path, self._deadline)
        self.diagnostics = [(finding, raw) for finding, raw in found if isinstance(raw, dict)]

    async def listed(
        self, about: Sequence[Json], kinds: Sequence[str], span: Json | None = None
    ) -> list[CodeAction]:
        """The enabled actions of these kinds (none: of all), as the server sorts them.

        They are for diagnostics, or for a `span` (an LSP range) and the diagnostics in it. Raises
        OutsideFailure with a reason's code; `refused` for an error of the server.
        """
        only = {"only": list(kinds)} if kinds else {}
        params = {
            "textDocument": {"uri": self._session.root.uri(self._path)},
            "range": _span(about) if span is None else span,
            "context": {"diagnostics": list(about), **only, "triggerKind": 1},
        }
        found = await self._ask("textDocument/codeAction", params)
        listed = cast("list[object]", found) if isinstance(found, list) else []
        raws = [cast("Json", one) for one in listed if isinstance(one, dict)]
        kind = next(iter(kinds), "")
        return [_action(self._choice.name, raw, kind) for raw in raws if _is_fit(raw, kinds)]

    async def organizing(self) -> list[CodeAction]:
        """The enabled actions that sort the imports of the file; raises as `listed`.

        An OutsideFailure is `not-offered` where the server has not announced any, either.
        """
        index = self._index()
        last = len(index.starts) - 1
        end = index.character(Position(last, len(index.line(last))))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": last, "character": end}}
        actions = await self.listed([], [_IMPORTS], whole)
        if not actions and not any(_is_of(one, _IMPORTS) for one in self._lease.action_kinds):
            raise OutsideFailure("not-offered", "it sorts no imports", self._choice.name)
        return actions

    async def formatted(self) -> tuple[Json, ...]:
        """The LSP workspace edits that lay the file out, by its own indents; raises as `listed`."""
        options = _options(self._index())
        found = await self.ask("textDocument/formatting", {"options": options})
        edits = cast("list[Json]", found) if isinstance(found, list) else []
        return self._sound([{"changes": {self._session.root.uri(self._path): edits}}])

    async def edits_of(self, action: CodeAction) -> tuple[Json, ...]:
        """The LSP workspace edits that an action comes to, none where it edits nothing.

        A command is run only if the server's profile knows it as harmless. Raises as `listed` does,
        and Refused `needs-command`.
        """
        raw = action.raw
        if not isinstance(raw.get("edit"), dict) and "data" in raw:
            resolved = await self._ask("codeAction/resolve", raw)
            raw = cast("Json", resolved) if isinstance(resolved, dict) else raw
        edit = raw.get("edit")
        if isinstance(edit, dict):
            return self._sound([cast("Json", edit)])
        command = raw.get("command")
        if isinstance(command, dict):
            return await self._run(action, cast("Json", command))
        return () if command is None else await self._run(action, raw)

    async def _run(self, action: CodeAction, command: Json) -> tuple[Json, ...]:
        name = command.get("command")
        if name not in self._choice.profile.commands:
            text = f"it needs the command {name!r} of {action.server}, which may do anything"
            raise Refused("needs-command", text, action.title)
        params: Json = {"command": name, "arguments": command.get("arguments") or []}
        with self._session.taking_edits(self._spec) as taken:
            await self._ask(EXECUTE_COMMAND, params)
        return self._sound([cast("Json", edit) for edit in taken if isinstance(edit, dict)])

    def _sound(self, edits: Sequence[Json]) -> tuple[Json, ...]:
        """The edits that edit something, with places that exist, as the protocol asks of clients.

        To tsserver the end of a text is still on the line before.
        """
        indexes: dict[str, LineIndex | None] = {}

        def index_of(uri: str) -> LineIndex | None:
            if uri not in indexes:
                path = self._session.root.relative_of_uri(uri)
                with suppress(BadInput):
                    text = None if path is None else self._snapshot.read(path)
                    indexes[uri] = None if text is None else LineIndex(text.content)
            return indexes.setdefault(uri, None)

        return tuple(
            cast("Json", _clamped(edit, None, index_of))
            for edit in edits
            if not edits_nothing(edit)
        )

    async def ask(self, method: str, params: Json) -> object:
        """Another question about the file, with its document in `params`; raises as `listed`."""
        document = {"textDocument": {"uri": self._session.root.uri(self._path)}}
        return await self._ask(method, {**document, **params})

    def _index(self) -> LineIndex:
        text = self._snapshot.read(self._path)
        return LineIndex("" if text is None else text.sendable)

    async def _ask(self, method: str, params: Json) -> object:
        soon = asyncio.get_running_loop().time() + _MOST_S
        deadline = min(soon, self._deadline)
        return await self._lease.follow_up(self._snapshot, self._path, method, params, deadline)


class ServerActions:
    """Asks one server about the files of a snapshot, one after the other, in one turn."""

    def __init__(
        self, session: Session, choice: ServerChoice, spec: ServerSpec, lease: Lease,
        snapshot: Snapshot, deadline: float,
    ) -> None:  # fmt: skip
        self._made = (session, choice, spec, lease, snapshot)
        self._deadline = deadline

    async def about(self, path: str) -> FileActions:
        """Turn to a file; of the one before nothing can be asked any more.

        Raises OutsideFailure with a reason's code where the server proves nothing of it, Moved.
        """
        actions = FileActions(*self._made, path, self._deadline)
        await actions.look()
        return actions


@asynccontextmanager
async def code_actions(
    session: Session, snapshot: Snapshot, choice: ServerChoice, *, owner: str, deadline: float
) -> AsyncGenerator[ServerActions, None]:
    """Take a turn at the server that sees a snapshot; `deadline` is loop time.

    Raises OutsideFailure with a reason's code where there is no such server.
    """
    (sight,) = await sights(session, choice, [snapshot])
    if sight.spec is None:
        reason = choice.reason
        assert reason is not None
        raise OutsideFailure(reason.code, reason.text, choice.name)
    async with session.pool.lease(sight.spec, owner, deadline) as lease:
        yield ServerActions(session, choice, sight.spec, lease, snapshot, deadline)


def _action(server: str, raw: Json, kind: str) -> CodeAction:
    preferred = raw.get("isPreferred")
    said = raw.get("kind")
    return CodeAction(
        server,
        str(raw.get("title", "")),
        said if isinstance(said, str) else kind,
        preferred if isinstance(preferred, bool) else None,
        raw,
    )


def _is_fit(raw: Json, kinds: Sequence[str]) -> bool:
    """Whether an action is enabled and of the kinds that were asked for: some servers send all."""
    kind = raw.get("kind")
    if raw.get("disabled") or not isinstance(kind, str | None):
        return False
    return kind is None or not kinds or any(_is_of(kind, one) for one in kinds)


def _is_of(kind: str, wanted: str) -> bool:
    return kind == wanted or kind.startswith(f"{wanted}.")


def _options(index: LineIndex) -> Json:
    """The protocol's options, as the text itself is laid out; 4 blanks where it does not say."""
    texts = [index.line(number) for number in range(len(index.starts))]
    if any(text.startswith("\t") for text in texts):
        return {"tabSize": 4, "insertSpaces": False}
    widths = [len(text) - len(text.lstrip(" ")) for text in texts if text.startswith("  ")]
    return {"tabSize": math.gcd(*widths) if widths else 4, "insertSpaces": True}


def _clamped(
    value: object, lines: LineIndex | None, index_of: Callable[[str], LineIndex | None]
) -> object:
    """The value with each position moved to the nearest one of its document."""
    if isinstance(value, list):
        return [_clamped(item, lines, index_of) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("Json", value)
    document = fields.get("textDocument")
    uri = cast("Json", document).get("uri") if isinstance(document, dict) else None
    if isinstance(uri, str):
        lines = index_of(uri)
    line, character = fields.get("line"), fields.get("character")
    if lines is not None and isinstance(line, int) and isinstance(character, int):
        place = lines.clamped(line, character, "utf-16")
        return {"line": place.line, "character": lines.character(place)}
    return {
        key: _clamped(item, index_of(key) if key.startswith("file:") else lines, index_of)
        for key, item in fields.items()
    }


def _span(about: Sequence[Json]) -> Json:
    """The range of the diagnostics, from the first place to the last."""

    def place(position: Json) -> tuple[int, int]:
        return position["line"], position["character"]

    starts = [cast("Json", one["range"]["start"]) for one in about]
    ends = [cast("Json", one["range"]["end"]) for one in about]
    return {"start": min(starts, key=place), "end": max(ends, key=place)}
