"""Which files a configuration names, by its own keys alone; whatever it says, in linear time."""

from __future__ import annotations

import time
from itertools import islice

import pytest

from understudy.dependents.named_configuration import (
    LONGEST,
    Name,
    is_read_at_once,
    may_name,
    names_in,
    package_of,
    places,
)
from understudy.dependents.programs_reading import computes_names

RUFF = {"pyproject.toml": ("tool.ruff.extend",), "*": ("extend",)}
SCRIPT = {"*": ("extends", "references.path", "overrides.extends")}
LINTER = (
    'import a from "./a.mjs";\nconst b = require("b");\nexport default [f("rules.json"), "off"]'
)


@pytest.mark.parametrize(
    ("path", "text", "extends", "names"),
    [
        ("pyproject.toml", '[tool.ruff]\nextend = "a.toml"\n[tool.x]\nextend = "b"', RUFF,
         ("a.toml",)),
        ("a.toml", 'extend = "../with space/b.toml"', RUFF, ("../with space/b.toml",)),
        ("a", 'extend = "b"  # c', RUFF, ("b",)),
        ("a.toml", 'extend = "half', RUFF, ()),
        ("t.json", '{"extends": ["a", "@b/c"], // d\n"references": [{"path": "../e"}],}', SCRIPT,
         ("a", "@b/c", "../e")),
        ("t.json", '{"extends": "./a", "compilerOptions": {', SCRIPT, ("./a",)),
        ("t", '/* x */ {"extends": "./a"}', SCRIPT, ("./a",)),
        ("c.yml", "extends:\n  - ./a.yml\noverrides:\n  - extends: b\n", SCRIPT, ("./a.yml", "b")),
        (".eslintrc", "extends: ./a\n", SCRIPT, ("./a",)),
        ("c.json5", "{extends: './a'}", SCRIPT, ("./a",)),
        ("c.yml", "extends: !!int ''\n", SCRIPT, ()),
        ("c.yml", "extends: [./b, {d: !!bool e}]\n", SCRIPT, ("./b", "e")),
        ("c.yml", "extends: &a [./b, *a]\n", SCRIPT, ()),
        ("c.yml", "a: &a [./x, ./x]\nb: &b [*a, *a]\nextends: [*b, *b]\n", SCRIPT, ("./x",)),
        ("t.json", '{"\\u0065xtends": "./a"}', SCRIPT, ("./a",)),
        ("c.mjs", "import(name)", SCRIPT, None),
        ("c.mjs", "const r = createRequire(here); r('./a.cjs')", SCRIPT, ("./a.cjs",)),
        ("c.mjs", "// require (it) or import(it)\nimport(`./a.mjs`)", SCRIPT, ("./a.mjs",)),
        ("c.mjs", "fs.existsSync(here + '/STRICT', 'utf8')", SCRIPT, ("/STRICT",)),
        (".eslintrc.js", "module.exports = { extends: ['our', './a'] }", SCRIPT,
         ("./a", "our", "./a")),
        ("c.mjs", "export default [...compat.extends('our/next')]", SCRIPT, ("our/next",)),
        ("c.mjs", "import a from '#a'", SCRIPT, ("#a",)),
        ("c.mjs", LINTER, SCRIPT, ("./a.mjs", "b", "rules.json")),
        ("t.json", '{"extends": ["https://a.b/c", "", "a\\u0000b", 1, null]}', SCRIPT, ()),
        ("t.json", '{"extends": "' + "a" * LONGEST + '"}', SCRIPT, None),
        ("t.json", "[" * 600, SCRIPT, None),
    ],
)  # fmt: skip
def test_what_stands_in_a_configuration_as_a_name(
    path: str, text: str, extends: dict[str, tuple[str, ...]], names: tuple[str, ...] | None
) -> None:
    found = names_in(path, text.encode(), extends)
    assert (None if found is None else tuple(name.text for name in found)) == names
    assert may_name(path, text.encode(), extends) or not names


def _places(importer: str, text: str, how: str = "file", groups: int = 3) -> list[set[str]]:
    name = Name(text, how)  # pyright: ignore[reportArgumentType]
    return [set(group) for group in islice(places(importer, name), groups)]


def test_where_a_name_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_RULES", "/rules")
    assert _places("a/ruff.toml", "../b.toml") == [{"b.toml"}]
    assert _places("ruff.toml", "../b.toml") == [{"../b.toml"}]
    assert _places("ruff.toml", "$OUR_RULES/b.toml") == [{"$OUR_RULES/b.toml", "/rules/b.toml"}]
    assert {"base", "base.json", "base/tsconfig.json"} <= _places("tsconfig.json", "./base")[0]
    assert _places("a/tsconfig.json", "../b", "project") == [{"b", "b/tsconfig.json"}]
    assert _places("a/e.mjs", "./b.mjs", "module") == [{"a/b.mjs", "a/b.mts"}]
    near, top, above = _places("a/e.mjs", "@our/conf/base", "module")
    assert {"a/node_modules/@our/conf/package.json", "a/node_modules/@our/conf/base.mjs"} <= near
    assert "node_modules/@our/conf/base.json" in top
    assert "../node_modules/@our/conf/package.json" in above
    assert package_of("../node_modules/@our/conf/base.json") == "../node_modules/@our/conf"


@pytest.mark.parametrize(
    "piece",
    [
        "/*", '{"a":1,// // ', '"\\', ",/**/", '"', "[", "{a:", "a.", "extend.a=[", "[a.b]\n",
        "a: &a [*a]\n", "<<: *a\n", "import a from './", "require('", "`${", "extends: ./a\n",
        " ", "\n", "import createRequire ", "import ", "extends:[", "extends: 'a' ", "readFile(",
        "readFile((", "createRequire(", "import(", "import fs from 'fs';",
    ],
)  # fmt: skip
def test_hostile_text_takes_no_longer_than_in_proportion(piece: str) -> None:
    head = b"extend: ["
    for path in ("ruff.toml", "tsconfig.json", ".eslintrc", "c.yml", "eslint.config.mjs"):
        long = head + (piece * (1024 * 1024 // len(piece))).encode()
        assert names_in(path, long, SCRIPT) is None
        for size in (1024, 2 * 1024, 16 * 1024):
            text = long[: size - 1]
            began = time.process_time()
            if is_read_at_once(path, text):
                names_in(path, text, {**SCRIPT, **RUFF})
            computes_names(text.decode())
            assert time.process_time() - began < 0.5


def test_what_people_write_is_read_at_once() -> None:
    assert is_read_at_once("ruff.toml", b'extend = "a.toml"\n' + b"# what it is for\n" * 500)
    assert is_read_at_once("tsconfig.json", b'{"extends": "./a"}' + b"\n" * 10_000)
    assert is_read_at_once("eslint.config.mjs", LINTER.encode() * 10)
    assert not is_read_at_once("eslint.config.mjs", LINTER.encode() * 100)
