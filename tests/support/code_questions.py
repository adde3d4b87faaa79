"""Questions about code asked twice: of our verb, and of the bare server that has all files open."""

from __future__ import annotations

import random
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.support.agreement import rehearsals
from tests.support.bare_server import BareServer, ServerErrorAnswer, bare_server
from tests.support.projects import project
from understudy.app.code.answer import CodeAnswer, CodeWish
from understudy.app.code.ask import ask
from understudy.langserver.capabilities import capabilities
from understudy.values.paths import path_of_uri
from understudy.values.positions import LineIndex
from understudy.workspace.session import Session

Spot = tuple[str, int, int]
"""A path, a line and a character of the protocol."""

ERROR: frozenset[Any] = frozenset(["error"])
"""The server answered with an error, to both."""

LOCATED: Mapping[str, str] = {
    "definition": "textDocument/definition",
    "declaration": "textDocument/declaration",
    "type": "textDocument/typeDefinition",
    "implementation": "textDocument/implementation",
    "references": "textDocument/references",
}
PROVIDERS: Mapping[str, str] = {
    "definition": "definitionProvider",
    "declaration": "declarationProvider",
    "type": "typeDefinitionProvider",
    "implementation": "implementationProvider",
    "references": "referencesProvider",
    "hover": "hoverProvider",
    "callers": "callHierarchyProvider",
    "callees": "callHierarchyProvider",
    "symbols": "documentSymbolProvider",
}
_NAME = re.compile(r"[A-Za-z_]\w{3,}")


@dataclass(frozen=True)
class Asked:
    """One question; `target` is as our verb takes it."""

    question: str
    path: str
    line: int
    column: int

    @property
    def target(self) -> str:
        """`PATH:LINE:COLUMN`, or the path alone."""
        return self.path if self.question == "symbols" else (
            f"{self.path}:{self.line + 1}:{self.column + 1}"
        )  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A session of ours and the bare server, over equal folders."""

    session: Session
    server: str
    bare: BareServer
    files: Mapping[str, str]
    sources: Sequence[str]

    async def ours(self, asked: Asked) -> tuple[CodeAnswer, float]:
        """Our answer, and how long it took (s)."""
        began = time.perf_counter()
        wish = CodeWish(asked.question, asked.target, server=self.server, timeout_s=120)
        found = await ask(self.session, self.session.bases.own, wish)
        return found, time.perf_counter() - began

    async def theirs(self, asked: Asked) -> tuple[frozenset[Any], float]:
        """What the bare server says, as `spots_of` has it, and how long it took (s)."""
        began = time.perf_counter()
        try:
            found = await self._asked(asked)
        except ServerErrorAnswer:
            found = ERROR
        return found, time.perf_counter() - began

    async def _asked(self, asked: Asked) -> frozenset[Any]:
        uri = self.bare.uri(asked.path)
        document = {"textDocument": {"uri": uri}}
        at = {**document, "position": {"line": asked.line, "character": asked.column}}
        if asked.question == "symbols":
            found = await self.bare.ask("textDocument/documentSymbol", document)
            return frozenset(self._symbols(found, asked.path))
        if asked.question == "hover":
            found = await self.bare.ask("textDocument/hover", at)
            return frozenset(["text"] if found and found.get("contents") else [])
        if asked.question in ("callers", "callees"):
            return frozenset(await self._calls(asked.question, at))
        if asked.question == "references":
            at["context"] = {"includeDeclaration": True}
        found = await self.bare.ask(LOCATED[asked.question], at)
        items = found if isinstance(found, list) else [found] if found else []
        return frozenset(
            self._spot(
                item.get("targetUri", item.get("uri")),
                item.get("targetSelectionRange", item.get("range")),
            )
            for item in items
        )

    async def _calls(self, question: str, at: dict[str, Any]) -> list[Spot]:
        spots: list[Spot] = []
        for item in await self.bare.ask("textDocument/prepareCallHierarchy", at) or []:
            way = "incoming" if question == "callers" else "outgoing"
            for call in await self.bare.ask(f"callHierarchy/{way}Calls", {"item": item}) or []:
                if question == "callers":
                    spots += [self._spot(call["from"]["uri"], one) for one in call["fromRanges"]]
                else:
                    spots.append(self._spot(call["to"]["uri"], call["to"]["selectionRange"]))
        return spots

    def _symbols(self, items: Any, path: str) -> list[tuple[str, Spot]]:
        found: list[tuple[str, Spot]] = []
        for item in items or []:
            place = item.get("location", {}).get("range") or item["selectionRange"]
            found.append((item["name"], self._spot(self.bare.uri(path), place)))
            found += self._symbols(item.get("children"), path)
        return found

    def _spot(self, uri: str, place: dict[str, Any]) -> Spot:
        path = path_of_uri(uri)
        assert path is not None, uri
        name = path.relative_to(self.bare.root).as_posix() if path.is_relative_to(
            self.bare.root
        ) else str(path)  # fmt: skip
        return name, place["start"]["line"], place["start"]["character"]


def spots_of(found: CodeAnswer) -> frozenset[Any]:
    """Our answer in the same form: the sample's files have no character beyond 16 bits."""
    if found.why is not None and found.why.code == "refused":
        return ERROR
    assert found.status in ("answered", "nothing"), found
    if found.question == "hover":
        return frozenset(["text"] if found.text else [])
    starts = [(hit, hit.range.start) for hit in found.hits]
    if found.question == "symbols":
        return frozenset((hit.name, (hit.path, at.line, at.column)) for hit, at in starts)
    return frozenset((hit.path, at.line, at.column) for hit, at in starts)


def questions(pair: Pair, number: int, seed: int = 0) -> list[Asked]:
    """So many questions that the server knows, at names of the project, each kind as often."""
    chance = random.Random(seed)
    known = [name for name, key in PROVIDERS.items() if pair.bare.capabilities.get(key)]
    chosen: list[Asked] = []
    for at in range(number):
        path = chance.choice(list(pair.sources))
        index = LineIndex(pair.files[path])
        places = [
            (line, word.start())
            for line in range(len(index.starts))
            for word in _NAME.finditer(index.line(line))
        ]
        line, column = chance.choice(places)
        chosen.append(Asked(known[at % len(known)], path, line, column))
    return chosen


@asynccontextmanager
async def pair_of(
    language: str, server: str, folder: Path, command: Sequence[str] = ()
) -> AsyncIterator[Pair]:
    """Both sides over the language's sample project; `command` is the bare server's own."""
    sample = project(language)
    ours = sample.write(folder / "ours")
    theirs = sample.write(folder / "theirs")
    async with rehearsals(ours, folder / "state", server) as live:
        (spec,) = (one.spec for one in live.session.servers.all() if one.name == server)
        assert spec is not None
        language_of = spec.profile.language_of
        sources = [path for path in sample.files if language_of(path) is not None]
        pushes = spec.profile.rule in ("version", "reopen", "canary")
        async with bare_server(
            theirs, command or spec.command, spec.env, spec.settings,
            spec.initialization_options or None, capabilities(pushes=pushes),
        ) as bare:  # fmt: skip
            for path in sources:
                language_id = language_of(path)
                assert language_id is not None
                await bare.open(path, language_id)
            if pushes:
                await bare.heard_of(sources)
            yield Pair(live.session, server, bare, sample.files, sources)


async def differences(pair: Pair, asked: Sequence[Asked]) -> list[str]:
    """Each question that is not answered alike, with what is missing and what is too much."""
    told: list[str] = []
    for one in asked:
        found, _ = await pair.ours(one)
        truth, _ = await pair.theirs(one)
        ours = spots_of(found)
        if ours != truth:
            lacks, beyond = sorted(truth - ours), sorted(ours - truth)
            told.append(f"{one}: lacks {lacks}, has beyond {beyond}; {replace(found, hits=())}")
    return told
