"""Members that are read off their lines are those that the parser finds."""

from __future__ import annotations

import pytest

from tests.support.outline_whole import told, whole
from understudy.outline.hollow import hollow
from understudy.outline.languages import LANGUAGES as KNOWN
from understudy.outline.read_outline import outline

PLAIN = b"""
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


def test_plain_members_are_read_off_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    hollowed = hollow(PLAIN, KNOWN["typescript"])
    assert b"first" not in hollowed.text
    assert b"R = 1" not in hollowed.text
    assert b"prototype" not in hollowed.text
    assert b"only" not in hollowed.text
    assert told(outline(PLAIN, "typescript")) == told(whole(PLAIN, "typescript", monkeypatch))


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
def test_members_that_are_not_plain_are_left_to_the_parser(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PLAIN.replace(b"new (a: J): A;", line + (b"\n} }" if line.endswith(b"{") else b""))
    assert told(outline(text, "typescript")) == told(whole(text, "typescript", monkeypatch))


@pytest.mark.parametrize(
    "rest", [b"[];", b" = x;", b" | null;", b"\n| null;", b";", b", b: B;", b""]
)
@pytest.mark.parametrize("words", [b"declare var", b"export let", b"var", b"export declare const"])
def test_types_of_variables(words: bytes, rest: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\n" + words + b" a: {\n  first: A;\n  second(): B;\n}" + rest + b"\nfunction c() {}\n"
    assert "first" in [entry.name for entry in outline(text, "typescript").entries]
    assert told(outline(text, "typescript")) == told(whole(text, "typescript", monkeypatch))


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


def test_lines_of_go_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    hollowed = hollow(GO, KNOWN["go"])
    assert b"iota" not in hollowed.text
    assert b"Third" not in hollowed.text
    assert b"First" in hollowed.text  # two names
    assert told(outline(GO, "go")) == told(whole(GO, "go", monkeypatch))


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
def test_lines_of_go_that_are_not_plain(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GO.replace(b"A T = iota", line).replace(b"*q.Fifth", line.replace(b" =", b" int"))
    assert told(outline(text, "go")) == told(whole(text, "go", monkeypatch))


def test_a_group_in_a_string_declares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"package p\n\nvar kept = `\nconst (\n\tno = 1\n)\n`\n"
    found = outline(text, "go")
    assert [entry.name for entry in found.entries] == ["kept"]
    assert told(found) == told(whole(text, "go", monkeypatch))
