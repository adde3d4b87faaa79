"""All kits: what the modules of `tests/kits` declare, each for a language or a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.kit import Kit, Oracle, Pairing, Sample

_FOLDER = Path(__file__).resolve().parent.parent / "kits"
_MODULES = [import_module(f"tests.kits.{path.stem}") for path in sorted(_FOLDER.glob("*.py"))]


def _declared(name: str) -> Iterator[Any]:
    for module in _MODULES:
        yield from getattr(module, name, ())


PAIRINGS: Mapping[str, Pairing] = {pairing.server: pairing for pairing in _declared("PAIRINGS")}
"""Every server that the project calls proven."""

COMMANDS: Mapping[str, Pairing] = {pairing.server: pairing for pairing in _declared("COMMANDS")}
"""Checking commands; `bench agreement_commands` is their row."""

COMPILERS: Mapping[str, Pairing] = {pairing.server: pairing for pairing in _declared("COMPILERS")}
"""What tells the truth about which files an edit reaches, and judges none in the product."""

SAMPLES: Mapping[str, Sample] = {
    pairing.language: pairing.sample for pairing in (*PAIRINGS.values(), *COMMANDS.values())
}

KITS: list[Kit] = list(_declared("KITS"))


def source_of(oracle: Oracle) -> Path:
    """The module that declares an oracle."""
    for module in _MODULES:
        for name in ("PAIRINGS", "COMMANDS", "COMPILERS"):
            if any(pairing.oracle is oracle for pairing in getattr(module, name, ())):
                return Path(str(module.__file__))
    raise LookupError(oracle.name)
