"""What scripts declare, and which edits others can see."""

from __future__ import annotations

import pytest

from understudy.syntax.model import ALL, WHOLE, FileDeclarations
from understudy.syntax.script.declarations import read

Named = tuple[str, str, tuple[str, ...], bool]
"""A declaration: its owner, its name, its exported names, whether its owner changes with it."""


def named(text: str, path: str = "a.ts") -> list[Named]:
    found = read(path, text.encode()).declarations
    return [(one.owner, one.name, one.exported, one.of_owner) for one in found]


def own(*names: str) -> list[Named]:
    return [("", name, (), False) for name in names]


def out(*names: str) -> list[Named]:
    return [("", name, (name,), False) for name in names]


def members(owner: str, *names: str) -> list[Named]:
    return [(owner, name, (), True) for name in names]


EXPORTED = [
    ("function f() {}", own("f")),
    ("export function f() {}", out("f")),
    ("export async function* f() {}", out("f")),
    ("export default function f() {}", [("", "f", ("default",), False)]),
    ("export default function () {}", [("", "default", ("default",), False)]),
    ("export default class {}", [("", "default", ("default",), False)]),
    ("export default class C {}", [("", "C", ("default",), False)]),
    ("export default interface I {}", [("", "I", ("default",), False)]),
    ("export default 1", [("", "default", ("default",), False)]),
    ("export default { a: 1 }", [("", "default", ("default",), False)]),
    ("export default async () => {}", [("", "default", ("default",), False)]),
    ("const a = 1; export default a", [
        ("", "a", ("default",), False), ("", "default", ("default",), False)]),
    ("const a = 1; export = a", [
        ("", "a", ("default", WHOLE), False), ("", "export=", ("default", WHOLE), False)]),
    ("const a = 1; export { a }", out("a")),
    ("const a = 1; export { a as b, a as c }", [("", "a", ("b", "c"), False)]),
    ("export { a as default }; function a() {}", [("", "a", ("default",), False)]),
    ("type T = 1; export type { T }", out("T")),
    ("export const a = 1, b = 2", out("a", "b")),
    ("export let a: number", out("a")),
    ("export var a", out("a")),
    ("export const { a, b: c, ...d } = e", out("a", "c", "d")),
    ("export const [a, [b], c = 1, ...d] = e", out("a", "b", "c", "d")),
    ("export const { a: { b = 1, c: [d] } } = e", out("b", "d")),
    ("export type T = number", out("T")),
    ("export type T<A> = A extends infer B ? B : 1", out("T")),
    ("export declare const a: number", out("a")),
    ("export declare function f(): void", out("f")),
    ("export abstract class C {}", out("C")),
    ("@d export class C {}", out("C")),
    ("export @d class C {}", out("C")),
    ("export enum E {}", out("E")),
    ("export const enum E {}", out("E")),
    ("export import A = N.B", out("A")),
    ("import A = N.B; export {}", own("A")),
    ("import { a as b } from './x'", own("b")),
    ("import a, * as b from './x'", own("a", "b")),
    ("import a = require('./x'); export {}", own("a")),
    ("import { a } from './x'; export { a as b }", [("", "a", ("b",), False)]),
    ("import './x'", []),
    ("export * from './x'", [("", ALL, (ALL,), False)]),
    ("export * as n from './x'", [("", "n", ("n",), False)]),
    ("export { a as b } from './x'", [("", "b", ("b",), False)]),
    ("export {}", []),
    ("using a = b; export {}", own("a")),
    ("function f(): 1; function f(a: 2): 2; export {}", own("f", "f")),
    ("const f = () => {}; f.a = 1; export {}", [*own("f"), *members("f", "a")]),
    ("function F() {}; F.prototype.m = g; export {}", [*own("F"), *members("F", "m")]),
    ("export declare const a: 1; export as namespace L", [*out("a"), ("", "L", ("L",), False)]),
]  # fmt: skip

MEMBERS = [
    ("interface I { a: 1; b?(): 2; get c(): 3; 'd e': 4; (): 5; [k: string]: 6 }",
     members("I", "a", "b", "c", "d e")),
    ("type I = { a: 1 } & ({ b: 2 } | { c: 3 })", members("I", "a", "b", "c")),
    ("enum I { a, b = 1, 'c d' = 2 }", members("I", "a", "b", "c d")),
    ("class I { a = 1; static b; #c; readonly d: 1; declare e: 2; [f] = 3 }",
     members("I", "a", "b", "#c", "d", "e", "[f]")),
    ("class I { constructor(private a: 1, b: 2, readonly c = 3) {} }",
     members("I", "constructor", "a", "c")),
    ("class I { get a() { return 1 } set a(b) {} *c() {} async d() {} 'e f'() {} }",
     members("I", "a", "a", "c", "d", "e f")),
    ("class I { a(): 1; a(b: 2): 2; a(b?: 2) { return 1 } }", members("I", "a", "a", "a")),
    ("abstract class I { abstract a(): 1; protected abstract b: 2 }", members("I", "a", "b")),
    ("class I { @d a = 1; @d() b() {} }", members("I", "a", "b")),
    ("namespace I { export const a = 1; export type B = 1 }", members("I", "a", "B")),
    ("namespace I { const a = 1 }", [("I", "a", (), False)]),
    ("namespace I { const a = 1; export { a as b } }", members("I", "a")),
    ("declare namespace I { const a: 1 }", members("I", "a")),
    ("namespace I { export class C { a = 1 } }", [*members("I", "C"), *members("I.C", "a")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPORTED)
def test_what_a_module_declares(text: str, expected: list[Named]):
    found = named(text if "port" in text else f"{text}\nexport {{}}")
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(("text", "expected"), MEMBERS)
def test_what_has_members(text: str, expected: list[Named]):
    found = named(f"export {text}")
    assert found[0] == ("", "I", ("I",), False)
    # In pieces of a type that are nested, the order says nothing.
    assert sorted(found[1:]) == sorted(expected)


GLOBAL = [
    ("a.ts", "const a = 1", [("", "a", ("a",), False)]),
    ("a.ts", "if (b) { var a = 1 }", [("", "a", ("a",), False)]),
    ("a.ts", "if (b) { let a = 1; function f() { var c } }", []),
    ("a.ts", "interface I { a: 1 }", [("", "I", ("I",), False), ("I", "a", ("a",), True)]),
    ("a.d.ts", "declare namespace N { const a: 1 }",
     [("", "N", ("N",), False), ("N", "a", ("a",), True)]),
    ("a.d.ts", "declare namespace N.M { const a: 1 }",
     [("", "N", ("N",), False), ("N", "M", ("M",), True), ("N.M", "a", ("a",), True)]),
    ("a.ts", "export {}; declare global { var a: 1 } const b = 1",
     [("", "a", ("a",), False), ("", "b", (), False)]),
    ("a.ts", "interface Array<T> {}", [("", "Array", ("Array", ALL), False)]),
    ("a.d.ts", "declare module 'x' { const a: 1; export default a }",
     [("", '"x"', ('"x"',), False), ("", "a", ("a",), False),
      ("", "default", ("default",), False)]),
    ("a.d.ts", "declare module '*.svg'", [("", '"*"', ('"*"',), False)]),
    ("a.d.ts", "declare module 'x'", [("", '"x"', ('"x"',), False)]),
    ("a.js", "exports.a = 1", [("", "a", ("a",), False)]),
    ("a.js", "module.exports.a = 1", [("", "a", ("a",), False)]),
    ("a.js", "exports['a b'] = 1", [("", "a b", ("a b",), False)]),
    ("a.js", "module.exports = { a: 1, b, c() {} }",
     [("", "module.exports", ("default", WHOLE, "a", "b", "c"), False)]),
    ("a.js", "exports = module.exports = f",
     [("", "module.exports", ("default", WHOLE), False)] * 2),
    ("a.js", "const a = exports.b = 1",
     [("", "a", (), False), ("", "b", ("b",), False)]),
    ("a.js", "(function () { exports.a = 1 })()", [("", "a", ("a",), False)]),
    ("a.js", "__exportStar(require('./x'), exports)",
     [("", "module.exports", ("default", WHOLE, ALL), False)]),
    ("a.js", "Object.assign(exports, b)",
     [("", "module.exports", ("default", WHOLE, ALL), False)]),
    ("a.js", "exports.z = 1\n/** @typedef {{ a: 1 }} T */\n/** @callback C */",
     [("", "C", ("C",), False), ("", "T", ("T",), False), ("", "z", ("z",), False)]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), GLOBAL)
def test_what_is_seen_in_other_ways(path: str, text: str, expected: list[Named]):
    assert sorted(named(text, path)) == sorted(expected)


def changed(before: str, after: str, path: str = "a.ts") -> set[str] | None:
    """The names whose outside differs, each with its owner; None where any may have changed."""
    left, right = (read(path, text.encode()) for text in (before, after))
    if left.frame != right.frame or not (left.is_sound and right.is_sound):
        return None
    former, latter = _outsides(left), _outsides(right)
    return {key for key in former.keys() | latter.keys() if former.get(key) != latter.get(key)}


def _outsides(found: FileDeclarations) -> dict[str, list[str]]:
    listed: dict[str, list[str]] = {}
    for one in found.declarations:
        listed.setdefault(f"{one.owner}.{one.name}".lstrip("."), []).append(one.outside)
    return listed


UNSEEN = [
    ("export function f(a: 1): 2 { return g() }", "g()", "h(3)"),
    ("export function f(a: 1): 2 { return g() }", "{ return", "{\n // a note\n return"),
    ("export function f(a: 1, b: 2 = 3): 2 {}", "= 3", "= 4"),
    ("export function f() { g() }", "g()", "h(3); return;"),
    ("export async function f() { await g() }", "g()", "h()"),
    ("export const f = (a: 1): 2 => g(a)", "g(a)", "h(a)"),
    ("export const f = function (a: 1): 2 { return g(a) }", "g(a)", "h(a)"),
    ("export const a: 1 = b", "b", "c + d"),
    ("export const a: { b: 1 } = { b: 1 }", "{ b: 1 };", "c"),
    ("export default function (): 2 { return g() }", "g()", "h()"),
    ("export class C { a: 1 = b }", "= b", "= c"),
    ("export class C { m(): 1 { return g() } }", "g()", "h()"),
    ("export class C { m() { g() } }", "g()", "h()"),
    ("export class C { a = 1; constructor(b: 1) { this.a = b }}", "this.a = b", "this.a = 2"),
    ("export class C { set a(b: 1) { g() } }", "g()", "h()"),
    ("export namespace N { export function f(): 1 { return g() } }", "g()", "h()"),
    ("export const a = 1", " = ", "\n   =\n  "),
    ("export const a = 1", "1", "/* a note */ 1"),
    ("/** A note. */ export const a = 1", "A note", "Another"),
    ("export const a = [1, 2]", "[1, 2]", "[\n  1,\n  2\n]"),
    ("export {}; f(1)", "f(1)", "g(2)"),
    ("export {}; if (a) { throw b }", "throw b", "g(2)"),
    ("export const a: A | B = b; const c: A = a", "= b", "= d"),
]


@pytest.mark.parametrize(("text", "old", "new"), UNSEEN)
def test_edits_that_nobody_else_sees(text: str, old: str, new: str):
    after = text.replace(old, new, 1)
    assert after != text or "};" in old
    assert changed(text, after) == set()


SEEN = [
    # text, what is replaced in it by what, the names that others see changed
    ("export function f(a: 1): 2 {}", "a: 1", "a: 3", "f"),
    ("export function f(a: 1): 2 {}", "a: 1", "b: 1", "f"),
    ("export function f(a: 1): 2 {}", "a: 1", "a?: 1", "f"),
    ("export function f(a: 1): 2 {}", "a: 1", "a: 1 = 1", "f"),
    ("export function f(a: 1): 2 {}", "): 2", "): 3", "f"),
    ("export function f(a: 1): 2 {}", "): 2", ")", "f"),
    ("export function f(a: 1): 2 {}", "function f", "function f<T>", "f"),
    ("export function f(a: 1): 2 {}", "function", "async function", "f"),
    ("export function f(a: 1): 2 {}", "export ", "", "f"),
    ("export function f(a = 1): 2 {}", "= 1", "= ''", "f"),
    ("export function f({ a = 1 }): 2 {}", "= 1", "= ''", "f"),
    ("export function f() { return g() }", "g()", "h()", "f"),
    ("export function f() {}", "{}", "{ return 1 }", "f"),
    ("export function* f() { yield 1 }", "1", "2", "f"),
    ("export const f = () => { throw 1 }", "throw 1", "g()", "f"),
    ("export const f = (a: 1) => g(a)", "g", "h", "f"),
    ("export const a = 1", "1", "2", "a"),
    ("export const a = 1", "const", "let", "a"),
    ("export const a = 'b  c'", "b  c", "b c", "a"),
    ("export const a = 1, b = 2", "2", "3", "b"),
    ("export const a: 1 = b", ": 1", ": 3", "a"),
    ("export const a: A | B = b; const c = a", "= b", "= d", "c"),
    ("export const a = b; if (!a) { throw c } const d = () => a", "!a", "a.e", "a d"),
    ("export const a = b; check(a); const c = [a]; const d = 1", "check(a)", "", "a c"),
    ("export const a = b as 1", "1", "2", "a"),
    ("export const { a, b } = c", "= c", "= d", "a b"),
    ("export const a = 1; const b = 2", "2", "3", "b"),
    ("export class C extends B {}", "B", "D", "C"),
    ("export class C {}", "C", "C implements B", "C"),
    ("export class C {}", "class", "abstract class", "C"),
    ("export class C {}", "export class", "@d export class", "C"),
    ("export class C { a = 1 }", "1", "2", "C.a"),
    ("export class C { a = 1 }", "a =", "private a =", "C.a"),
    ("export class C { a = 1 }", "a =", "static a =", "C.a"),
    ("export class C { a = 1 }", "a =", "@d a =", "C.a"),
    ("export class C { a = 1 }", "a = 1", "b = 1", "C.a C.b"),
    ("export class C { @d m(): 1 {} }", "@d", "@e", "C.m"),
    ("export class C { m() { return 1 } }", "1", "2", "C.m"),
    ("export class C { get a() { return 1 } }", "1", "2", "C.a"),
    ("export class C { a; constructor() { this.a = 1 } }", "= 1", "= 2", "C.constructor"),
    ("export class C { static { f() } }", "f()", "g()", "C"),
    ("export class C { [k: string]: 1 }", "1", "2", "C"),
    ("export class C { constructor(private a: 1) {} }", "a: 1", "a: 2", "C.a C.constructor"),
    ("export interface I { a: 1 }", "1", "2", "I.a"),
    ("export interface I { a: 1 }", "a:", "a?:", "I.a"),
    ("export interface I { a: 1 }", "a:", "readonly a:", "I.a"),
    ("export interface I { (): 1 }", "1", "2", "I"),
    ("export interface I extends J {}", "J", "K", "I"),
    ("export type T = { a: 1 }", "1", "2", "T T.a"),
    ("export type T = A | B", "B", "C", "T"),
    ("export enum E { A = 1, B }", "1", "2", "E E.A"),
    ("export enum E { A, B }", "A, B", "B, A", "E"),
    ("export namespace N { export const a = 1 }", "1", "2", "N.a"),
    ("export namespace N { const a = 1 }", "1", "2", "N.a"),
    ("export { a as b }; const a = 1", "as b", "as c", "a"),
    ("export default 1", "1", "2", "default"),
    ("import { a } from './x'", "'./x'", "'./y'", "a"),
    ("import { a } from './x'", "{ a }", "{ b as a }", "a"),
    ("import { a } from './x'", "import", "import type", "a"),
    ("import { a } from './x'", "{ a }", "{ a, b }", "b"),
    ("import a from './x' with { type: 'json' }", "json", "css", "a"),
    ("export * from './x'", "./x", "./y", "*"),
    ("export { a } from './x'", "./x", "./y", "a"),
    ("/** @deprecated */ export const a = 1", "@deprecated", "Fine.", "a"),
    ("export interface I {\n  a: 1;\n  b: 2;\n}", "  b", "  /** @deprecated */\n  b", "I.b"),
    ("export function f() {\n  return (\n1)\n}", "return (\n1)", "return\n(1)", "f"),
    ("export function f(): 1; export function f(a: 2): 2 {}", "f(): 1; ", "f(): 3; ", "f"),
]


@pytest.mark.parametrize(("text", "old", "new", "expected"), SEEN)
def test_edits_that_others_see(text: str, old: str, new: str, expected: str):
    before = text if "port " in text else f"{text}\nexport {{}}"
    after = f"{text.replace(old, new, 1)}\nexport {{}}"
    assert after != f"{before}\nexport {{}}"
    assert changed(f"{before}\nexport {{}}", after) == set(expected.split())


JAVASCRIPT = [
    ("/** @type {number} */\nexport const a = b", "number", "string", "a"),
    ("/** @param {number} a */\nexport function f(a) {}", "number", "string", "f"),
    ("export function f() { this.a = 1 }", "1", "2", "f"),
    ("export class C {\n  /** @type {1} */\n  a = b\n}", "1", "2", "C.a"),
    ("export class C { m() { this.a = 1 } }", "1", "2", "C.m"),
    ("exports.a = 1", "1", "2", "a"),
    ("module.exports = { a: 1 }", "1", "2", "module.exports"),
    ("exports.z = 1; /** @typedef {{ a: 1 }} T */", "a: 1", "a: 2", "T"),
    ("// a note\nexport const a = 1", "note", "word", ""),
]


@pytest.mark.parametrize(("text", "old", "new", "expected"), JAVASCRIPT)
def test_edits_of_javascript(text: str, old: str, new: str, expected: str):
    assert changed(text, text.replace(old, new, 1), "a.js") == set(expected.split())


EVERYTHING = [
    ("export const a = 1", "export ", ""),  # it becomes a script
    ("export const a = 1", "export", "// @ts-nocheck\nexport"),
    ("export const a = 1", "export", "'use strict'\nexport"),
    ("export const a = 1", "export", "/// <reference types='x' />\nexport"),
    ("export const a = 1", "export", "/** @jsx h */\nexport"),
    ("export const a = 1", "1", "(1"),
    ("export const a = {}", "{}", "{"),
    ("export const a = 1", "=", "= = ="),
    ("export function f() {}", "() {}", "( {}"),
]


@pytest.mark.parametrize(("text", "old", "new"), EVERYTHING)
def test_edits_after_which_any_name_may_have_changed(text: str, old: str, new: str):
    assert changed(text, text.replace(old, new, 1)) is None


@pytest.mark.parametrize(
    "text",
    ["export type * from './x'", "export type * as n from './x'", "let a: import('./x').T<1>"],
)
def test_what_only_the_grammar_does_not_know_is_sound(text: str):
    assert read("a.ts", text.encode()).is_sound
