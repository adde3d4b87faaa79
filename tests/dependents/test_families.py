"""The table of families says of each what its readers and its resolver say themselves."""

from __future__ import annotations

import pytest

from understudy.dependents.families import FAMILIES, family_of, reads_as_configuration
from understudy.dependents.onlookers import kind_of
from understudy.dependents.readers import readers_of
from understudy.dependents.resolvers import data, go, native, python, rust
from understudy.dependents.resolvers.script import resolver as script
from understudy.syntax.data import imports as data_imports
from understudy.syntax.go import imports as go_imports
from understudy.syntax.native import imports as native_imports
from understudy.syntax.rust import imports as rust_imports
from understudy.syntax.script import grammar as script_grammar

SUFFIXES = {
    "python": python.SUFFIXES,
    "script": script_grammar.SUFFIXES,
    "go": go_imports.SUFFIXES,
    "native": native_imports.SUFFIXES,
    "rust": rust_imports.SUFFIXES,
    "json": data_imports.SUFFIXES,
}
CONFIGURATION = {
    "python": python.CONFIGURATION,
    "script": script.CONFIGURATION,
    "go": go.CONFIGURATION,
    "native": native.CONFIGURATION,
    "rust": rust.CONFIGURATION,
    "json": data.CONFIGURATION,
}


def test_every_family_has_readers():
    assert FAMILIES.keys() == SUFFIXES.keys()
    for name in FAMILIES:
        readers = readers_of(name)
        # What `needed_texts` says of the other families without loading them.
        assert (readers.needs is not None) == (name == "script")


@pytest.mark.parametrize("name", FAMILIES)
def test_what_names_a_family(name: str):
    family = FAMILIES[name]
    assert set(family.configuration) == set(CONFIGURATION[name])
    for suffix in SUFFIXES[name]:
        path = f"a/x{suffix}"
        assert family_of(path) == name or kind_of(path) is not None, suffix


@pytest.mark.parametrize(
    "path", ["tsconfig.json", "conf/tsconfig.app.json", "a/package.json", "go.mod", "Cargo.toml"]
)
def test_what_resolvers_read(path: str):
    assert reads_as_configuration(path)
    assert not reads_as_configuration(f"{path}.txt")
