"""Proofs of toys' profiles: their tests are about what a proven server may do wrong once more."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.langserver.find import installed_version
from understudy.langserver.profile import Profile
from understudy.langserver.profile_table import parse_profile
from understudy.langserver.proven.profile_proof import ProfileProof, digest_of, proofs_text

TOYS = Path(__file__).parent.parent / "toys"
RULES = ("pull", "version", "reopen", "canary")


def proof_of(name: str, record: Mapping[str, Any]) -> ProfileProof:
    """A proof of a profile as settings have it, for the program that it names."""
    profile = parse_profile(name, record)
    return ProfileProof(
        server=name,
        version=_version(profile),
        digest=digest_of(profile),
        rule=profile.rule,
        scope=profile.scope,
        asked=1,
        unknown=0,
        date="2026-11-01",
        kit="plaintext",
    )


def proofs_of(profiles: Mapping[str, Mapping[str, Any]]) -> tuple[ProfileProof, ...]:
    """Proofs of all of them that are servers."""
    return tuple(
        proof_of(name, one)
        for name, one in profiles.items()
        if one.get("rule", "command") != "command"
    )


def write_proofs(state: Path, proofs: Iterable[ProfileProof] = ()) -> None:
    """Make these, and those of toys as `folders.toy_profile` has them, what was proven here."""
    text = _common() if not proofs else proofs_text((*_proofs(), *proofs))
    make_private_folder(state)
    write_private(state / "proofs.json", text.encode("ascii"))


def toy_record(toy: str, rule: str = "pull", files: str = "*.txt") -> dict[str, Any]:
    """The profile of a toy server as settings have it; it judges text files."""
    return {
        "group": f"toy-{toy}",
        "command": [sys.executable, "-S", str(TOYS / f"{toy}.py")],
        "files": {files: "plaintext"},
        "rule": rule,
        "scope": "file",
        "install": "it is here",
        "canary": {"plaintext": "BAD {token}"},
    }


@cache
def _common() -> str:
    return proofs_text(_proofs())


@cache
def _proofs() -> tuple[ProfileProof, ...]:
    toys = [path.stem for path in sorted(TOYS.glob("*.py")) if not path.stem.startswith("mcp_")]
    return tuple(proof_of(toy, toy_record(toy, rule)) for toy in toys for rule in RULES)


def _version(profile: Profile) -> str:
    return installed_version(profile.command, TOYS)
