"""Which files of a tree a script's imports mean: each row is a small folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.script_trees import check, empty, options, package, resolver_of
from understudy.syntax.script.imports import read

RELATIVE = [
    # specifier, the files that are there, those that are meant; the importer is src/a.ts
    ("./x", "src/x.ts", "src/x.ts"),
    ("./x", "src/x.tsx", "src/x.tsx"),
    ("./x", "src/x.d.ts", "src/x.d.ts"),
    ("./x", "src/x.js", "src/x.js"),
    ("./x", "src/x.jsx", "src/x.jsx"),
    ("./x", "src/x.mts", "src/x.mts"),
    ("./x", "src/x.json", "src/x.json"),
    ("./x", "src/x.ts src/x.d.ts src/x.js", "src/x.ts src/x.d.ts src/x.js"),
    ("./x", "src/x/index.ts", "src/x/index.ts"),
    ("./x", "src/x/index.d.ts", "src/x/index.d.ts"),
    ("./x", "src/x.ts src/x/index.ts", "src/x.ts"),
    ("./x", "src/x.js src/x/index.ts", "src/x.js src/x/index.ts"),
    ("./x/", "src/x.ts src/x/index.ts", "src/x/index.ts"),
    ("./x.js", "src/x.ts", "src/x.ts"),
    ("./x.js", "src/x.tsx", "src/x.tsx"),
    ("./x.js", "src/x.d.ts", "src/x.d.ts"),
    ("./x.js", "src/x.js", "src/x.js"),
    ("./x.js", "src/x.js.ts", "src/x.js.ts"),
    ("./x.jsx", "src/x.tsx", "src/x.tsx"),
    ("./x.mjs", "src/x.mts", "src/x.mts"),
    ("./x.mjs", "src/x.d.mts", "src/x.d.mts"),
    ("./x.cjs", "src/x.cts", "src/x.cts"),
    ("./x.ts", "src/x.ts", "src/x.ts"),
    ("./x.tsx", "src/x.tsx", "src/x.tsx"),
    ("./x.d.ts", "src/x.d.ts", "src/x.d.ts"),
    ("./x.json", "src/x.json", "src/x.json"),
    ("./x.json", "src/x.d.json.ts", "src/x.d.json.ts"),
    ("./x.css", "src/x.css", "src/x.css"),
    ("./x.css", "src/x.css src/x.d.css.ts", "src/x.css src/x.d.css.ts"),
    ("./x.module.css", "src/x.module.d.css.ts", "src/x.module.d.css.ts"),
    ("./x.vue", "src/x.vue src/x.vue.d.ts", "src/x.vue src/x.vue.d.ts"),
    ("./x.test", "src/x.test.ts src/x.ts", "src/x.test.ts"),
    ("./x?raw", "src/x.ts", "src/x.ts"),
    ("raw-loader!./x", "src/x.ts", "src/x.ts"),
    ("../x", "x.ts src/x.ts", "x.ts"),
    ("../../x", "x.ts src/x.ts", ""),
    ("..", "index.ts src/index.ts", "index.ts"),
    (".", "index.ts src/index.ts", "src/index.ts"),
    ("./", "index.ts src/index.ts", "src/index.ts"),
    ("./..", "index.ts", "index.ts"),
    ("././b/../x", "src/x.ts", "src/x.ts"),
    ("./a", "src/a.ts", ""),
    ("./X", "src/x.ts", ""),
    ("./x", "x.ts src/b/x.ts src/xx.ts", ""),
    ("./x", "src/x.py", ""),
]


@pytest.mark.parametrize(("specifier", "there", "expected"), RELATIVE)
@pytest.mark.parametrize("form", ["import '{}'", "export * from '{}'", "import('{}')"])
def test_relative_paths(specifier: str, there: str, expected: str, form: str):
    files = empty(*there.split())
    check(files, "src/a.ts", form.format(specifier), set(expected.split()))


KINDS = [
    ("/// <reference path='b.ts' />", "src/b.ts b.ts", "src/b.ts"),
    ("/// <reference path='../b.d.ts' />", "src/b.ts b.d.ts", "b.d.ts"),
    ("/// <reference types='b' />", "node_modules/@types/b/index.d.ts",
     "node_modules/@types/b/index.d.ts"),
    ("/// <reference lib='dom' />", "node_modules/@typescript/lib-dom/index.d.ts",
     "node_modules/@typescript/lib-dom/index.d.ts"),
    ("new Worker('b.js')", "src/b.ts", "src/b.ts"),
    ("new URL('./b.wasm', import.meta.url)", "src/b.wasm", "src/b.wasm"),
    ("vi.mock('./b')", "src/b.ts", "src/b.ts"),
    ("declare module './b' {}", "src/b.ts", "src/b.ts"),
    ("export {}; declare global {}", "global.ts src/global.ts", ""),
    ("import(`./${b}`)", "src/b.ts", ""),
    ("import 'node:fs'", "fs.ts node:fs.ts", ""),
    ("import 'fs/promises'", "fs.ts promises.ts", ""),
    ("import 'https://example.org/b.js'", "b.ts", ""),
    ("import '/src/b'", "src/b.ts b.ts", "src/b.ts"),
    ("import b from 'unknown/b'", "lib/b.ts c.ts", "lib/b.ts"),
    ("import b from 'unknown/b.js'", "lib/b/index.ts c.ts", "lib/b/index.ts"),
    ("import b from 'b'", "lib/b.ts node_modules/b/index.js", "node_modules/b/index.js"),
    ("import b from 'b/c'", "lib/c.ts node_modules/b/c.js", "node_modules/b/c.js"),
    ("import b from 'b'", "node_modules/b/index.js node_modules/@types/b/index.d.ts",
     "node_modules/b/index.js node_modules/@types/b/index.d.ts"),
    ("import b from '@s/b'", "node_modules/@types/s__b/index.d.ts",
     "node_modules/@types/s__b/index.d.ts"),
    ("import b from 'b'", "src/node_modules/b/index.js other/node_modules/b/index.js",
     "src/node_modules/b/index.js"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "there", "expected"), KINDS)
def test_kinds_of_imports(text: str, there: str, expected: str):
    check(empty(*there.split()), "src/a.ts", text, set(expected.split()))


NAMES = st.sampled_from(["a", "b", "index", "x.test", ""])
SPECIFIERS = st.tuples(
    st.sampled_from(["./", "../", "", "@/", "#", "pkg/", "@s/pkg/", "/", "./../"]),
    NAMES,
    st.sampled_from(["", ".js", ".ts", "/", "/index", ".css", "?raw"]),
).map("".join)
PATHS = st.tuples(
    st.sampled_from(["", "src/", "src/a/", "lib/"]),
    st.sampled_from(["a", "b", "index", "x.test"]),
    st.sampled_from([".ts", ".tsx", ".d.ts", ".js", ".json", ".d.css.ts"]),
).map("".join)
STATED = {
    "tsconfig.json": options(paths={"@/*": ["src/*"]}, rootDirs=["src", "lib"]),
    "package.json": package(name="@s/pkg", main="src/a.js", imports={"#*": "./src/*.js"}),
    "lib/package.json": package(name="pkg", exports={"./*": "./dist/*.js"}),
}


@given(st.sets(PATHS, max_size=6), PATHS, st.lists(SPECIFIERS, max_size=3))
def test_a_file_that_comes_changes_only_those_who_share_a_key(
    there: set[str], new: str, specifiers: list[str]
):
    importer = "src/main.ts"
    imports = read(importer, "\n".join(f"import '{name}'" for name in specifiers).encode())
    before = resolver_of({**STATED, **empty(*there - {new}, importer)})
    after = resolver_of({**STATED, **empty(*there, new, importer)})
    former = set(before.edges(importer, imports))
    latter = set(after.edges(importer, imports))
    assert all(edge.target != importer for edge in former | latter)
    if former != latter:
        assert set(before.keys(importer, imports)) & set(before.keys_of(new))
