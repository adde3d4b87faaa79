"""The proofs of profiles: those that come with us, and those that were made on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from understudy.disk.proof_file import proof_file, read_proofs, write_proofs
from understudy.langserver.profile import Profile
from understudy.langserver.profile_proof import (
    ProfileProof,
    parse_proofs,
    proofs_text,
    shipped_proofs,
    with_proof,
)


@dataclass
class ProofBook:
    """All proofs, read at the first use; `more` are those that somebody brings besides."""

    more: Iterable[ProfileProof] = ()

    def about(self, profile: Profile, version: str) -> ProfileProof | None:
        """The proof of a profile for a server of this version, or one of its minor version.

        Raises BadInput `bad-proofs`, OutsideFailure `proofs-unreadable`.
        """
        every = (*self.more, *self.made, *shipped_proofs())
        return next((proof for proof in every if proof.is_about(profile, version)), None)

    @cached_property
    def made(self) -> tuple[ProfileProof, ...]:
        """Those that were made here."""
        text = read_proofs()
        return () if text is None else parse_proofs(text, str(proof_file()))

    def add(self, proof: ProfileProof) -> None:
        """Keep a proof for all folders; raises as `about` does, OutsideFailure `state-full`."""
        self.__dict__.pop("made", None)  # another process may have added one
        write_proofs(proofs_text(with_proof(self.made, proof)))
        self.__dict__.pop("made", None)
