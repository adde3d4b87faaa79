"""The proofs of profiles: those that come with us, and those that were made on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from understudy.disk.proof_file import (
    adding_proofs,
    proof_file,
    proofs_state,
    read_proofs,
    write_proofs,
)
from understudy.langserver.profile import Profile
from understudy.langserver.proven.profile_proof import (
    ProfileProof,
    minor,
    parse_proofs,
    proofs_text,
    shipped_proofs,
    with_proof,
)
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.verdicts import Reason


@dataclass
class ProofBook:
    """All proofs, read whenever they have changed; `more`: those that somebody brings besides."""

    more: Iterable[ProfileProof] = ()
    _read: tuple[object, tuple[ProfileProof, ...]] = field(default=("never", ()))

    @property
    def state(self) -> object:
        """What changes whenever a proof was made on this machine."""
        return proofs_state()

    def about(self, profile: Profile, version: str) -> ProfileProof | None:
        """The proof of a profile for a server of this version, or one of its minor version.

        Raises BadInput `bad-proofs`, OutsideFailure `proofs-unreadable`.
        """
        found = self.word_on(profile, version)
        return None if found is None or found.refuted else found

    def word_on(self, profile: Profile, version: str) -> ProfileProof | None:
        """The same, also where it was refuted; what was found here goes before what comes with us.

        What names the TypeScript goes before what is about any; a refutation, before what is older.
        Raises as `about` does.
        """
        every = (*self.more, *self.made, *shipped_proofs())
        fits = [proof for proof in every if proof.is_about(profile, version)]
        fits = [proof for proof in fits if minor(proof.version) == minor(version)] or fits
        if not fits:
            return None
        wrong = (proof for proof in fits if proof.refuted and proof.date >= fits[0].date)
        return next(wrong, fits[0])

    def has_refuted(self, name: str) -> bool:
        """Whether any version of a server is known here to have answered wrong; never raises."""
        return any(name == server for server, _, _ in self.refuted)

    @property
    def refuted(self) -> frozenset[tuple[str, str, str]]:
        """Name, digest and version of what is known here to have answered wrong; never raises."""
        try:
            made = self.made
        except (BadInput, OutsideFailure):
            return frozenset()
        return frozenset((one.server, one.digest, one.version) for one in made if one.refuted)

    @property
    def made(self) -> tuple[ProfileProof, ...]:
        """Those that were made here."""
        state = self.state
        if self._read[0] != state:
            text = read_proofs()
            proofs = () if text is None else parse_proofs(text, str(proof_file()))
            self._read = (state, proofs)
        return self._read[1]

    def add(self, proof: ProfileProof) -> None:
        """Keep a proof for all folders; raises as `about` does, OutsideFailure `state-full`."""
        with adding_proofs():
            write_proofs(proofs_text(with_proof(self.made, proof)))


def unproven_reason(name: str) -> Reason:
    """Why the silence of a server that nobody has proven proves nothing."""
    text = (
        f"{name} found nothing, but nobody has proven its profile for the version that is "
        f"installed: run `understudy servers prove {name}`"
    )
    return Reason("unproven-profile", text)


def refuted_reason(name: str) -> Reason:
    """Why the silence of a server that has answered wrong proves nothing."""
    text = (
        f"{name} found nothing, but in the version that is installed it has answered wrong "
        f"where the answer is known: `understudy servers show {name}` says what"
    )
    return Reason("unproven-profile", text)
