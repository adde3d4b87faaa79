"""Sample projects without modules: JSON documents with a schema beside them, shell scripts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.sample import NOUNS, Change, Project, Snippets

_SCHEMA: Mapping[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "An item of stock",
    "type": "object",
    "required": ["name", "count"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 0},
        "state": {"enum": ["shelved", "sold"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {
            "type": "object",
            "properties": {"width": {"type": "number"}, "height": {"type": "number"}},
        },
    },
}
_SCHEMA_PATH = "schemas/item.schema.json"


def make_json(rng: random.Random) -> Project:
    """Ten documents with `$schema`, one of them wrong from the start, and their schema."""
    files = {_SCHEMA_PATH: json.dumps(_SCHEMA, indent=2) + "\n"}
    wrong: list[Change] = []
    broken: list[Change] = []
    harmless: list[Change] = []
    for noun in NOUNS:
        path = f"data/{noun}.json"
        files[path] = _document(noun, rng)
        wrong += _wrong_changes(path, noun)
        broken.append(Change(path, (('\n  "tags": [', '\n  "tags": [['),), "bracket left open"))
        broken.append(Change(path, ((f'"{noun}-one"', f'"{noun}-one'),), "string left open"))
        broken.append(Change(path, (('"state": "shelved",', '"state": "shelved"'),), "no comma"))
        harmless.append(Change(path, (('{\n  "$schema"', '{\n\n\n  "$schema"'),), "blank lines"))
        harmless.append(Change(path, (('"shelved"', '"sold"'),), "another value of the enum"))
    flawed = "data/legacy.json"
    files[flawed] = _document("legacy", rng).replace('"shelved"', '"lost"')
    files["package.json"] = json.dumps({"name": "shop", "private": True}, indent=2) + "\n"
    sources = tuple(f"data/{noun}.json" for noun in NOUNS)
    fixes = (Change(flawed, (('"lost"', '"sold"'),), "enum"),)
    new_file = {"data/extra.json": _document("extra", rng).replace('"shelved"', "12")}
    return Project(
        "json",
        files,
        sources,
        cross=tuple(_schema_changes()),
        wrong=tuple(wrong),
        broken=tuple(broken),
        harmless=tuple(harmless),
        fixes=fixes,
        new_files=new_file,
    )


def make_shell(rng: random.Random) -> Project:
    """Eight scripts that stand alone, one of them with a warning from the start."""
    nouns = rng.sample(NOUNS, 8)
    files = {f"bin/{noun}.sh": _SCRIPT.replace("@noun@", noun) for noun in nouns}
    flawed = "bin/legacy.sh"
    files[flawed] = _FLAWED_SCRIPT
    fixes = (
        Change(flawed, (("left_over=1\n", ""),), "unused variable"),
        Change(flawed, (('"$never_set"', '"$1"'),), "variable never set"),
    )
    new_file = {"bin/extra.sh": '#!/usr/bin/env bash\nextra=1\necho "$not_set_here"\n'}
    sources = tuple(sorted(files))
    return Project("shell", files, sources, _SHELL_SNIPPETS, fixes=fixes, new_files=new_file)


def _document(noun: str, rng: random.Random) -> str:
    """A document in a fixed form, so that the changes find their places."""
    body = {
        "$schema": "../schemas/item.schema.json",
        "name": noun,
        "count": rng.randrange(1, 90),
        "state": "shelved",
        "tags": [f"{noun}-one", f"{noun}-two"],
        "size": {"width": rng.randrange(1, 9), "height": rng.randrange(1, 9)},
    }
    return json.dumps(body, indent=2) + "\n"


def _wrong_changes(path: str, noun: str) -> Iterator[Change]:
    yield Change(path, ((f'"name": "{noun}"', '"name": 12'),), "wrong type")
    yield Change(path, (('"count": ', '"amount": '),), "unknown and missing property")
    yield Change(path, (('"shelved"', '"lost"'),), "not in the enum")
    yield Change(path, ((f'"{noun}-one"', "1"),), "wrong type in an array")
    yield Change(path, (('"width": ', '"width": "wide", "depth": '),), "wrong type further in")
    yield Change(path, ((f'"name": "{noun}"', '"name": "n"'),), "too short")


def _schema_changes() -> Iterator[Change]:
    """Changes of the schema: they break every document that names it."""
    integer = '"count": {\n      "type": "integer"'
    yield Change(_SCHEMA_PATH, ((integer, integer.replace("integer", "string")),), "type")
    required = '"name",\n    "count"'
    yield Change(_SCHEMA_PATH, ((required, required + ',\n    "owner"'),), "required property")
    yield Change(_SCHEMA_PATH, (('"shelved",', '"on-shelf",'),), "enum")
    yield Change(_SCHEMA_PATH, (('"tags": {', '"labels": {'),), "renamed property")


_SCRIPT = """\
#!/usr/bin/env bash
# Prints what is on the shelf of @noun@s.
set -euo pipefail

shelf="${SHELF:-@noun@}"

count_@noun@() {
  local file="$1"
  wc -l < "$file"
}

print_@noun@() {
  local name
  for name in "$@"; do
    printf '%s: %s\\n' "$shelf" "$name"
  done
}

main() {
  if [[ $# -eq 0 ]]; then
    echo "usage: @noun@.sh FILE..." >&2
    return 2
  fi
  print_@noun@ "$@"
  count_@noun@ "$1"
}

main "$@"
"""

_FLAWED_SCRIPT = """\
#!/usr/bin/env bash
# Left over from the first version; known to be wrong.

left_over=1

echo "$never_set"

echo finished
"""

_SHELL_SNIPPETS = Snippets(
    wrong=(
        'extra_@n@() {\n  echo "$missing_@n@"\n}\n\n',
        "extra_@n@() {\n  local unused_@n@=1\n}\n\n",
        'extra_@n@() {\n  cd "$1"\n  local found=$(ls)\n  echo "$found"\n}\n\n',
        'extra_@n@() {\n  if [ "$1" == ]; then echo one; fi\n}\n\n',
    ),
    harmless=(
        "# Says nothing new (@n@).\n\n",
        "extra_@n@() {\n  printf '%s\\n' \"$1\"\n}\n\n",
        "\n\n",
    ),
    broken=(
        "extra_@n@() {\n  if true; then\n\n",
        "extra_@n@() {\n  echo 'half a string\n}\n\n",
        "extra_@n@() {\n  echo $(date\n}\n\n",
    ),
)
