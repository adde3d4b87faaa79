"""A name that nothing outside can see, directly or through what mentions it, stays inside."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import change_of

INSIDE = (
    ("a.ts", "@export const a = 1;\n", "", "const p = 2;\n"),
    ("a.ts", "const p = @;\nexport function f(): number { return p }\n", "1", "2"),
    ("a.ts", "const p = @;\nconst q = () => p;\nexport const a = 1;\n", "1", "''"),
    ("a.ts", "function p(x: @) {}\np(1);\nexport {};\n", "number", "string"),
    ("a.ts", "type P = @;\nexport function f(): void { let x: P }\n", "1", "2"),
    ("a.js", "const p = @;\nexports.a = 1;\n", "1", "2"),
    ("a.h", "int p(void); // @\n", "a", "b"),
)
"""A path, a text, and what stands in it before and after."""

SEEN = (
    ("a.ts", "const p = @;\nexport const a = () => p;\n", "1", "''"),
    ("a.ts", "const p = @;\nconst q = () => p;\nexport const a = () => q();\n", "1", "''"),
    ("a.ts", "const p = @;\nexport { p };\n", "1", "''"),
    ("a.ts", "const p = @;\nexport { p as r };\n", "1", "''"),
    ("a.ts", "const p = @;\nexport default p;\n", "1", "''"),
    ("a.ts", "const p = @;\nexport = p;\n", "1", "''"),
    ("a.ts", "type P = @;\nexport function f(): P { throw 0 }\n", "1", "2"),
    ("a.ts", "interface P { a: @ }\nexport class C implements P { a = 1 as const }\n", "1", "2"),
    ("a.ts", "class P { m() { return @ } }\nexport const p = new P();\n", "1", "''"),
    ("a.ts", "const p = @;\n", "1", "''"),
    ("a.ts", "const p = @;\nexport type T = typeof p;\n", "1", "''"),
    ("a.ts", "const p = @;\nexport const { a } = { a: p };\n", "1", "''"),
    ("a.ts", "import { r } from './r';\n@export { r };\n", "", "const r = 1;\n"),
    ("a.js", "const p = @;\nmodule.exports = { p };\n", "1", "''"),
    ("a.js", "const p = @;\nexports.a = p;\n", "1", "''"),
    ("a.d.ts", "declare const p: @;\nexport declare const a: typeof p;\n", "1", "2"),
    ("a.py", "_p = @\n", "1", "''"),
    ("a.go", "package a\n\nvar p = @\n", "1", '""'),
    ("a.rs", "fn p() -> @ { 1 }\n", "i32", "u8"),
    ("a.h", "static @ p(void);\n", "int", "long"),
)


@pytest.mark.parametrize(("path", "text", "before", "after"), INSIDE)
def test_what_nobody_outside_can_see(path: str, text: str, before: str, after: str):
    change = change_of(path, text.replace("@", before), text.replace("@", after))
    assert change is not None
    assert change.is_inside, change


@pytest.mark.parametrize(("path", "text", "before", "after"), SEEN)
def test_what_others_see_through_what_mentions_it(path: str, text: str, before: str, after: str):
    change = change_of(path, text.replace("@", before), text.replace("@", after))
    assert change is None or not change.is_inside
