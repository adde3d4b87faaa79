"""Rarer ways in which a change travels between scripts, as small projects with an edit each."""

from __future__ import annotations

from tests.support.script_forms import CHECKED, config, edit

GLOBALS = [
    edit("a global interface that only its value names", {
        "lib.ts": "export {};\n"
        "declare global {\n  interface RegExpConstructor { own: number }\n}\n",
        "use.ts": "export const n: number = RegExp.own;\n", "spared.ts": "export const s = 1;\n",
    }, "own: number", "own: string", "use.ts"),
    edit("an interface of what everything is made of", {
        "lib.ts": "export {};\ndeclare global {\n  interface Array<T> { own: number }\n}\n",
        "use.ts": "export const n: number = [1].own;\n",
    }, "own: number", "own: string", "use.ts"),
    edit("markup's elements", {
        **config(jsx="preserve"),
        "env.d.ts": "declare namespace JSX {\n"
        "  interface IntrinsicElements { a: { b: number } }\n}\n",
        "use.tsx": "export const n = <a b={1} />;\n", "spared.tsx": "export const s = 1;\n",
    }, "b: number", "b: string", "use.tsx"),
    edit("a second declaration of a global", {
        "one.ts": "let first = 1;\n", "two.ts": "let second = 1;\n", "spared.ts": "export {};\n",
    }, "let first", "let second", "two.ts"),
    edit("a variable that a branch of a script declares", {
        "env.ts": "if (Math.random()) {\n  var inner = 1;\n}\n",
        "use.ts": "export const n: number = inner;\n",
    }, "inner = 1", "inner = ''", "use.ts"),
    edit("a class that a namespace adds to", {
        "one.ts": "class C {}\n", "two.ts": "namespace C {\n  export const a = 1;\n}\n",
        "use.ts": "export const n: number = C.a;\n",
    }, "a = 1", "a = ''", "one.ts use.ts"),
    edit("a function's global overload", {
        "env.d.ts": "declare function on(a: 'x'): void;\ndeclare function on(a: 'y'): void;\n",
        "use.ts": "on('y');\nexport {};\n",
    }, "a: 'y'", "a: 'z'", "use.ts"),
    edit("a declared module that is one thing", {
        **config(esModuleInterop=True),
        "env.d.ts": "declare module 'far' {\n  const f: (a: number) => void;\n  export = f;\n}\n",
        "use.ts": "import f from 'far';\nf(1);\n", "spared.ts": "export const s = 1;\n",
    }, "a: number", "a: string", "use.ts"),
    edit("a declared module that is given on", {
        "env.d.ts": "declare module 'far' {\n  export const a: number;\n}\n",
        "use.ts": "export * from 'far';\n",
        "end.ts": "import { a } from './use';\nexport const n: number = a;\n",
    }, "a: number", "a: string", "use.ts end.ts"),
    edit("a declared module that is taken on the spot", {
        "env.d.ts": "declare module 'far' {\n  export const a: number;\n}\n",
        "use.ts": "export const n: number = (await import('far')).a;\n",
    }, "a: number", "a: string", "use.ts"),
]  # fmt: skip

NAMES = [
    edit("a name that is also a word of the language", {
        "lib.ts": "function string() {\n  return 1;\n}\nexport const type = string();\n",
        "use.ts": "import { type } from './lib';\nexport const n: number = type;\n",
    }, "return 1", "return ''", "use.ts"),
    edit("such a name from something taken apart", {
        "lib.ts": "const o = { as: 1 };\nconst { as } = o;\nexport const a = as;\n",
        "use.ts": "import { a } from './lib';\nexport const n: number = a;\n",
    }, "as: 1", "as: ''", "use.ts"),
    edit("a name in quotes", {
        "lib.ts": "const a = 1;\nexport { a as 'b c' };\n",
        "use.ts": "import { 'b c' as b } from './lib';\nexport const n: number = b;\n",
    }, "a = 1", "a = ''", "use.ts"),
    edit("a name with a dollar", {
        "lib.ts": "export const $a$ = 1;\n",
        "use.ts": "import { $a$ as $ } from './lib';\nexport const $b = $;\n",
        "far.ts": "import { $b } from './use';\nexport const n: number = $b;\n",
    }, "$a$ = 1", "$a$ = ''", "use.ts far.ts"),
    edit("a name of another alphabet", {
        "lib.ts": "export const größe = 1;\n",
        "use.ts": "import { größe } from './lib';\nexport const n: number = größe;\n",
    }, "größe = 1", "größe = ''", "use.ts"),
    edit("a name that two wildcards have", {
        "one.ts": "export const f = 1;\n", "two.ts": "export const g = 1;\n",
        "all.ts": "export * from './one';\nexport * from './two';\n",
        "use.ts": "import { f } from './all';\nexport const n: number = f;\n",
        "spared.ts": "import { f } from './one';\nexport const s: number = f;\n",
    }, "const g", "const f", "all.ts use.ts"),
    edit("an export that names another file", {
        "one.ts": "export const a = 1;\n", "two.ts": "export const a = '';\n",
        "all.ts": "export { a } from './one';\n",
        "use.ts": "import { a } from './all';\nexport const n: number = a;\n",
    }, "'./one'", "'./two'", "use.ts"),
    edit("a wildcard that names another file", {
        "one.ts": "export const a = 1;\n", "two.ts": "export const a = '';\n",
        "all.ts": "export * from './one';\n",
        "use.ts": "import { a } from './all';\nexport const n: number = a;\n",
    }, "'./one'", "'./two'", "use.ts"),
    edit("an import that names another file", {
        "one.ts": "export const a = 1;\n", "two.ts": "export const a = '';\n",
        "all.ts": "import { a } from './one';\nexport const b = a;\n",
        "use.ts": "import { b } from './all';\nexport const n: number = b;\n",
    }, "'./one'", "'./two'", "use.ts"),
    edit("an import that is only of types", {
        "one.ts": "export class A {}\n", "all.ts": "import { A } from './one';\nexport { A };\n",
        "use.ts": "import { A } from './all';\nexport const a = new A();\n",
    }, "import { A }", "import type { A }", "use.ts"),
    edit("files in a circle", {
        "one.ts": "import { b } from './two';\nexport const a = (): number => b();\n",
        "two.ts": "import { a } from './one';\nexport const b = (): number => a();\n"
        "export const c = a;\n",
        "use.ts": "import { c } from './two';\nexport const n: number = c();\n",
    }, "(): number => b()", "(): string => b()", "two.ts use.ts"),
]  # fmt: skip

SHAPES = [
    edit("a class made by a function", {
        "lib.ts": "export const mixed = (B: new () => object) =>\n"
        "  class extends B {\n    a = 1;\n  };\n",
        "use.ts": "import { mixed } from './lib';\nexport class C extends mixed(Object) {}\n",
        "far.ts": "import { C } from './use';\nexport const n: number = new C().a;\n",
    }, "a = 1", "a = ''", "use.ts far.ts"),
    edit("an element of markup", {
        **config(jsx="preserve"),
        "env.d.ts": "declare namespace JSX {\n  interface Element {}\n}\n",
        "lib.tsx": "export function Button(props: { a: number }): JSX.Element { return {}; }\n",
        "use.tsx": "import { Button as B } from './lib';\nexport const n = <B a={1} />;\n",
    }, "a: number", "a: string", "use.tsx"),
    edit("a getter", {
        "lib.ts": "export class C {\n  get a() { return 1; }\n}\n",
        "use.ts": "import { C } from './lib';\nexport const n: number = new C().a;\n",
    }, "return 1", "return ''", "use.ts"),
    edit("a generator", {
        **config(lib=["es2022"]),
        "lib.ts": "export function* f() { yield 1; }\n",
        "use.ts": "import { f } from './lib';\nfor (const n of f()) n.toFixed();\n",
    }, "yield 1", "yield ''", "use.ts"),
    edit("a guard that is inferred", {
        "lib.ts": "export function is(a: unknown) { return typeof a === 'number'; }\n",
        "use.ts": "import { is } from './lib';\ndeclare const a: unknown;\n"
        "export const n = is(a) ? a.toFixed() : '';\n",
    }, "'number'", "'string'", "use.ts"),
    edit("a function that never ends", {
        **config(allowUnreachableCode=False),
        "lib.ts": "export const end = () => {\n  throw 1;\n};\n",
        "use.ts": "import { end } from './lib';\nexport const s: never = end();\n",
    }, "throw 1;", "", "use.ts"),
    edit("a function that returns nothing", {
        "lib.ts": "export function f() {\n  g();\n}\nfunction g() {}\n",
        "use.ts": "import { f } from './lib';\nexport const n: void = f();\n",
    }, "g();", "g();\n  g();", ""),
    edit("a function that begins to return something", {
        "lib.ts": "export function f() {\n  g();\n}\nfunction g() {}\n",
        "use.ts": "import { f } from './lib';\nexport const n: void = f();\n",
    }, "g();", "return '';", "use.ts"),
    edit("a result on a line of its own", {
        "lib.ts": "export function f() {\n  return (\n    1);\n}\n",
        "use.ts": "import { f } from './lib';\nexport const n: number = f();\n",
    }, "return (\n    1)", "return\n    (1)", "use.ts"),
    edit("a decorator", {
        **config(experimentalDecorators=True),
        "lib.ts": "export function d(c: new () => object): void {}\n",
        "use.ts": "import { d } from './lib';\n@d\nexport class C {}\n",
    }, "new () => object", "new (a: 1) => number", "use.ts"),
    edit("a computed key", {
        "lib.ts": "export const key = 'a';\n",
        "use.ts": "import { key } from './lib';\nexport const o = { [key]: 1 };\n",
        "far.ts": "import { o } from './use';\nexport const n: number = o.a;\n",
    }, "'a'", "'b'", "use.ts far.ts"),
    edit("a key in quotes", {
        "lib.ts": "export interface A { 'a-b': number }\n",
        "use.ts": "import { A } from './lib';\nexport const f = (a: A): number => a['a-b'];\n",
    }, "number", "string", "use.ts"),
    edit("a signature without a name", {
        "lib.ts": "export interface F { (a: number): void; z: 1 }\n",
        "use.ts": "import { F } from './lib';\nexport const g = (f: F) => f(1);\n",
    }, "a: number", "a: string", "use.ts"),
    edit("an index signature", {
        "lib.ts": "export class C {\n  [key: string]: number;\n}\n",
        "use.ts": "import { C } from './lib';\nexport const n: number = new C().anything;\n",
    }, "number", "string", "use.ts"),
    edit("a mapped type", {
        "lib.ts": "export type M<T> = { [K in keyof T]: number };\n",
        "use.ts": "import { M } from './lib';\nexport const m: M<{ a: 1 }> = { a: 1 };\n",
    }, "number", "string", "use.ts"),
    edit("a template of types", {
        "lib.ts": "export type T = `a ${string}`;\n",
        "use.ts": "import { T } from './lib';\nexport const t: T = 'a b';\n",
    }, "`a $", "`a  $", "use.ts"),
    edit("a type's default", {
        "lib.ts": "export interface Box<T = number> { value: T }\n",
        "use.ts": "import { Box } from './lib';\nexport const b: Box = { value: 1 };\n",
    }, "T = number", "T = string", "use.ts"),
    edit("a static block", {
        "lib.ts": "export class C {\n  static a;\n  static {\n    this.a = 1;\n  }\n}\n",
        "use.ts": "import { C } from './lib';\nexport const n: number = C.a;\n",
    }, "this.a = 1", "this.a = ''", "use.ts"),
    edit("what is asserted of a value", {
        "lib.ts": "export const a = {} as { b: number };\n",
        "use.ts": "import { a } from './lib';\nexport const n: number = a.b;\n",
    }, "b: number", "b: string", "use.ts"),
    edit("a value that satisfies a type", {
        "lib.ts": "export const a = { b: 1 } satisfies object;\n",
        "use.ts": "import { a } from './lib';\nexport const n: number = a.b;\n",
    }, "b: 1", "b: ''", "use.ts"),
    edit("a constant enum", {
        "lib.ts": "export const enum E { A }\n",
        "use.ts": "import { E } from './lib';\nexport const e: 0 = E.A;\n",
    }, "A }", "A = 3 }", "use.ts"),
    edit("a mark that something is old", {
        "lib.ts": "export const a = 1;\n/** A note. */\nexport const b = 1;\n",
        "use.ts": "import { a } from './lib';\nexport const n: number = a;\n",
    }, "A note", "Another note", ""),
]  # fmt: skip

NARROWED = [
    edit("a written type that its value narrows", {
        "lib.ts": "const a: number | string = 1;\nexport const b = a;\n",
        "use.ts": "import { b } from './lib';\nexport const n: number = b;\n",
    }, "= 1", "= ''", "use.ts"),
    edit("a written type that a value assigned later narrows", {
        "lib.ts": "let a: number | string = 1;\na = '';\nexport const b = a;\n",
        "use.ts": "import { b } from './lib';\nexport const n: string = b;\n",
    }, "a = '';", "", "use.ts"),
    edit("a type that a check narrows", {
        "lib.ts": "declare const a: number | string;\nif (typeof a !== 'number') throw 1;\n"
        "export const b = a;\n",
        "use.ts": "import { b } from './lib';\nexport const n: number = b;\n",
    }, "'number'", "'string'", "use.ts"),
    edit("a type that an assertion narrows", {
        "lib.ts": "declare const a: number | string;\n"
        "function is(x: unknown): asserts x is number {}\nis(a);\nexport const b = a;\n",
        "use.ts": "import { b } from './lib';\nexport const n: number = b;\n",
    }, "\nis(a);", "\n", "use.ts"),
    edit("a value that narrows for those in the file alone", {
        "lib.ts": "export const a: number | string = 1;\n",
        "use.ts": "import { a } from './lib';\nexport const n: number | string = a;\n",
    }, "= 1", "= ''", ""),
    edit("the type of a class in itself", {
        "lib.ts": "export class B {\n  m() { return this; }\n  n = 1;\n}\n",
        "use.ts": "import { B } from './lib';\n"
        "export class D extends B {\n  q() { return this.m().n; }\n}\n",
        "far.ts": "import { D } from './use';\nexport const n: number = new D().q();\n",
    }, "n = 1", "n = ''", "use.ts far.ts"),
    edit("a new export of a namespace", {
        "lib.ts": "export const a = 1;\n",
        "use.ts": "import * as l from './lib';\nexport const k: { a: number; b: number } = l;\n",
    }, "a = 1;", "a = 1; export const b = 1;", "use.ts"),
    edit("a base that is not exported", {
        "lib.ts": "class B {\n  m(a: number) {}\n}\nexport class C extends B {}\n",
        "use.ts": "import { C } from './lib';\nnew C().m(1);\n",
    }, "a: number", "a: string", "use.ts"),
]  # fmt: skip

JAVASCRIPT = [
    edit("a constructor of JavaScript", {
        **CHECKED, "lib.js": "function C() {\n  this.a = 1;\n}\nmodule.exports = C;\n",
        "use.js": "const C = require('./lib');\n/** @type {number} */\nconst n = new C().a;\n",
    }, "this.a = 1", "this.a = ''", "use.js"),
    edit("a prototype's method", {
        **CHECKED, "lib.js": "function C() {}\nC.prototype.m = function () { return 1; };\n"
        "exports.C = C;\n",
        "use.js": "const { C } = require('./lib');\n"
        "/** @type {number} */\nconst n = new C().m();\n",
    }, "return 1", "return ''", "use.js"),
    edit("a class's field that a method fills", {
        **CHECKED, "lib.js": "class C {\n  constructor() { this.a = 1; }\n}\nexports.C = C;\n",
        "use.js": "const { C } = require('./lib');\n/** @type {number} */\nconst n = new C().a;\n",
    }, "this.a = 1", "this.a = ''", "use.js"),
    edit("exports by another name", {
        **CHECKED, "lib.js": "const out = module.exports;\nout.a = 1;\n",
        "use.js": "const { a } = require('./lib');\n/** @type {number} */\nconst n = a;\n",
    }, "out.a = 1", "out.a = ''", "use.js"),
    edit("an export from within a branch", {
        **CHECKED, "lib.js": "if (Math) {\n  exports.a = 1;\n}\n",
        "use.js": "const { a } = require('./lib');\n/** @type {number} */\nconst n = a;\n",
    }, "exports.a = 1", "exports.a = ''", "use.js"),
    edit("an export that is defined", {
        **CHECKED, "lib.js": "Object.defineProperty(exports, 'a', { value: 1 });\n",
        "use.js": "const { a } = require('./lib');\n/** @type {number} */\nconst n = a;\n",
    }, "value: 1", "value: ''", "use.js"),
    edit("an export within a chain", {
        **CHECKED, "lib.js": "const a = (exports.a = 1);\n",
        "use.js": "const { a } = require('./lib');\n/** @type {number} */\nconst n = a;\n",
    }, "exports.a = 1", "exports.a = ''", "use.js"),
    edit("a part of what is required", {
        **CHECKED, "lib.js": "exports.a = { b: 1 };\n",
        "use.js": "exports.c = require('./lib').a;\n",
        "far.js": "const { c } = require('./use');\n/** @type {number} */\nconst n = c.b;\n",
    }, "b: 1", "b: ''", "use.js far.js"),
    edit("a module spread into another", {
        **CHECKED, "lib.js": "exports.a = 1;\n",
        "use.js": "module.exports = { ...require('./lib'), z: 1 };\n",
        "far.js": "const { a } = require('./use');\n/** @type {number} */\nconst n = a;\n",
    }, "exports.a = 1", "exports.a = ''", "far.js"),
    edit("an import in a comment", {
        **CHECKED, "lib.ts": "export interface A { a: number }\n",
        "use.js": "/** @import { A as B } from './lib' */\n/** @type {B} */\n"
        "const a = { a: 1 };\nmodule.exports = a;\n",
        "far.js": "const a = require('./use');\n/** @type {number} */\nconst n = a.a;\n",
    }, "a: number", "a: string", "use.js far.js"),
    edit("modules of JavaScript", {
        **config(allowJs=True, checkJs=True), "lib.js": "export const a = 1;\n",
        "use.js": "import { a } from './lib';\n/** @type {number} */\nexport const n = a;\n",
    }, "a = 1", "a = ''", "use.js"),
]  # fmt: skip

RARE = (*GLOBALS, *NAMES, *SHAPES, *NARROWED, *JAVASCRIPT)
