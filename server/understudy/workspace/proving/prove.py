"""Finds the cheapest rule by which a server is right in every answer, and what its scope is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from understudy.langserver.profile import Profile
from understudy.langserver.proven.kit import Kit, fitted
from understudy.langserver.proven.profile_proof import ProfileProof, digest_of
from understudy.langserver.spec import ServerSpec
from understudy.values.fields import Word
from understudy.values.frozen import frozen
from understudy.workspace.progress import Progress
from understudy.workspace.proving.asker import Asker, Observed, asking
from understudy.workspace.proving.drill import PATIENCE_S, Drill, Group, Refuted
from understudy.workspace.proving.questions import KitQuestion, alone, definition, use
from understudy.workspace.settings import Settings

_SHOWN_S = 60.0
"""How long a server may take to show how its findings come."""
_MORE_S = 1.5
"""How long it may take from there to offer another way."""
_FOUND_S, _TURN_S = 6.0, 0.2
"""How long a new process may take to see what another file does to one; between two questions."""


@frozen
class Tried:
    """One candidate, and why it is not right (None: it is); is_wrong: for a wrong answer.

    is_passing: for too few answers. is_brief: it was asked only what fits into a few seconds.
    """

    profile: Profile
    refuted: str | None
    groups: tuple[Group, ...]
    is_wrong: bool = False
    is_passing: bool = False
    is_brief: bool = False


@frozen
class Proving:
    """What came of it: the profile that is right, if any, and everything that was tried.

    why: what kept it from being proven where no candidate was tried at all. heaviest: bytes.
    """

    asked_for: Profile
    version: str
    kit: Kit
    tried: tuple[Tried, ...]
    proof: ProfileProof | None
    seconds: float
    heaviest: int
    why: str = ""

    @property
    def proven(self) -> Profile | None:
        """The profile as it is right."""
        return self.tried[-1].profile if self.proof is not None else None

    @property
    def refutation(self) -> ProfileProof | None:
        """That the profile as it was given answers wrong, None where no answer did."""
        for tried in self.tried:
            if tried.is_wrong and tried.profile == self.asked_for:
                proof = _proof(tried, self.version, self.kit)
                return replace(proof, refuted=str(tried.refuted))
        return None

    @property
    def changed(self) -> dict[str, object]:
        """The keys of the profile that are right otherwise than it says."""
        if self.proven is None:
            return {}
        keys = ("rule", "scope", "reads_disk", "ready", "at_once", "probe", "canary")
        return {
            key: getattr(self.proven, key)
            for key in keys
            if getattr(self.proven, key) != getattr(self.asked_for, key)
        }


@dataclass
class _Trial:
    asker: Asker
    progress: Progress
    fixed: bool
    patience_s: float
    is_brief: bool
    tried: list[Tried] = field(default_factory=lambda: [])


async def prove(
    profile: Profile, model: ServerSpec, version: str, kit: Kit, *,
    settings: Settings, environ: Mapping[str, str], progress: Progress, fixed: bool = False,
    patience_s: float = PATIENCE_S, brief_at: Path | None = None,
) -> Proving:  # fmt: skip
    """Ask a server everything that the kit can ask, by each rule that it may be right by.

    model: how it is started. fixed: its profile is tried as it is, and no other rule. brief_at:
    so, beside this place, and no more is asked than fits into a few seconds.
    """
    began = time.monotonic()
    kit = fitted(kit, profile.name)
    profile = replace(profile, objections={})  # what it says is asked, and whether it says anything
    is_brief = brief_at is not None
    async with asking(profile, model, kit, settings, environ, brief_at) as asker:
        trial = _Trial(asker, progress, fixed or is_brief, patience_s, is_brief)
        why = _unfit(asker)
        if not why and not is_brief:
            progress(f"{profile.name}: starting", 0, 0)
            await _observe(asker)
        right = None if why else await _first_right(trial)
        await asker.measure()
        heaviest = asker.heaviest
    tried = tuple(replace(one, is_brief=is_brief) for one in trial.tried)
    proof = None if right is None else _proof(tried[-1], version, kit)
    seconds = time.monotonic() - began
    return Proving(profile, version, kit, tried, proof, seconds, heaviest, why)


def _unfit(asker: Asker) -> str:
    """Why this kit cannot prove this server; nothing where it may."""
    kit, profile = asker.kit, asker.profile
    if not profile.languages & set(kit.languages):
        return f"the kit is not for {', '.join(sorted(profile.languages))}"
    if profile.language_of(kit.path("us_one")) is None:
        return f"the profile does not judge files like {kit.path('us_one')}, which the kit has"
    return ""


async def _observe(asker: Asker) -> None:
    """Let the server show how its findings come; a rule that never answers waits long enough."""
    plain, seen = asker.profile, asker.observed
    asker.profile = replace(plain, rule="version", scope="file", canary={}, probe={})
    question = alone(asker.kit, 0, asker.kit.path("us_one"))
    asked = asyncio.ensure_future(asker.ask(question.edits, question.path, _SHOWN_S))
    loop = asyncio.get_running_loop()
    until = loop.time() + _SHOWN_S
    while loop.time() < until and not asked.done():
        if seen.offers_pull or seen.pushes:
            until = min(until, loop.time() + _MORE_S)
        if seen.offers_pull and seen.pushes:
            break
        await asyncio.wait([asked], timeout=0.1)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    asker.profile = plain


async def _first_right(trial: _Trial) -> Profile | None:
    """The first candidate, the cheapest before all others, that is right in every answer."""
    asker = trial.asker
    declared = asker.profile
    scope = declared.scope
    if not trial.fixed and scope == "file" and asker.kit.crosses_files:
        scope = "project" if await _sees_others(asker, declared) else "file"
    if scope == "project" and not asker.kit.crosses_files:
        text = "its scope is `project`, and the kit has no `use`: what one file does to another"
        trial.tried.append(Tried(declared, f"{text} cannot be asked", ()))
        return None
    candidates = [declared] if trial.fixed else [*_candidates(declared, scope, asker)]
    for candidate in candidates:
        if await _is_right(trial, candidate):
            return candidate
        late = _later(candidate, trial)
        if late is not None and not trial.fixed and await _is_right(trial, late):
            return late
    return None


async def _is_right(trial: _Trial, candidate: Profile) -> bool:
    asker = trial.asker
    await asker.start_anew()
    asker.profile = candidate
    one = Drill(asker, trial.progress, patience_s=trial.patience_s, is_brief=trial.is_brief)
    try:
        await one.run()
    except Refuted as wrong:
        tried = Tried(candidate, str(wrong), tuple(one.groups), wrong.is_wrong, wrong.is_passing)
        trial.tried.append(tried)
        return False
    trial.tried.append(Tried(candidate, None, tuple(one.groups)))
    return True


async def _sees_others(asker: Asker, declared: Profile) -> bool:
    """Whether a new process finds in a file what another one, on disk, makes wrong in it."""
    kit = asker.kit
    module, path = kit.module_path("us_lib"), kit.path("us_user")
    await asker.save({module: definition(kit, 0, broken=True)})
    found = False
    for candidate in _candidates(declared, "file", asker):
        asker.profile = candidate
        await asker.start_anew()
        loop = asyncio.get_running_loop()
        until = loop.time() + _FOUND_S
        number = 0
        while not found and loop.time() < until:
            number += 1  # a text of its own each time, as a server keeps what it has said
            edits = {path: use(kit) + "\n" * number}
            answer = await asker.ask(edits, path, until - loop.time())
            if answer.findings is None:
                break
            found = KitQuestion(path, edits, None).outcome(answer, kit) == "right"
            await asyncio.sleep(_TURN_S)
        if number > 1:
            break
    await asker.save({module: definition(kit, 0, broken=False)})
    asker.profile = declared
    return found


def _candidates(declared: Profile, scope: str, asker: Asker) -> Iterator[Profile]:
    """The profiles that may be right, the cheapest first; the one that was given has its place."""
    canaries = _canaries(declared, asker.kit)
    seen: Observed = asker.observed
    plain = replace(declared, scope=scope)
    rules = [("pull", seen.offers_pull), ("version", seen.names_versions and scope == "file")]
    rules += [("reopen", seen.names_versions and scope == "project")]
    rules += [("canary", seen.pushes and bool(canaries))]
    own = declared.rule
    names = [name for name, can in rules if can]
    if own not in names:
        names.append(own)
    for reads_disk in (False, True) if scope == "project" else (declared.reads_disk,):
        for name in names:
            at_once = 1 if name == "reopen" else declared.at_once
            lines = canaries if name == "canary" else declared.canary
            yield replace(plain, rule=name, reads_disk=reads_disk, at_once=at_once, canary=lines)


def _canaries(declared: Profile, kit: Kit) -> Mapping[str, Word]:
    if declared.canary or not kit.canary:
        return declared.canary
    return dict.fromkeys(sorted(declared.languages), Word(kit.canary))


def _later(candidate: Profile, trial: _Trial) -> Profile | None:
    """The same where its first answers do not count: for a server that is not ready at once."""
    last = trial.tried[-1]
    if len(last.groups) > 1:
        return None
    kit = trial.asker.kit
    if candidate.rule == "pull":
        waits = candidate.ready == "configuration" or not trial.asker.observed.asks_settings
        return None if waits else replace(candidate, ready="configuration")
    path, text = Path(kit.path("us_probe")).name, kit.text("us_mark_probe", 1)
    return None if candidate.probe else replace(candidate, probe={path: Word(text)})


def _proof(tried: Tried, version: str, kit: Kit) -> ProfileProof:
    profile, groups = tried.profile, tried.groups
    objections = dict.fromkeys(sorted(profile.languages), kit.objection) if kit.objection else {}
    return ProfileProof(
        server=profile.name,
        version=version,
        digest=digest_of(profile),
        rule=profile.rule,
        scope=profile.scope,
        asked=sum(group.asked for group in groups),
        unknown=sum(group.unknown for group in groups),
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        kit=",".join(kit.languages),
        objections=objections,
        groups={group.name: group.asked for group in groups},
        drilled=tried.is_brief,
    )
