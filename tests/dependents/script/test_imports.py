"""What scripts import, form by form: kind, target and the names taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import Binding, FileImports
from understudy.syntax.script.imports import read

Row = tuple[str, str, str]
"""A binding: the target's name, the local one, the exported one."""


def taken(text: str, path: str = "a.ts") -> set[tuple[str, str, frozenset[Row]]]:
    found = read(path, text.encode())
    return {(one.kind, one.target, frozenset(map(_row, one.bindings))) for one in found.imports}


def _row(binding: Binding) -> Row:
    return binding.name, binding.local, binding.exported


def of(kind: str, target: str, *bindings: Row) -> tuple[str, str, frozenset[Row]]:
    return kind, target, frozenset(bindings)


EFFECT = (".", "", "")

STATEMENTS = [
    ("import './x'", of("import", "./x", EFFECT)),
    ("import a from './x'", of("import", "./x", ("default", "a", ""))),
    ("import * as a from './x'", of("import", "./x", (".", "a", ""))),
    ("import { a } from './x'", of("import", "./x", ("a", "a", ""))),
    ("import { a as b } from './x'", of("import", "./x", ("a", "b", ""))),
    ("import { default as b } from './x'", of("import", "./x", ("default", "b", ""))),
    ('import { "a b" as c } from "./x"', of("import", "./x", ("a b", "c", ""))),
    ("import { type A } from './x'", of("import", "./x", ("A", "A", ""))),
    ("import { type A as B } from './x'", of("import", "./x", ("A", "B", ""))),
    ("import { type } from './x'", of("import", "./x", ("type", "type", ""))),
    ("import { as as as } from './x'", of("import", "./x", ("as", "as", ""))),
    ("import type A from './x'", of("import", "./x", ("default", "A", ""))),
    ("import type * as A from './x'", of("import", "./x", (".", "A", ""))),
    ("import type { A } from './x'", of("import", "./x", ("A", "A", ""))),
    ("import type from './x'", of("import", "./x", ("default", "type", ""))),
    (
        "import a, { b, c as d } from './x'",
        of("import", "./x", ("default", "a", ""), ("b", "b", ""), ("c", "d", "")),
    ),
    ("import a, * as b from './x'", of("import", "./x", ("default", "a", ""), (".", "b", ""))),
    ("import {} from './x'", of("import", "./x", EFFECT)),
    (
        "import {\n  a, // the first\n  /* b, */\n  c,\n} from\n  './x'",
        of("import", "./x", ("a", "a", ""), ("c", "c", "")),
    ),
    (
        "import a from './x.json' with { type: 'json' }",
        of("import", "./x.json", ("default", "a", "")),
    ),
    ("import './x' with { type: 'css' }", of("import", "./x", EFFECT)),
    ("import a = require('./x')", of("import", "./x", (".", "a", ""))),
    ("import type a = require('./x')", of("import", "./x", (".", "a", ""))),
    ("export import a = require('./x')", of("import", "./x", (".", "a", "a"))),
    ("import '.\\x2fx'", of("import", "./x", EFFECT)),
    ("import '\\u002e/\\u{78}'", of("import", "./x", EFFECT)),
    ("export * from './x'", of("export", "./x", ("*", "", "*"))),
    ("export * as n from './x'", of("export", "./x", (".", "", "n"))),
    ("export * as default from './x'", of("export", "./x", (".", "", "default"))),
    ('export * as "a b" from "./x"', of("export", "./x", (".", "", "a b"))),
    ("export { a } from './x'", of("export", "./x", ("a", "", "a"))),
    ("export { a as b } from './x'", of("export", "./x", ("a", "", "b"))),
    ("export { default } from './x'", of("export", "./x", ("default", "", "default"))),
    ("export { default as b } from './x'", of("export", "./x", ("default", "", "b"))),
    ("export { a as default } from './x'", of("export", "./x", ("a", "", "default"))),
    ("export { type A } from './x'", of("export", "./x", ("A", "", "A"))),
    ("export type { A } from './x'", of("export", "./x", ("A", "", "A"))),
    ("export type * as n from './x'", of("export", "./x", (".", "", "n"))),
    ("export type * from './x'", of("export", "./x", ("*", "", "*"))),
    ("export {} from './x'", of("export", "./x", EFFECT)),
    ("import { a } from './x'; export { a }", of("import", "./x", ("a", "a", "a"))),
    ("export { a as b }; import { a } from './x'", of("import", "./x", ("a", "a", "b"))),
    (
        "import { a } from './x'; export { a, a as b }",
        of("import", "./x", ("a", "a", "a"), ("a", "a", "b")),
    ),
    ("import a from './x'; export default a", of("import", "./x", ("default", "a", "default"))),
    ("import * as a from './x'; export { a as b }", of("import", "./x", (".", "a", "b"))),
    (
        "import a = require('./x'); export = a",
        of("import", "./x", (".", "a", "default"), (".", "a", ".")),
    ),
    ("export default a; function f() {}", None),
    ("export const a = 1", None),
    ("import a = N.b.c", None),
    ("declare module './x' { interface A {} }", of("augment", "./x", ("*", "*", ""))),
    ("declare module 'pkg'", of("augment", "pkg", ("*", "*", ""))),
    ("declare module '*.css'", of("augment", "*.css", ("*", "*", ""))),
    ("declare global { interface A {} }", of("augment", "global")),
    ("export as namespace Lib", of("umd", "Lib")),
    ("namespace N { import a = require('./x') }", of("import", "./x", (".", "a", ""))),
    ("declare module 'p' { export * from './x' }", None),
]

EXPRESSIONS = [
    ("require('./x')", of("require", "./x", EFFECT)),
    ("const a = require('./x')", of("require", "./x", (".", "a", ""))),
    ("const { a, b: c } = require('./x')", of("require", "./x", ("a", "a", ""), ("b", "c", ""))),
    ("const { a = 1, ...r } = require('./x')",
     of("require", "./x", ("a", "a", ""), (".", "r", ""))),
    ("const { b: c = 1 } = require('./x')", of("require", "./x", ("b", "c", ""))),
    ("const { 'b c': d } = require('./x')", of("require", "./x", ("b c", "d", ""))),
    ("const { a: { b } } = require('./x')", of("require", "./x", (".", "require", ""))),
    ("const { [k]: b } = require('./x')", of("require", "./x", (".", "require", ""))),
    ("const a = require('./x').b.c", of("require", "./x", ("b", "b", ""))),
    ("f(require('./x'))", of("require", "./x", (".", "require", ""))),
    ("require('./x')()", of("require", "./x", (".", "require", ""))),
    (
        "module.exports = require('./x')",
        of("require", "./x", ("*", "", "*"), ("default", "", "default"), (".", "", ".")),
    ),
    ("exports.a = require('./x')", of("require", "./x", (".", "", "a"))),
    ("module.exports.a = require('./x')", of("require", "./x", (".", "", "a"))),
    ("exports.a = require('./x').b", of("require", "./x", ("b", "b", ""))),
    ("if (a) { b(() => require('./x').c) }", of("require", "./x", ("c", "c", ""))),
    ("require(`./x`)", of("require", "./x", EFFECT)),
    ("require(/* a note */ './x')", of("require", "./x", EFFECT)),
    ("require(`./${a}`)", of("require", "", EFFECT)),
    ("require('./' + a)", of("require", "", EFFECT)),
    ("import('./x')", of("dynamic", "./x", EFFECT)),
    ("await import(`./x`)", of("dynamic", "./x", EFFECT)),
    ("import(\n  // a note\n  './x'\n)", of("dynamic", "./x", EFFECT)),
    ("import('./x', { with: { type: 'json' } })", of("dynamic", "./x", EFFECT)),
    ("const a = await import('./x')", of("dynamic", "./x", (".", "a", ""))),
    ("const { a } = await import('./x')", of("dynamic", "./x", ("a", "a", ""))),
    ("const a = (await import('./x')).b", of("dynamic", "./x", ("b", "b", ""))),
    ("import('./x').then((m) => m.a)", of("dynamic", "./x", (".", "import", ""))),
    ("lazy(() => import('./x'))", of("dynamic", "./x", (".", "import", ""))),
    ("import(`./${a}.js`)", of("dynamic", "", EFFECT)),
    ("let a: import('./x').T", of("dynamic", "./x", ("T", "T", ""))),
    ("let a: import('./x').N.T", of("dynamic", "./x", ("N", "N", ""))),
    ("type A = import('./x').T[]", of("dynamic", "./x", ("T", "T", ""))),
    ("type A = import('./x').T<string>", of("dynamic", "./x", ("T", "T", ""))),
    ("let a: typeof import('./x')", of("dynamic", "./x", (".", "import", ""))),
    ("type A = (typeof import('./x'))['a']", of("dynamic", "./x", (".", "import", ""))),
    ("function f(a: import('./x').T): void {}", of("dynamic", "./x", ("T", "T", ""))),
    ("vi.mock('./x')", of("mock", "./x", (".", "*", ""))),
    ("jest.mock('./x', () => ({ a: 1 }))", of("mock", "./x", (".", "*", ""))),
    ("await vi.importActual('./x')", of("mock", "./x", (".", "*", ""))),
    ("jest.requireActual<T>('./x')", of("mock", "./x", (".", "*", ""))),
    ("require.resolve('./x')", of("mock", "./x", (".", "*", ""))),
    ("import.meta.resolve('./x')", of("mock", "./x", (".", "*", ""))),
    ("new URL('./x.js', import.meta.url)", of("url", "./x.js", (".", "*", ""))),
    ("new Worker('./x.js')", of("url", "./x.js", (".", "*", ""))),
    ("new Worker(new URL('./x.js', import.meta.url))", of("url", "./x.js", (".", "*", ""))),
    ("new URL('https://example.org/x')", None),
    ("path.resolve('./x')", None),
    ("other.mock('./x')", None),
    ("// import './x'", None),
    ("/* require('./x') */", None),
    ("const s = \"import './x'\"", None),
    ("const s = `import('./x')`", None),
    ("const from = './x'", None),
    ("a.require('./x')", None),
]  # fmt: skip

COMMENTS = [
    ("/// <reference path='x.d.ts' />", "a.ts", of("reference", "x.d.ts", ("*", "*", ""))),
    ('///<reference path="x.ts"/>', "a.ts", of("reference", "x.ts", ("*", "*", ""))),
    ("/// <reference types='node' />", "a.ts", of("types", "node", ("*", "*", ""))),
    ("/// <reference types='node' resolution-mode='import' />", "a.ts",
     of("types", "node", ("*", "*", ""))),
    ("/// <reference lib='es2022.array' />", "a.ts", of("lib", "es2022.array", ("*", "*", ""))),
    ("/// <reference no-default-lib='true' />", "a.ts", None),
    ("// <reference path='x.ts' />", "a.ts", None),
    ("/** @jsxImportSource preact */", "a.tsx", of("jsx", "preact/jsx-runtime", (".", "*", ""))),
    ("/** @type {import('./x').T} */ let a", "a.js", of("jsdoc", "./x", ("T", "T", ""))),
    ("/** @type {import('./x')} */ let a", "a.js", of("jsdoc", "./x", (".", "import", ""))),
    ("/** @type {typeof import('./x')} */ let a", "a.js", of("jsdoc", "./x", (".", "import", ""))),
    ('/**\n * @param {import("./x").T} a\n */\nfunction f(a) {}', "a.mjs",
     of("jsdoc", "./x", ("T", "T", ""))),
    ("/** @typedef {import('./x').T} U */", "a.cjs", of("jsdoc", "./x", ("T", "T", ""))),
    ("/** @import { A, B as C } from './x' */", "a.js",
     of("jsdoc", "./x", ("A", "A", ""), ("B", "C", ""))),
    ("/** @import A from './x' */", "a.js", of("jsdoc", "./x", ("default", "A", ""))),
    ("/**\n * @import * as n\n *   from './x'\n */", "a.js", of("jsdoc", "./x", (".", "n", ""))),
    ("/* @type {import('./x').T} */ let a", "a.js", None),
    ("/** @type {import('./x').T} */ let a", "a.ts", None),
]  # fmt: skip

SPECIAL = {
    "declare module 'p' { export * from './x' }": {
        of("augment", "p", ("*", "*", "")),
        of("export", "./x", ("*", "", "*")),
    },
    "new Worker(new URL('./x.js', import.meta.url))": {of("url", "./x.js", (".", "*", ""))},
}


@pytest.mark.parametrize(("text", "expected"), [*STATEMENTS, *EXPRESSIONS])
@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.d.mts"])
def test_forms(text: str, expected: tuple[str, str, frozenset[Row]] | None, path: str):
    assert taken(text, path) == SPECIAL.get(text, {expected} if expected else set())


JAVASCRIPT = [
    row for row in (*STATEMENTS, *EXPRESSIONS) if not any(w in row[0] for w in ("type", "let a:"))
]


@pytest.mark.parametrize(("text", "expected"), JAVASCRIPT)
def test_forms_of_javascript(text: str, expected: tuple[str, str, frozenset[Row]] | None):
    assert taken(text, "a.js") == SPECIAL.get(text, {expected} if expected else set())


@pytest.mark.parametrize(("text", "path", "expected"), COMMENTS)
def test_forms_in_comments(text: str, path: str, expected: tuple[str, str, frozenset[Row]] | None):
    assert taken(text, path) == ({expected} if expected else set())


HALF_WRITTEN = [
    # text, what has to be found in it: target, a name taken, its local name
    ("import { a, from './x'", "./x", "a", "a"),
    ("import { a\nimport { b } from './x'", "./x", "b", "b"),
    ("import { a } from './x", "./x", "a", "a"),
    ("import a, from './x'", "./x", "default", "a"),
    ("import { a as } from './x'", "./x", "a", "a"),
    ("import { a as b, c as from './x'", "./x", "a", "b"),
    ("import from './x'", "./x", ".", ""),
    ("import fo from\nexport * from './x'", "./x", "*", ""),
    ("export { a, from './x'", "./x", "a", "a"),
    ("export * as from './x'", "./x", ".", ""),
    ("const a = require('./x'", "./x", ".", "*"),
    ("const a = await import('./x'\nfoo()", "./x", ".", "*"),
    ("function f() {\n  if (a) {\nimport { b } from './x'", "./x", "b", "b"),
    ("class A {\n  m() {\nimport { b } from './x'\nexport class B {}", "./x", "b", "b"),
    ("const a = [1, 2\nimport { b } from './x'", "./x", "b", "b"),
    ("import { b } from './x'\nconst a = {", "./x", "b", "b"),
    ("import { b } from './x'\nconst a = `", "./x", "b", "b"),
    ("<<<<<<< HEAD\nimport { b } from './x'\n=======\n>>>>>>> other\n", "./x", "b", "b"),
    ("import b from './y'\n=======\nimport { b } from './x'\n>>>>>>> other\n", "./x", "b", "b"),
]


@pytest.mark.parametrize(("text", "target", "name", "local"), HALF_WRITTEN)
@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.js"])
def test_half_written_text(text: str, target: str, name: str, local: str, path: str):
    found = read(path, text.encode())
    names = {
        (b.name, b.local) for one in found.imports if one.target == target for b in one.bindings
    }
    assert (name, local) in names or (name, "") in names


SCOPES = [
    ("a.ts", "const a = 1", "global"),
    ("a.ts", "", "global"),
    ("a.ts", "import './x'", ""),
    ("a.ts", "import a = require('./x')", ""),
    ("a.ts", "export {}", ""),
    ("a.ts", "export = a", ""),
    ("a.ts", "export default 1", ""),
    ("a.ts", "export const a = 1", ""),
    ("a.ts", "const a = import.meta.url", ""),
    ("a.ts", "const a = import('./x')", "global"),
    ("a.ts", "let a: import('./x').T", "global"),
    ("a.ts", "import a = N.b", "global"),
    ("a.ts", "const a = require('./x')", "global"),
    ("a.js", "const a = require('./x')", ""),
    ("a.js", "exports.a = 1", ""),
    ("a.js", "module.exports = 1", ""),
    ("a.js", "module.exports.a = 1", ""),
    ("a.js", "Object.defineProperty(exports, 'a', { value: 1 })", ""),
    ("a.js", "const a = 1", "global"),
    ("a.js", "const module = 1", "global"),
    # an export inside a namespace is the namespace's
    ("a.ts", "namespace N { export const a = 1 }", "global"),
    ("a.ts", "declare namespace N {\n  export interface A {}\n}", "global"),
    ("a.ts", "declare namespace N {\n  export interface A {}\n", "global"),
    ("a.d.ts", "declare module 'p' {\n  export const a: number\n}", "global"),
    ("a.d.ts", "declare module 'p' {\n  import x from 'y'\n}", "global"),
    ("a.ts", "export {}\ndeclare global { interface A {} }", "global"),
    ("a.ts", "import 'x'\ndeclare module './b' { interface A {} }", "global"),
    ("a.d.ts", "export const a: number\nexport as namespace Lib", "global"),
    ("a.ts", "// export {}", "global"),
    ("a.ts", "'export {}'", "global"),
]


@pytest.mark.parametrize(("path", "text", "expected"), SCOPES)
def test_scripts_are_seen_everywhere_and_modules_are_not(path: str, text: str, expected: str):
    assert read(path, text.encode()).scope == expected


@given(st.lists(st.sampled_from(
    [*(row[0] for row in STATEMENTS), *(row[0] for row in HALF_WRITTEN), "{", "}", "(", "'", "`",
     "export", "import", "from './q'", "/*", "<T>", "class A {"]
), max_size=6).map("\n".join))  # fmt: skip
def test_any_text_is_read(text: str):
    for path in ("a.ts", "a.tsx", "a.js"):
        assert isinstance(read(path, text.encode()), FileImports)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("before", ["", "#!/usr/bin/env node\n", "\r\n", "'use strict'\r"])
def test_encodings_and_ends_of_lines(encoding: str, before: str):
    text = f"{before}import './ä'\r\nexport {{}}\r\n"
    found = read("a.ts", text.encode(encoding))
    assert [one.target for one in found.imports] == ["./ä"]
    assert found.scope == ""


@given(st.binary(max_size=80))
def test_any_bytes_are_read(text: bytes):
    assert isinstance(read("a.ts", text), FileImports)


@given(
    st.sampled_from([row for row in STATEMENTS if row[1] is not None]),
    st.sampled_from(["const z = (1;", "function z( {", "class Z { m( }", "z.;", "let z: = 1;"]),
)
def test_a_whole_import_is_read_before_broken_text(
    row: tuple[str, tuple[str, str, frozenset[Row]]], after: str
):
    targets = {(kind, target) for kind, target, _ in taken(f"{row[0]};\n{after}\n")}
    assert row[1][:2] in targets or row[0] in SPECIAL
