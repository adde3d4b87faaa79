"""Which names the declarations of scripts mention, and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import Declaration, FileDeclarations
from understudy.syntax.script.declarations import read


def first(text: str, path: str = "a.ts") -> Declaration:
    return read(path, text.encode()).declarations[0]


WORDS = [
    # text, all names shown, names that only the inside mentions
    ("export function f(a: A): B { return c.d(e) }", "f a A B", "c e"),
    ("export const a: A = b.c", "a A", "b"),
    ("export const a = b.c(d)", "a b d", ""),
    ("export const a = [...b]", "a b", ""),
    ("export const a = b?.c!.d", "a b", ""),
    ("export const a = `${b} c`", "$ a b c", ""),
    ("export const $a = _b$", "$a _b$", ""),
    ("export class C extends A<B> implements D {}", "C A B D", ""),
    # words of the language are no names, unless the file makes them so
    ("export const a: string | undefined = null", "a", ""),
    ("export async function f(): Promise<void> { await b; return new C() }", "f Promise", "b C"),
    ("export abstract class C { declare readonly a: never }", "C", ""),
    ("export type T<A> = keyof A extends infer B ? unique symbol : unknown", "T A B", ""),
    ("export function string(a: string) {}", "string a", ""),
    ("export const a = import('./x')", 'a import x ./x" "*"', ""),
]


@pytest.mark.parametrize(("text", "shown", "inner"), WORDS)
def test_names(text: str, shown: str, inner: str):
    found = first(text)
    if "import(" not in text:
        assert found.shown.names == set(shown.split())
    assert found.inner.names == set(inner.split())


MEMBERS = [
    ("export const a = b.c.d", {"c", "d"}),
    ("export const a = b?.c", {"c"}),
    ("export const a = b\n  .c()", {"c"}),
    ("export const a = b['c']", {"c"}),
    ("export const a = { b: 1, 'c': 2, d, e() {} }", {"b", "c", "d", "e"}),
    ("export const { a, b: c } = d", {"a", "b"}),
    ("export const a: Pick<B, 'c' | 'd'> = e", {"c", "d"}),
    ("export class C extends B { m() {} a = 1 }", {"m", "a"}),
    ("export class C implements B { m() {} a = 1 }", {"m", "a"}),
    ("export interface C extends B { m(): 1; a: 1 }", {"m", "a"}),
]


@pytest.mark.parametrize(("text", "expected"), MEMBERS)
def test_members(text: str, expected: set[str]):
    assert expected <= first(text).shown.members


MARKUP = [
    ("export const a = <B c={1} d='e' f />", {"B", "React", "JSX"}, {"c", "d", "f"}),
    ("export const a = <b.C>{d}</b.C>", {"b", "d", "React", "JSX"}, {"C"}),
    ("/** @jsx own */\nexport const a = <b />", {"own", "JSX"}, {"b"}),
]


@pytest.mark.parametrize(("text", "names", "members"), MARKUP)
def test_markup_means_names_that_it_does_not_mention(text: str, names: set[str], members: set[str]):
    found = first(text, "a.tsx").shown
    assert names <= found.names
    assert members <= found.members
    assert "React" not in first("export const a = <T>(b: T) => b", "a.tsx").shown.names


INLINE = [
    ("export const a = (await import('./x')).b", {"import", "b"}),
    ("export function f(a: import('./x').T): void {}", {"import", "T"}),
    ("export const a = require('far').b", {"require", "b", '"far"', '"*"'}),
    ("export const a = import('far')", {"import", '"far"', '"*"'}),
]


@pytest.mark.parametrize(("text", "expected"), INLINE)
def test_what_is_imported_on_the_spot_is_a_name(text: str, expected: set[str]):
    assert expected <= first(text).shown.names


IMPORTED = [
    ("import { a } from './x'", {"a", '"*"'}),
    ("import { a as b } from 'far'", {"a", "b", '"far"', '"*"'}),
    ("import a from 'far'", {"default", "a", '"far"', '"*"'}),
    ("import * as a from 'far'", {"a", '"far"', '"*"'}),
    ("export { a as b } from 'far'", {"a", "b", '"far"', '"*"'}),
]


@pytest.mark.parametrize(("text", "expected"), IMPORTED)
def test_an_import_mentions_what_it_takes(text: str, expected: set[str]):
    assert first(text).shown.names == expected


def test_what_runs_is_loose():
    found = read("a.ts", b"import { f } from './x'\nf(a.b)\nfor (const c of d) e()\n")
    assert found.loose.names == {"f", "a", "c", "of", "d", "e"}
    assert "b" in found.loose.members


PIECES = st.sampled_from(
    [
        "import { a } from './x';",
        "export * from './y';",
        "export function f(a: A, b = 1): B { return c.d }",
        "export function g() { return { a: 1, b() {} } }",
        "export const h = (a: A) => <B>a;",
        "export const { i, j: [k] } = l;",
        "export class C<T> extends D { @e a: T = f; m() { return this.a } static #n = 1 }",
        "export interface I extends J { a: 1; (b: 2): 3 }",
        "export enum E { A = 1, B }",
        "namespace N.M { export type T = `a ${string} b` }",
        "declare global { interface G { a: 1 } }",
        "if (a) { b() }",
        "export default { a: 'b  c' };",
    ]
)
GAPS = st.sampled_from(["\n", "\n\n", "  \n\t", " // a note\n", "\n/* b */ ", "\r\n"])


@given(st.lists(PIECES, max_size=6), st.lists(GAPS, min_size=6, max_size=6))
def test_layout_and_notes_between_statements_are_not_seen(pieces: list[str], gaps: list[str]):
    plain = "\n".join(pieces)
    spread = "".join(piece + gap for piece, gap in zip(pieces, gaps, strict=False))
    left, right = read("a.ts", plain.encode()), read("a.ts", spread.encode())
    assert [_said(one) for one in left.declarations] == [_said(one) for one in right.declarations]
    assert (left.frame, left.is_sound) == (right.frame, right.is_sound)


def _said(one: Declaration) -> tuple[object, ...]:
    return one.owner, one.name, one.exported, one.outside, one.of_owner


@given(st.lists(PIECES, max_size=3), st.text(max_size=12), st.integers(0, 200))
def test_any_text_is_taken_apart(pieces: list[str], inserted: str, place: int):
    text = "\n".join(pieces)
    broken = text[:place] + inserted + text[place:]
    for path in ("a.ts", "a.tsx", "a.js"):
        found = read(path, broken.encode("utf-8", "replace"))
        assert isinstance(found, FileDeclarations)


@given(st.lists(PIECES, min_size=1, max_size=5, unique=True), st.data())
def test_a_piece_that_goes_is_noticed(pieces: list[str], data: st.DataObject):
    gone = data.draw(st.sampled_from(pieces))
    before = read("a.ts", "\n".join(["export {}", *pieces]).encode())
    after = read("a.ts", "\n".join(["export {}", *(p for p in pieces if p != gone)]).encode())
    if gone.startswith("if"):
        assert before.loose != after.loose
    else:
        left = sorted(map(repr, map(_said, before.declarations)))
        right = sorted(map(repr, map(_said, after.declarations)))
        assert left != right
