"""The JavaScript sample project: modules that ESLint judges, each for itself."""

from __future__ import annotations

import json
import random

from tests.support.sample import NOUNS, Change, Project, Snippets, filled
from tests.support.servers import npm_packages

_CONFIG = """\
export default [
  { ignores: [] },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { globals: { console: "readonly" } },
    rules: {
      "no-undef": "error",
      "no-unused-vars": "warn",
      "no-unreachable": "error",
      "no-dupe-keys": "error",
      "prefer-const": "warn",
      eqeqeq: "warn",
    },
  },
];
"""

_MODULE = """\
// Stock records: @noun@s.

export const @noun@Limit = @limit@;

export function make@Cls@(name, count) {
  return { name, count };
}

export function find@Cls@(items, name) {
  const found = items.find((item) => item.name === name);
  if (found === undefined) {
    throw new Error(`no ${name}`);
  }
  return found;
}

export function show@Cls@(items) {
  for (const item of items) {
    console.log(item.name, item.count);
  }
}
"""

_FLAWED = """\
// Left over from the first version; known to be wrong.

let limit = 1;

export function old(first) {
  return first == oldest;
}

export const both = { a: limit, a: 2 };
"""

SNIPPETS = Snippets(
    wrong=(
        "export function extra@n@() {\n  return missing@n@;\n}\n\n",
        "export function extra@n@() {\n  const unused@n@ = 1;\n}\n\n",
        "export function extra@n@() {\n  return 1;\n  console.log(@n@);\n}\n\n",
        "export const extra@n@ = { b: 1, c: 2, b: 3 };\n\n",
        "export function extra@n@(text) {\n  let size = text.length;\n  return size == 1;\n}\n\n",
    ),
    harmless=(
        "// Says nothing new (@n@).\n\n",
        "export const extra@n@ = @n@;\n\n",
        "\n\n",
    ),
    broken=(
        "export function extra@n@(first,\n\n",
        "export function extra@n@() {\n  if (true) {\n    return 1;\n\n",
        'export const extra@n@ = "half a string;\n\n',
    ),
)
_FIXES = (
    Change("src/legacy.js", (("let limit", "const limit"),), "never assigned again"),
    Change("src/legacy.js", (("first == oldest", "first === 1"),), "name, operator"),
    Change("src/legacy.js", (("a: limit, a: 2", "a: limit, b: 2"),), "key"),
)


def make(rng: random.Random) -> Project:
    """Nine modules and a flat configuration; ESLint itself lies where it is installed."""
    nouns = rng.sample(NOUNS, 8)
    files = {
        f"src/{noun}.js": filled(_MODULE, noun, limit=str(rng.randrange(9, 90))) for noun in nouns
    }
    files["src/legacy.js"] = _FLAWED
    sources = tuple(sorted(files))
    files["eslint.config.js"] = _CONFIG
    files["package.json"] = json.dumps({"name": "shop", "private": True, "type": "module"}) + "\n"
    files[".gitignore"] = "node_modules\n"
    files |= eslint_library()
    new_file = {"src/extra.js": "export const extra = undeclared;\nvar unused;\n"}
    return Project("javascript", files, sources, SNIPPETS, fixes=_FIXES, new_files=new_file)


def eslint_library() -> dict[str, str]:
    """The files of a project by which it has the ESLint of the tests."""
    library = npm_packages("eslint") / "eslint"
    return {
        "node_modules/eslint/package.json": json.dumps({"name": "eslint", "main": "a.js"}),
        "node_modules/eslint/a.js": f"module.exports = require({json.dumps(str(library))});\n",
    }
