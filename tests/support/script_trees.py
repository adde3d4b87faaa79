"""Small folders for the resolver of scripts: who means which file, and by which keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.dependents.graphs import tree_of
from understudy.dependents.resolvers.script.resolver import ScriptResolver, resolver
from understudy.syntax.script.imports import read


def resolver_of(files: Mapping[str, str]) -> ScriptResolver:
    """The resolver for these files."""
    return resolver(tree_of(files))


def meant(files: Mapping[str, str], importer: str, text: str | None = None) -> set[str]:
    """The files that one of them imports."""
    content = files.get(importer, "") if text is None else text
    tree = {**files, importer: content}
    found = resolver_of(tree).edges(importer, read(importer, content.encode()))
    return {edge.target for edge in found}


def empty(*paths: str) -> dict[str, str]:
    """Files without a text."""
    return dict.fromkeys(paths, "")


def options(**named: Any) -> str:
    """A configuration of the compiler."""
    return json.dumps({"compilerOptions": named})


def package(**named: Any) -> str:
    """What a package says."""
    return json.dumps(named)


def check(files: Mapping[str, str], importer: str, text: str, expected: set[str]) -> None:
    """An import means just these files, and shares a key with each, there or not yet."""
    assert meant(files, importer, text) == expected
    imports = read(importer, text.encode())
    stated = {path: content for path, content in files.items() if content}
    for tree in ({**files, importer: text}, {**stated, importer: text}):
        made = resolver_of(tree)
        keys = set(made.keys(importer, imports))
        for path in expected:
            assert keys & set(made.keys_of(path)), path
