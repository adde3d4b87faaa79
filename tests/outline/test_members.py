"""Members, fields and constants of any form: the outline has what the parser says of them."""

from __future__ import annotations

import pytest

from tests.support.outline_whole import assert_as_parsed
from understudy.outline.read_outline import outline

TYPES = b"""
/** What it is. */
export interface A<T extends B = B> extends C {
    first: D; // beside
    /**
     * Above.
     */
    readonly second?: E<"x" | F>;

    third(a: G, b?: (c: H) => void): I;
    new (a: J): A;
    new<K>(a: K): A;
    <L>(a: L): L;
    [key: string]: M;
    "quoted-name"(): N;
}
declare var T: {
    prototype: T;
    new(): T;
};
interface U { }
interface V {
    only: W;
}
declare namespace O {
    const enum P {
        Q = 1,
        R = 1 << 2,
        S
    }
}
"""


def test_members_of_types() -> None:
    names = {entry.name for entry in outline(TYPES, "typescript").entries}
    assert names >= {"first", "second", "third", "quoted-name", "prototype", "only", "Q", "R", "S"}
    assert_as_parsed(TYPES, "typescript")


@pytest.mark.parametrize(
    "line",
    [
        b"get a(): B;",
        b"a: {",
        b"a: B",
        b"a: B; b: C;",
        b"a(b: C,\n  d: E): F;",
        b"a(b: C,",
        b"[Symbol.iterator](): B;",
        b"readonly [key: string]: A;",
        b"a?: `x${string}`;",
        b"a: /* (b: B): C; */ D;",
        b"if(a: B): C;",
    ],
)
def test_members_of_any_form(line: bytes) -> None:
    text = TYPES.replace(b"new (a: J): A;", line + (b"\n} }" if line.endswith(b"{") else b""))
    assert_as_parsed(text, "typescript")


@pytest.mark.parametrize(
    "rest", [b"[];", b" = x;", b" | null;", b"\n| null;", b";", b", b: B;", b""]
)
@pytest.mark.parametrize("words", [b"declare var", b"export let", b"var", b"export declare const"])
def test_types_of_variables(words: bytes, rest: bytes) -> None:
    text = b"\n" + words + b" a: {\n  first: A;\n  second(): B;\n}" + rest + b"\nfunction c() {}\n"
    assert "first" in [entry.name for entry in outline(text, "typescript").entries]
    assert_as_parsed(text, "typescript")


GO = b"""package p

const (
\tA T = iota // beside
\t// Above.
\tB
\tC = "c\\"" + D(1)<<2 + "d"
)

type S struct {
\t// Above.
\tFirst, Second int
}

type T[K any] struct {
\tThird map[string][]K `json:"third"` // beside

\t/* Above. */
\tFourth <-chan func(a int) error
\tSeventh map[string]struct{} // beside
\tEighth func(a interface{}, b func(c, d int) []e) (f, g error)
\t*q.Fifth
\tSixth `json:"-"`
}
"""


def test_fields_and_constants() -> None:
    names = {entry.name for entry in outline(GO, "go").entries}
    assert names >= {"A", "B", "C", "First", "Second", "Third", "Fourth", "Fifth", "Sixth"}
    assert_as_parsed(GO, "go")


@pytest.mark.parametrize(
    "line",
    [
        b"E = 1 +\n\t\t2",
        b"E, F = 1, 2",
        b"E = []int{1}",
        b"E = `\n)`",
        b"E = 'e'",
        b"E; F",
        b"E = (1 +\n\t2)",
        b"E struct{ F int }",
        b"E func(a struct{ F int })",
        b"E func(a int,\n\t\tb int)",
        b'E = "a\\',
    ],
)
def test_fields_and_constants_of_any_form(line: bytes) -> None:
    text = GO.replace(b"A T = iota", line).replace(b"*q.Fifth", line.replace(b" =", b" int"))
    assert_as_parsed(text, "go")


def test_a_group_in_a_string_declares_nothing() -> None:
    text = b"package p\n\nvar kept = `\nconst (\n\tno = 1\n)\n`\n"
    found = outline(text, "go")
    assert [entry.name for entry in found.entries] == ["kept"]
    assert_as_parsed(text, "go")


COMMENTED = b"""package p;

/* A comment. */
class A {
    /**
     * Says {@code int b() } and "this.
     */
    int f(int a) { return a; } // beside

    // one
    // two
    int g;
    /* three */ int h;
}
"""


def test_comments_on_lines_of_their_own() -> None:
    names = [entry.name for entry in outline(COMMENTED, "java").entries]
    assert names == ["A", "f", "g", "h"]
    assert_as_parsed(COMMENTED, "java")
