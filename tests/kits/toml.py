"""TOML with schemas beside the documents: tombi, whose `lint` is the oracle."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support import data_projects
from tests.support.kit import Kit, Oracle, Pairing, Sample
from tests.support.oracle import Found, output
from tests.support.sample import NOUNS, Change, Project
from tests.support.tree_draft import Scenario, TreeDraft

_SCHEMA = "schemas/item.schema.json"
_FLAWED = "data/legacy.toml"
_PYPROJECT = '[project]\nname = "stock"\nversion = "1.0.0"\nowner = "nobody"\n'
_DOCUMENT = """\
#:schema ../schemas/item.schema.json

name = "@noun@"
count = @count@
state = "shelved"
tags = ["@noun@-one", "@noun@-two"]

[size]
width = @count@
height = 2
"""


def _tombi(folder: Path) -> Iterator[Found]:
    report = ("--diagnostics-format", "json-lines", "--diagnostics-file", "/dev/stdout")
    for line in output(folder, "tombi", "lint", "--offline", "--quiet", *report, ".").splitlines():
        item = json.loads(line)
        place = item["range"]["start"]["line"] - 1
        yield Found(item["path"], place, item["code"], item["level"])


def _document(noun: str, rng: random.Random) -> str:
    return _DOCUMENT.replace("@noun@", noun).replace("@count@", str(rng.randrange(1, 90)))


def _make(rng: random.Random) -> Project:
    """Ten documents with a schema, one of them wrong from the start, and a known configuration."""
    of_json = data_projects.make_json(rng)
    files = {_SCHEMA: of_json.files[_SCHEMA], "pyproject.toml": _PYPROJECT}
    wrong = [Change("pyproject.toml", (('"1.0.0"', "1"),), "by a schema that the server brings")]
    broken: list[Change] = []
    harmless: list[Change] = []
    for noun in NOUNS:
        path = f"data/{noun}.toml"
        files[path] = _document(noun, rng)
        wrong += [
            Change(path, ((f'name = "{noun}"', "name = 12"),), "wrong type"),
            Change(path, (("count = ", "amount = "),), "unknown and missing key"),
            Change(path, (('"shelved"', '"lost"'),), "not in the enum"),
            Change(path, ((f'"{noun}-one"', "1"),), "wrong type in an array"),
            Change(path, (("height = 2", 'height = "tall"'),), "wrong type further in"),
            Change(path, (("state = ", 'name = "twice"\nstate = '),), "a key twice"),
        ]
        broken += [
            Change(path, (("tags = [", "tags = [["),), "bracket left open"),
            Change(path, ((f'"{noun}-one"', f'"{noun}-one'),), "string left open"),
            Change(path, (("[size]", "[size"),), "table left open"),
        ]
        harmless += [
            Change(path, (("[size]", "\n# Of the box.\n[size]"),), "a comment"),
            Change(path, (('"shelved"', '"sold"'),), "another value of the enum"),
        ]
    sources = tuple(f"data/{noun}.toml" for noun in NOUNS)
    files[_FLAWED] = _document("legacy", rng).replace('"shelved"', '"lost"')
    return Project(
        "toml",
        files,
        sources,
        cross=of_json.cross,
        wrong=tuple(wrong),
        broken=tuple(broken),
        harmless=tuple(harmless),
        fixes=(Change(_FLAWED, (('"lost"', '"sold"'),), "enum"),),
        new_files={"data/extra.toml": _document("extra", rng).replace('"shelved"', "12")},
    )


def _scenarios(project: Project) -> list[Scenario]:
    return [*_of_documents(project), *_of_schema(), *_of_configuration()]


def _of_documents(project: Project) -> Iterator[Scenario]:
    for path in project.sources:
        far = path.replace("data/", "data/old/")
        wrong = project.files[path].replace("count = ", "amount = ")
        yield "deleted", path, lambda tree, path=path: tree.delete(path)
        yield "moved", f"{path} further down", lambda tree, p=path, to=far: tree.rename(p, to)
        yield "created", path, lambda tree, p=path, text=wrong: tree.write(f"{p[:-5]}_2.toml", text)
    yield "renamed", "the flawed one", lambda tree: tree.rename(_FLAWED, "data/ancient.toml")


def _of_schema() -> Iterator[Scenario]:
    def replaced(tree: TreeDraft) -> None:
        tree.delete(_SCHEMA)
        tree.write(_SCHEMA, '{"type": "object", "required": ["owner"]}\n')

    def followed(tree: TreeDraft) -> None:
        tree.rename_folder("schemas", "types")
        tree.substitute(r"\.\./schemas/", "../types/")

    yield "deleted", "the schema", lambda tree: tree.delete(_SCHEMA)
    yield "deleted", "the schema, another in its place", replaced
    yield "moved", "the schemas, forgotten", lambda tree: tree.rename_folder("schemas", "types")
    yield "moved", "the schemas, followed", followed


def _of_configuration() -> Iterator[Scenario]:
    def configured(text: str, path: str = "tombi.toml") -> Callable[[TreeDraft], None]:
        return lambda tree: tree.write(path, text)

    rule = '[lint.rules]\ndotted-keys-out-of-order = "error"\n'
    other = '[[schemas]]\npath = "schemas/other.json"\ninclude = ["pyproject.toml"]\n'
    yield "configured", "no schemas", configured("[schema]\nenabled = false\n")
    yield "configured", "in a folder", configured("[schema]\nenabled = false\n", "data/tombi.toml")
    yield "configured", "a rule", configured(rule)
    yield "configured", "files left out", configured('[files]\nexclude = ["data/legacy.toml"]\n')

    def associated(tree: TreeDraft) -> None:
        tree.write("tombi.toml", other)
        tree.write("schemas/other.json", '{"type": "object", "required": ["shop"]}\n')

    yield "configured", "another schema for a file", associated


_SAMPLE = Sample(
    "toml", _make, _scenarios, lambda text, marker: f"{marker} = 1\n{marker} = 2\n{text}"
)
PAIRINGS = (Pairing("tombi", Oracle("tombi", _tombi, 40), _SAMPLE),)
KITS = (
    Kit(
        name="tombi",
        path="app.toml",
        files={"app.toml": "a = 1\n"},
        marked=lambda m: f's = ["é😀"]\r\n{m} = 1\r\n{m} = 2\r\n',
        broken="s = [1\n",
    ),
)
