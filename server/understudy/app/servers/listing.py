"""The verbs `servers list` and `servers show`: what there is, what is installed, what is proven."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from understudy.disk.trust import is_trusted
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.proven.profile_proof import ProfileProof
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.servers.choice import ServerChoice, ServerChooser
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.settings import Settings

Standing = Literal["proven", "unproven", "command"]


@frozen
class ServerEntry:
    """One profile. standing: `command` needs no proof, as its output is its evidence.

    version: of the one that is installed, "" where none is. missing: why it cannot be asked.
    refuted: what it answered wrong when it was proven, or drilled.
    """

    choice: ServerChoice
    own: bool
    version: str
    missing: str
    proof: ProfileProof | None
    refuted: str = ""
    drilled: bool = False

    @property
    def standing(self) -> Standing:
        """Whether its silence can be believed."""
        if self.choice.is_command:
            return "command"
        return "unproven" if self.proof is None else "proven"


@frozen
class ServersHere:
    """The profiles as they are in a folder."""

    root: Root
    settings: Settings
    chooser: ServerChooser

    @staticmethod
    def of(folder: Path, *, trust: bool, environ: Mapping[str, str] | None = None) -> ServersHere:
        """Read a folder's settings; raises as `settings.load` does, BadInput for no folder."""
        root = Root.open(folder)
        trusted = trust or is_trusted(root)
        settings = settings_module.load(root, trusted=trusted)
        chooser = ServerChooser(
            root, settings, trusted, Catalogue.load(settings.servers), environ or dict(os.environ)
        )
        return ServersHere(root, settings, chooser)

    def entries(self) -> Iterator[ServerEntry]:
        """Every profile, in the order of preference."""
        return map(self._entry, self.chooser.all())

    def named(self, name: str) -> ServerEntry:
        """One profile; raises BadInput `unknown-server`."""
        for choice in self.chooser.all():
            if choice.name == name:
                return self._entry(choice)
        known = ", ".join(self.chooser.names())
        raise BadInput("unknown-server", f"no profile has this name; there are: {known}", name)

    def _entry(self, choice: ServerChoice) -> ServerEntry:
        missing = "" if choice.reason is None else choice.reason.text
        spec = choice.spec
        version = "" if spec is None else self.chooser.version_of(choice.profile, spec.command)
        book: ProofBook = self.chooser.proofs
        word = book.word_on(choice.profile, version) if version else None
        refuted = "" if word is None else word.refuted
        own, proof = choice.name in self.chooser.catalogue.own, None if refuted else word
        drilled = word is not None and word.drilled
        return ServerEntry(choice, own, version, missing, proof, refuted, drilled)
