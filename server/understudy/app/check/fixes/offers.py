"""What servers offer to mend findings with, and which of it may be tried."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.workspace.options import FixWish
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.code_actions import CodeAction, FileActions, code_actions

QUICK, WHOLE_FILE = ("quickfix",), ("source.organizeImports", "source.fixAll")

_MOST_ALTERNATIVES = 6
_SILENCES = re.compile(
    r"\b(ignor\w*|suppress\w*|disable|noqa|nolint|silence)\b|@ts-", re.IGNORECASE
)
_INVENTS = re.compile(
    r"^\W*(?:create|declare|generate|stub|implement|infer|add (?:all )?missing "
    r"(?:function|method|member|property|properties|enum)|add index signature)\b",
    re.IGNORECASE,
)
"""Such a fix makes up a declaration: that nothing is said any more does not make it right."""
_REACHES_FURTHER = re.compile(r"^(?:\S+ ){0,2}all\b", re.IGNORECASE)
"""Such a fix is for all places of a kind, and there is another for the one that is asked about."""

UNUSED = re.compile(r"\bunused\b|\bnever (?:read|used)\b|\bnot (?:used|accessed)\b")
"""Messages about what nothing needs."""

UNSAFE = "its server does not vouch for it; asked for unsafe ones, it is tried"


@frozen
class Offer:
    """A fix with its edits (LSP workspace edits), for a finding or a whole file of findings."""

    finding: Finding
    title: str
    edits: tuple[Mapping[str, Any], ...]
    is_whole_file: bool = False

    @property
    def text(self) -> str:
        """Equal where two fixes come to the same."""
        return json.dumps(self.edits, sort_keys=True, default=str)


@frozen
class Offered:
    """What was found for one finding: fixes that may be tried, and why others may not.

    With several to try, the server leaves open which is right.
    """

    finding: Finding
    offers: tuple[Offer, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@frozen
class OfferQuestion:
    """Who asks for offers, about which snapshot, until when (loop time)."""

    session: Session
    snapshot: Snapshot
    wish: FixWish
    owner: str
    deadline: float


async def offers(
    question: OfferQuestion, findings: Iterable[Finding], kinds: Sequence[str]
) -> dict[Finding, Offered]:
    """What each finding's own server offers for it; a server that fails offers nothing.

    Of a whole file's kinds, the first finding of each file has the offers.
    """
    by_server: dict[ServerChoice, dict[str, list[Finding]]] = {}
    for finding in findings:
        for choice in question.session.servers.choose(finding.path, (finding.server,)):
            if not choice.is_command and choice.spec is not None:
                by_server.setdefault(choice, {}).setdefault(finding.path, []).append(finding)
    found: dict[Finding, Offered] = {}

    async def ask(choice: ServerChoice, files: Mapping[str, list[Finding]]) -> None:
        session, deadline = question.session, question.deadline
        try:
            async with code_actions(
                session, question.snapshot, choice, owner=question.owner, deadline=deadline
            ) as server:
                for path, wished in files.items():
                    asker = _Asker(question, choice, await server.about(path))
                    found.update(await asker.offered(wished, kinds))
        except OutsideFailure as failure:
            left = [one for listed in files.values() for one in listed if one not in found]
            if failure.code == "not-offered":  # it has no fixes at all
                found.update({finding: Offered(finding) for finding in left})
                return
            why = (("", f"{choice.name} could not be asked: {failure.text}"),)
            found.update({finding: Offered(finding, refused=why) for finding in left})

    await all_of([ask(choice, files) for choice, files in by_server.items()])
    return found


class _Asker:
    """Asks one server about the findings of one file."""

    def __init__(self, question: OfferQuestion, choice: ServerChoice, file: FileActions) -> None:
        self._question = question
        self._choice = choice
        self._file = file

    async def offered(
        self, wished: Sequence[Finding], kinds: Sequence[str]
    ) -> dict[Finding, Offered]:
        """What is offered for each of the wished findings that the server still has."""
        raws = dict(self._file.diagnostics)
        known = [finding for finding in wished if finding in raws]
        found = {finding: Offered(finding) for finding in wished}
        if not known:
            return found
        if kinds is not QUICK:
            actions = await self._file.listed([raws[one] for one in known], kinds)
            found[known[0]] = await self._whole_file(known[0], actions)
            return found
        for finding in known:
            actions = await self._file.listed([raws[finding]], kinds)
            found[finding] = await self._quick(finding, actions)
        return found

    async def _quick(self, finding: Finding, actions: Sequence[CodeAction]) -> Offered:
        """The fixes that the server prefers, else those that it says nothing against."""
        fixes = [one for one in actions if not _SILENCES.search(one.title)]
        fixes = [one for one in fixes if not _REACHES_FURTHER.match(one.title)]
        safe = [one for one in fixes if self._is_safe(one)]
        tried = [one for one in safe if one.is_preferred] or safe
        unsafe = [one for one in fixes if one not in safe]
        if self._question.wish.unsafe and not tried:
            tried, unsafe = unsafe, []
        offers, refused = await self._with_edits(finding, tried, is_whole_file=False)
        if not tried:
            refused += [(action.title, UNSAFE) for action in unsafe]
        return Offered(finding, tuple(offers), tuple(refused))

    async def _whole_file(self, finding: Finding, actions: Sequence[CodeAction]) -> Offered:
        fixes = [one for one in actions if not _SILENCES.search(one.title)]
        offers, refused = await self._with_edits(finding, fixes, is_whole_file=True)
        return Offered(finding, tuple(offers), tuple(refused))

    def _is_safe(self, action: CodeAction) -> bool:
        if action.is_preferred is False or action.needs_confirmation:
            return False
        if action.is_preferred is None and self._choice.profile.unmarked_fixes == "unsafe":
            return False
        return not _INVENTS.match(action.title)

    async def _with_edits(
        self, finding: Finding, actions: Sequence[CodeAction], *, is_whole_file: bool
    ) -> tuple[list[Offer], list[tuple[str, str]]]:
        """The actions with what they edit, each text once; and why others come to nothing."""
        found: dict[str, Offer] = {}
        refused: list[tuple[str, str]] = []
        for action in actions[:_MOST_ALTERNATIVES]:
            try:
                edits = await self._file.edits_of(action)
            except (OutsideFailure, Refused) as error:
                refused.append((action.title, error.text))
                if error.code in ("timeout", "crashed"):
                    break
                continue
            offer = Offer(finding, action.title, edits, is_whole_file)
            if edits:
                found.setdefault(offer.text, offer)
        left = len(actions) - _MOST_ALTERNATIVES
        if left > 0:
            refused.append((f"{left} more", f"{_MOST_ALTERNATIVES} are tried at most"))
        return list(found.values()), refused
