"""Servers of ours in a version that nobody has seen: what is asked of them, once a machine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.disk.proof_file import drill_place, has_no_word
from understudy.langserver.profile import Profile
from understudy.langserver.proven.kit import Kit, shipped_kit
from understudy.langserver.proven.profile_proof import ProfileProof, digest_of, shipped_proofs
from understudy.langserver.spec import ServerSpec, section_of
from understudy.values.errors import UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.own_folders import state_home
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.verdicts import Reason
from understudy.workspace.servers.choice import ServerChoice, ServerChooser
from understudy.workspace.servers.environment import is_inside


@frozen
class UnseenServer:
    """How one of ours is started here, told nothing that the user has set, and its kit."""

    model: ServerSpec
    version: str
    kit: Kit

    @property
    def name(self) -> str:
        """The profile's name."""
        return self.model.name

    @property
    def key(self) -> Stamp:
        """Names what a drill of it is about, for the whole machine."""
        return drill_key(self.model.profile, self.version)

    def word_of(self, chooser: ServerChooser) -> ProfileProof | None:
        """What anybody has found out by now; raises as `ProofBook.word_on` does."""
        return chooser.proofs.word_on(self.model.profile, self.version)


@dataclass(eq=False)
class UnseenDrill:
    """How far it is. subject: what is asked, "" for nothing, once that `is_known`.

    until: it takes no longer (loop time). is_spent: it has taken so long, without an end.
    doubt: why its silence proves nothing, where that could not be kept for all.
    """

    task: asyncio.Task[Any] | None = None
    subject: str = ""
    until: float = float("inf")
    is_spent: bool = False
    doubt: Reason | None = None
    is_known: asyncio.Event = field(default_factory=asyncio.Event)


def drill_key(profile: Profile, version: str) -> Stamp:
    """Names a profile with what decides in it and a version of its server."""
    return stamp_of([profile.name, digest_of(profile), version])


def unseen_server(chooser: ServerChooser, choice: ServerChoice) -> UnseenServer | None:
    """What is to be drilled of a choice; None where nothing is, or nothing can be.

    Some version of it was proven with the kit that comes with us, asked by the same rule; those
    that come with us are of versions that were. Of arguments that the user adds nothing is known,
    nor of what lies above the folder that it would be drilled in, where that configures it. That
    folder is never the user's.
    """
    spec, profile = choice.spec, choice.profile
    if spec is None or choice.doubt is not None or not (spec.shipped and chooser.trusted):
        return None
    if choice.origin == "bundled" or _has_arguments(chooser, choice):
        return None
    if is_inside(chooser.root, state_home()):
        return None
    digest = digest_of(profile)
    proof = next((one for one in shipped_proofs() if one.digest == digest), None)
    model = chooser.untold(choice)
    if proof is None or model is None or digest_of(model.profile) != digest:
        return None
    if not _has_tool(model):
        return None
    version = chooser.version_of(profile, spec.command)
    key = drill_key(model.profile, version)
    try:
        if chooser.proofs.word_on(profile, version) is not None or has_no_word(key):
            return None
    except UnderstudyError:  # what comes of it could not be kept, and each check would wait for it
        return None
    kit = shipped_kit(proof.kit.partition(",")[0])
    if kit is None or is_configured_above(model.profile, kit, drill_place(key)):
        return None
    return UnseenServer(model, version, kit)


def is_configured_above(profile: Profile, kit: Kit, place: Path) -> bool:
    """Whether a folder above this place has what configures such a server.

    What a project of the kit has itself stands before it.
    """
    names = sorted({*profile.root_markers, *profile.config_files} - kit.files.keys())
    return any(next(folder.glob(name), None) for folder in place.parents for name in names)


def _has_arguments(chooser: ServerChooser, choice: ServerChoice) -> bool:
    name = choice.profile.arguments_from
    return name is not None and bool(section_of(chooser.server_settings, name))


def _has_tool(model: ServerSpec) -> bool:
    """Whether it is known which TypeScript decides, where one does."""
    profile = model.profile
    if profile.environment != "typescript" or profile.npm_package == "typescript":
        return True
    return section_of(model.initialization_options, "tsserver.path") is not None
