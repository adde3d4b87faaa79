"""Tells what is fixed from what is hidden: gathers all that may keep a server from looking."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from understudy.app.check.blast_radius import Radius
from understudy.findings.hiding import EditedText, Obstacles, part_hidden
from understudy.findings.judgement import Difference, Judged, LineMaps
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.json_input import loads_with_comments
from understudy.values.positions import Position
from understudy.values.texts import Text
from understudy.values.verdicts import Hider

if TYPE_CHECKING:
    from understudy.langserver.profile import Profile
    from understudy.workspace.session import Session

_ONE_BY_ONE = 20
"""Of more files with new errors than this, the users are looked up together."""


@frozen
class HiddenTeller:
    """Made for one check, of what it asked and was answered."""

    session: Session
    before: Snapshot
    after: Snapshot
    radius: Radius
    answers: Sequence[Judged]
    maps: LineMaps

    async def tell(self, difference: Difference) -> None:
        """Move what is only hidden out of what is fixed; most checks have nothing to move."""
        now = {old: new for new, old in self.radius.origins.items()}
        gone = [one for one in difference.fixed if self.after.exists(now.get(one.path, one.path))]
        if not gone:
            return
        texts = await self._texts(gone)
        obstacles = {
            server: await self._obstacles(server, difference, gone)
            for server in sorted({one.server for one in gone})
        }
        _, hidden = part_hidden(gone, obstacles, texts)
        moved = {id(one.finding) for one in hidden}
        difference.fixed[:] = [one for one in difference.fixed if id(one) not in moved]
        difference.hidden += hidden

    async def _texts(self, gone: Iterable[Finding]) -> dict[str, EditedText]:
        """The edited files that are there on both sides, by their paths before."""
        found: dict[str, EditedText] = {}
        for path in self.radius.changed:
            old, lines = self.maps(path)
            text, former = _read(self.after, path), _read(self.before, old)
            if lines is not None and text is not None and former is not None:
                edited = EditedText(path, lines, text.content)
                starts = {one.range.start for one in gone if one.path == old}
                found[old] = await self._with_asleep(edited, former.content, sorted(starts))
        return found

    async def _with_asleep(
        self, text: EditedText, former: str, starts: Iterable[Position]
    ) -> EditedText:
        """The text with the places on unedited lines that became a comment or a string."""
        from understudy.outline.detection import language_of_name  # noqa: PLC0415 - most checks fix nothing
        from understudy.outline.languages import LANGUAGES  # noqa: PLC0415 - as above
        from understudy.syntax.asleep import spans_asleep  # noqa: PLC0415 - as above

        pairs = [(at, text.lines.to_after(at.line)) for at in starts]
        kept = [(at, Position(line, at.column)) for at, line in pairs if line is not None]
        name = language_of_name(text.path)
        if name is None or not kept:
            return text
        grammar = LANGUAGES[name].grammar if name in LANGUAGES else name
        run, size = self.session.workers.run, len(text.content)
        places = [now for _, now in kept]
        spans = await run(spans_asleep, grammar, text.content, places, size=size)
        if not any(spans):
            return text
        olds = [at for at, _ in kept]
        before = await run(spans_asleep, grammar, former, olds, size=len(former))
        zipped = zip(places, spans, before, strict=True)
        asleep = {at: span for at, span, old in zipped if span is not None and old is None}
        return replace(text, asleep=asleep)

    async def _obstacles(
        self, server: str, difference: Difference, gone: Sequence[Finding]
    ) -> Obstacles:
        profile = self.session.catalogue.named(server)
        if profile is None:
            return Obstacles(())
        rules = profile.hiding_rules
        new = [one for one in self._new(server, difference) if any(r.is_by(one) for r in rules)]
        own = {one.path for one in gone if one.server == server}
        is_wide = any(rule.within in ("folder", "users") for rule in rules)
        blind = await self._blind(server, own) if is_wide else []
        far: set[str] = set()
        if any(rule.within == "users" for rule in rules):
            far = {one.path for one in (*new, *blind)}
        return Obstacles(rules, new, blind, self._broken(profile), await self._users(far, own))

    def _new(self, server: str, difference: Difference) -> Iterable[Finding]:
        """What the server says now and did not before, and all on lines that the edit wrote."""
        there = (*difference.introduced, *difference.unattributed)
        found = dict.fromkeys(one for one in there if one.server == server)
        for judged in self.answers:
            if judged.server == server and judged.after is not None:
                lines = self.maps(judged.path)[1]
                for one in judged.after.findings or ():
                    if lines is not None and lines.block_after(one.range.start.line) is not None:
                        found[one] = None
        return found

    async def _blind(self, server: str, own: Collection[str]) -> list[Hider]:
        """Files that the edit reaches, and of which nobody knows what is wrong with them now."""
        asked = {judged.path for judged in self.answers if judged.server == server}
        found: list[Hider] = []
        for judged in self.answers:
            if judged.server != server or judged.after is None or judged.after.reason is None:
                continue
            known = judged.before is None or judged.before.reason is None
            if known or judged.path in self.radius.changed:
                text = f"it could not be judged: {judged.after.reason.text}"
                found.append(Hider(judged.path, None, text))
        profile = self.session.catalogue.named(server)
        if not self.radius.reach and profile is not None and own:  # the narrowest scope
            reached = await self.session.bindings.reached(
                self.before, self.after, self.radius.changed
            )
            text = "the edit reaches it, and it was not asked"
            found += [
                Hider(path, None, text)
                for path in sorted(reached.keys() - asked)
                if profile.language_of(path) is not None and self.after.exists(path)
            ]
        return found

    def _broken(self, profile: Profile) -> list[Hider]:
        """What the server reads without judging it, and what is gone or no JSON since the edit."""
        found: list[Hider] = []
        for path in sorted(self.radius.changed):
            if not profile.reads_file(path) or profile.language_of(path) is not None:
                continue
            if _is_json(_read(self.before, path)) and not _is_json(_read(self.after, path)):
                is_there = self.after.exists(path)
                found.append(Hider(path, None, "it is no JSON now" if is_there else "it is gone"))
        return found

    async def _users(self, paths: Collection[str], own: set[str]) -> Mapping[str, Collection[str]]:
        """Who depends on each of these files, where anything is gone in others than itself."""
        wanted = sorted(path for path in paths if own - {path})
        sides = [self.before, self.after]
        if len(wanted) > _ONE_BY_ONE:
            return dict.fromkeys(wanted, await self.session.bindings.dependents_of(sides, wanted))
        return {p: await self.session.bindings.dependents_of(sides, [p]) for p in wanted}


def _read(snapshot: Snapshot, path: str) -> Text | None:
    try:
        return snapshot.read(path)
    except BadInput:  # no text
        return None


def _is_json(text: Text | None) -> bool:
    try:
        loads_with_comments("" if text is None else text.content)
    except ValueError:
        return False
    return True
