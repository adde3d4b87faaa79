"""Explaining: what servers know of a finding, and what their fixes of it would leave."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from understudy.app.check.blast_radius import blast_radius, changed_paths
from understudy.app.check.fixes.offers import QUICK, OfferQuestion, offers
from understudy.app.check.fixes.trial import Start, Tester
from understudy.dependents.reach import Reach, way_to
from understudy.langserver.waiting import all_of
from understudy.outline.detection import language_of_name
from understudy.outline.languages import LANGUAGES
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.called import called_at
from understudy.syntax.nesting import is_deep
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts
from understudy.values.positions import LineIndex
from understudy.workspace.branches.checked import Checked, Explanation, NotedPlace, TriedFix
from understudy.workspace.options import FixWish
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.code_actions import FileActions, code_actions

Json = dict[str, Any]
MOST_EXPLAINED = 20
_MOST_FIXES, _MOST_RELATED, _MOST_NEAREST = 2, 3, 3
_LIKE = 0.7
_NO_TIME = "it was not tried: no time was left"
_WORD = re.compile(r"[^\W\d]\w+")
_UNKNOWN = re.compile(
    r"cannot find|not (?:a known|defined|declared|found|exist)|\bundefined|undeclared|unresolved"
    r"|unknown|no (?:member|attribute|such)|has no|implicit",
    re.IGNORECASE,
)
"""Messages about a name that nobody declares."""


@frozen
class Explainer:
    """Explains the findings of one check; `tester` tries fixes, until `until` (loop time)."""

    session: Session
    checked: Checked
    start: Start
    tester: Tester
    until: float

    async def explained(self) -> tuple[Explanation, ...]:
        """The first introduced findings, each with what could be learnt in time."""
        findings = self.checked.report.introduced[:MOST_EXPLAINED]
        by_server: dict[ServerChoice, dict[str, list[Finding]]] = {}
        for one in findings:
            for choice in self.session.servers.choose(one.path, (one.server,)):
                if not choice.is_command and choice.spec is not None:
                    by_server.setdefault(choice, {}).setdefault(one.path, []).append(one)
        known: dict[Finding, Explanation] = {}
        await all_of([self._ask(choice, files, known) for choice, files in by_server.items()])
        reach = await self._reach()
        fixes = await self._fixes(findings)
        return tuple(
            replace(
                known.get(one) or Explanation(one),
                chain=(*way_to(one.path, reach), one.path) if one.path in reach else (),
                names=tuple(sorted(reach[one.path].names)) if one.path in reach else (),
                fixes=fixes.get(one, ()),
            )
            for one in findings
        )

    async def _reach(self) -> Mapping[str, Reach]:
        """How the edit gets to files that it does not touch."""
        before, after = self.checked.before, self.checked.after
        edited = changed_paths(before, after)
        radius = await blast_radius(self.session.bindings, before, after, "affected")
        return {path: one for path, one in radius.reach.items() if path not in edited}

    async def _ask(
        self,
        choice: ServerChoice,
        files: Mapping[str, list[Finding]],
        known: dict[Finding, Explanation],
    ) -> None:
        after = self.checked.after
        try:
            async with code_actions(
                self.session, after, choice, owner=self.tester.owner, deadline=self.until
            ) as server:
                for path, findings in files.items():
                    file = await server.about(path)
                    raws = dict(file.diagnostics)
                    for finding in findings:
                        if finding in raws:
                            known[finding] = await self._one(file, finding, raws[finding])
        except OutsideFailure as failure:
            for finding in (one for findings in files.values() for one in findings):
                known.setdefault(finding, Explanation(finding, unknown=failure.text))

    async def _one(self, file: FileActions, finding: Finding, raw: Json) -> Explanation:
        about = {"position": await self._named(finding, raw)}
        found = await _answer(file, "textDocument/definition", about)
        declared = self._declared(found, finding)
        inside = self._inside(finding, raw)
        signature = _signature(
            await _answer(file, "textDocument/signatureHelp", {"position": inside})
        )
        is_unknown = declared is None and _UNKNOWN.search(finding.message) is not None
        nearest = self._nearest(finding) if is_unknown else ()
        page = raw.get("codeDescription")
        rule = cast("Json", page).get("href") if isinstance(page, dict) else None
        return Explanation(
            finding,
            declared,
            signature,
            self._related(raw),
            nearest=nearest,
            rule=rule if isinstance(rule, str) else None,
        )

    async def _named(self, finding: Finding, raw: Json) -> Json:
        """Where the name stands that a finding is about: the one that is called, else its start."""
        start = cast("Json", raw["range"]["start"])
        text = self.checked.after.read(finding.path)
        name = language_of_name(finding.path)
        if text is None or name is None or is_deep(text.content.encode("utf-8", "replace")):
            return start
        grammar = LANGUAGES[name].grammar if name in LANGUAGES else name
        run, size = self.session.workers.run, len(text.content)
        called = await run(called_at, grammar, text.content, finding.range, size=size)
        if called is None:
            return start
        character = LineIndex(text.content).character(called)
        return {"line": called.line, "character": character}

    def _inside(self, finding: Finding, raw: Json) -> Json:
        """A position between the brackets of a call that a finding is about, else its start."""
        start, end = raw["range"]["start"], raw["range"]["end"]
        lines, last = _lines(self.checked.after, finding.path), finding.range.end
        is_call = last.line < len(lines) and lines[last.line][: last.column].endswith(")")
        return {"line": end["line"], "character": end["character"] - 1} if is_call else start

    def _declared(self, found: object, finding: Finding) -> NotedPlace | None:
        first = cast("list[object]", [*found, None])[0] if isinstance(found, list) else found
        if not isinstance(first, dict):
            return None
        link = cast("Json", first)
        uri = link.get("targetUri") or link.get("uri")
        span = link.get("targetSelectionRange") or link.get("range")
        place = self._place(uri, span)
        is_itself = (
            place is not None
            and place.path == finding.path
            and (place.line == finding.range.start.line)
        )
        return None if is_itself else place

    def _place(self, uri: object, span: object, text: str | None = None) -> NotedPlace | None:
        """A place of the folder, with its line or what is said there."""
        if not isinstance(uri, str) or not isinstance(span, dict):
            return None
        path = self.session.root.relative_of_uri(uri)
        with suppress(BadInput, KeyError, IndexError, TypeError):
            line: int = cast("Json", span)["start"]["line"]
            if path is not None:
                said = _lines(self.checked.after, path)[line].strip() if text is None else text
                return NotedPlace(path, line, said)
        return None

    def _related(self, raw: Json) -> tuple[NotedPlace, ...]:
        told = raw.get("relatedInformation")
        found: list[NotedPlace] = []
        for one in cast("list[object]", told) if isinstance(told, list) else []:
            place = cast("Json", one).get("location") if isinstance(one, dict) else None
            if isinstance(place, dict):
                at = cast("Json", place)
                message = str(cast("Json", one).get("message", ""))
                found += (
                    [found_at]
                    if (found_at := self._place(at.get("uri"), at.get("range"), message))
                    else []
                )
        return tuple(found[:_MOST_RELATED])

    def _nearest(self, finding: Finding) -> tuple[str, ...]:
        """Names of the file and of the edited ones that are like the one that is said there."""
        after = self.checked.after
        lines = _lines(after, finding.path)
        start, end = finding.range.start, finding.range.end
        if start.line >= len(lines):
            return ()
        stop = end.column if end.line == start.line else None
        word = _WORD.match(lines[start.line][start.column : stop])
        if word is None:
            return ()
        edited = changed_paths(self.checked.before, after)
        words: set[str] = set()
        for path in {finding.path, *edited, *self._imported(finding.path)}:
            with suppress(BadInput):
                words |= set(_WORD.findall("\n".join(_lines(after, path))))
        words.discard(word[0])
        return tuple(difflib.get_close_matches(word[0], sorted(words), _MOST_NEAREST, _LIKE))

    def _imported(self, path: str) -> Sequence[str]:
        """Files beside it: most misspelt names are of a neighbour."""
        folder = path.rpartition("/")[0]
        ending = path.rpartition(".")[2]
        beside = (
            one
            for one in self.checked.after.base.folder.files
            if one.rpartition("/")[0] == folder and one.rpartition(".")[2] == ending
        )
        return sorted(beside)[:20]

    async def _fixes(self, findings: Sequence[Finding]) -> dict[Finding, tuple[TriedFix, ...]]:
        """The servers' fixes, each tried by itself, and which were not, for want of time."""
        question = OfferQuestion(
            self.session, self.checked.after, FixWish(), self.tester.owner, self.until
        )
        told: dict[Finding, tuple[TriedFix, ...]] = {}
        for finding, offered in (await offers(question, findings, QUICK)).items():
            tried: list[TriedFix] = []
            for offer in offered.offers[:_MOST_FIXES]:
                left = self.until - time.monotonic()
                if left <= 0:
                    tried.append(TriedFix(offer.title, helps=False, leaves=_NO_TIME))
                    continue
                trial = await self.tester.tried(self.start, [offer], left)
                if trial.branch is not None:
                    await self.tester.book.discard(trial.branch.id)
                tried.append(TriedFix(offer.title, trial.why is None, trial.why))
            tried += [TriedFix(title, False, why) for title, why in offered.refused]
            told[finding] = tuple(tried[:_MOST_FIXES])
        return told


async def _answer(file: FileActions, method: str, params: Json) -> object:
    """A server's answer, None where it gives none: not every one knows every question."""
    try:
        return await file.ask(method, params)
    except OutsideFailure as failure:
        if failure.code in ("refused", "not-offered"):
            return None
        raise


def _signature(found: object) -> str | None:
    signatures = cast("Json", found).get("signatures") if isinstance(found, dict) else None
    if not isinstance(signatures, list) or not signatures:
        return None
    active = cast("Json", found).get("activeSignature")
    listed = cast("list[Json]", signatures)
    index = active if isinstance(active, int) and 0 <= active < len(listed) else 0
    label = listed[index].get("label")
    return label if isinstance(label, str) else None


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    text = snapshot.read(path)
    return [] if text is None else line_texts(text.content)
