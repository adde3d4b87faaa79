"""Small projects with an edit each: one for every way in which a change travels between scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Form(NamedTuple):
    """A project, an edit (None: the file goes), and the other files that the edit may reach."""

    name: str
    files: Mapping[str, str]
    changes: Mapping[str, str | None]
    reached: str

    @property
    def after(self) -> dict[str, str]:
        """The files once the edit is made."""
        both = {**self.files, **self.changes}
        return {path: text for path, text in both.items() if text is not None}


def edit(name: str, files: Mapping[str, str], old: str, new: str, reached: str) -> Form:
    """A text replaced by another, where it stands first."""
    path = next(path for path, text in files.items() if old in text)
    return Form(name, files, {path: files[path].replace(old, new, 1)}, reached)


def config(**options: Any) -> dict[str, str]:
    """The compiler's configuration."""
    return {"tsconfig.json": json.dumps({"compilerOptions": options})}


LIB = "export function f(a: number): number {\n  return a;\n}\nexport const other = 1;\n"
OTHER = {"other.ts": "import { other } from './lib';\nexport const o: number = other;\n"}
SPARED = {"lib.ts": LIB, **OTHER}


def using(text: str, **more: str) -> dict[str, str]:
    """The usual module, one that uses its `f`, and one that uses another name of it."""
    return {**SPARED, "use.ts": text, **{f"{name}.ts": content for name, content in more.items()}}


OLD, NEW = "f(a: number): number", "f(a: string): string"
SIGNATURES = [
    edit("a function with the name of a type", {
        "lib.ts": "export function any(a: number): number {\n  return a;\n}\n"
        "export function g(a: any): any {\n  return a;\n}\n",
        "use.ts": "import { any } from './lib';\nany(1);\n",
        "other.ts": "import { g } from './lib';\ng(1);\n",
    }, "any(a: number)", "any(a: string)", "use.ts"),
    edit("a named import", using("import { f } from './lib';\nf(1);\n"), OLD, NEW, "use.ts"),
    edit("a renamed import", using("import { f as g } from './lib';\ng(1);\n"), OLD, NEW, "use.ts"),
    edit("a namespace", using("import * as l from './lib';\nl.f(1);\n"), OLD, NEW, "use.ts"),
    edit("an import that is required", {
        **config(module="commonjs", moduleResolution="node10"),
        **using("import l = require('./lib');\nl.f(1);\n"),
    }, OLD, NEW, "use.ts"),
    edit("a dynamic import", using("import('./lib').then((l) => l.f(1));\nexport {};\n"), OLD, NEW,
         "use.ts"),
    edit("a dynamic import taken apart",
         using("const { f: g } = await import('./lib');\ng(1);\nexport {};\n"), OLD, NEW, "use.ts"),
    edit("a type of an import", using(
        "declare const g: typeof import('./lib').f;\ng(1);\nexport {};",
    ), OLD, NEW, "use.ts"),
    edit("a type of an import, in a signature", using(
        "export function g(): ReturnType<typeof import('./lib').f> { return 1; }\n",
        far="import { g } from './use';\nexport const n: number = g();\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("a wildcard between", using(
        "export * from './lib';\n", far="import { f } from './use';\nf(1);\n",
        spared="import { other } from './use';\nexport const s: number = other;\n",
    ), OLD, NEW, "far.ts"),
    edit("a wildcard with a name", using(
        "export * as l from './lib';\n", far="import { l } from './use';\nl.f(1);\n",
    ), OLD, NEW, "far.ts"),
    edit("a name given on", using(
        "export { f as g } from './lib';\n", far="import { g } from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("a name given on as the default", using(
        "export { f as default } from './lib';\n", far="import g from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("an import exported later", using(
        "import { f } from './lib';\nexport { f as g };\n",
        far="import { g } from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("an import that is the default", using(
        "import { f } from './lib';\nexport default f;\n", far="import g from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("an inferred result", using(
        "import { f } from './lib';\nexport function g(a: any) { return f(a); }\n",
        far="import { g } from './use';\nexport const n: number = g(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("a written result", using(
        "import { f } from './lib';\nexport function g(a: any): number { return f(a); }\n",
        far="import { g } from './use';\nexport const n: number = g(1);\n",
    ), OLD, NEW, "use.ts"),
    edit("an inferred constant", using(
        "import { f } from './lib';\nexport const g = f;\n",
        far="import { g } from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts far.ts"),
    edit("a written type of a constant", using(
        "import { f } from './lib';\nexport const g: (a: number) => number = f;\n",
        far="import { g } from './use';\ng(1);\n",
    ), OLD, NEW, "use.ts"),
    edit("an overload", {
        **SPARED, "over.ts": "export function h(a: number): number;\n"
        "export function h(a: string): string;\nexport function h(a: any): any { return a; }\n",
        "use.ts": "import { h } from './over';\nexport const n: number = h(1);\n",
    }, "h(a: number): number", "h(a: boolean): number", "use.ts"),
    edit("a body behind a signature", using("import { f } from './lib';\nf(1);\n"),
         "return a;", "return a + 1;", ""),
    edit("a default value", using("import { f } from './lib';\nf();\n"),
         "f(a: number)", "f(a: number = 1)", "use.ts"),
    edit("a comment", using("import { f } from './lib';\nf(1);\n"),
         "  return a;", "  // a note\n  return a;", ""),
    edit("a name that goes", using("import { f } from './lib';\nf(1);\n"),
         "function f(", "function g(", "use.ts"),
    edit("a name that is no longer exported", using("import { f } from './lib';\nf(1);\n"),
         "export function f", "function f", "use.ts"),
    Form("a module that goes", using("import { f } from './lib';\nf(1);\n"), {"lib.ts": None},
         "other.ts use.ts"),
    Form("a module that comes", {"use.ts": "import { f } from './lib';\nf('');\n"}, {"lib.ts": LIB},
         "use.ts"),
    Form("a module that comes before another", {
        "lib/index.ts": LIB, "use.ts": "import { f } from './lib';\nf(1);\n",
    }, {"lib.ts": "export const x = 1;\n"}, "use.ts"),
]  # fmt: skip

TYPES = [
    edit("a member of an interface", {
        "lib.ts": "export interface A { a: number }\nexport interface B { b: number }\n",
        "use.ts": "import type { A } from './lib';\nexport const a: A = { a: 1 };\n",
        "far.ts": "import { a } from './use';\nexport const n: number = a.a;\n",
        "spared.ts": "import { type B } from './lib';\nexport const b: B = { b: 1 };\n",
    }, "a: number", "a: string", "use.ts far.ts"),
    edit("a member that nobody names", {
        "lib.ts": "export interface A { a: number }\n",
        "make.ts": "import type { A } from './lib';\nexport declare function make(): A;\n",
        "take.ts": "export function take(x: { a: number }): void {}\n",
        "use.ts": "import { make } from './make';\nimport { take } from './take';\ntake(make());\n",
    }, "a: number", "a?: number", "make.ts use.ts"),
    edit("a base of an interface", {
        "lib.ts": "export interface A { a: number }\n",
        "use.ts": "import { A } from './lib';\nexport interface B extends A { b: number }\n",
        "far.ts": "import { B } from './use';\nexport const b: B = { a: 1, b: 2 };\n",
    }, "a: number", "c: number", "use.ts far.ts"),
    edit("a type that is made of another", {
        "lib.ts": "export type A = { a: number } & { z: 1 };\n",
        "use.ts": "import { A } from './lib';\nexport type K = keyof A;\n",
        "far.ts": "import { K } from './use';\nexport const k: K = 'a';\n",
    }, "a: number", "b: number", "use.ts far.ts"),
    edit("a method of a class", {
        "lib.ts": "export class C {\n  m(a: number): void {}\n  n(): void {}\n}\n",
        "use.ts": "import { C } from './lib';\nnew C().m(1);\n",
    }, "m(a: number)", "m(a: string)", "use.ts"),
    edit("a body of a method", {
        "lib.ts": "export class C {\n  m(a: number): void {}\n}\n",
        "use.ts": "import { C } from './lib';\nnew C().m(1);\n",
    }, "{}", "{ a.toFixed(); }", ""),
    edit("a private member", {
        "lib.ts": "export class C {\n  private a = 1;\n}\n",
        "use.ts": "import { C } from './lib';\nexport const c: C = {} as { a: number };\n",
    }, "private a", "a", "use.ts"),
    edit("an abstract member", {
        "lib.ts": "export abstract class C {\n  a(): void {}\n}\n",
        "use.ts": "import { C } from './lib';\nexport class D extends C {}\n",
        "far.ts": "import { D } from './use';\nexport const d = new D();\n",
    }, "a(): void {}", "a(): void {}\n  abstract b(): void;", "use.ts far.ts"),
    edit("a field that the constructor infers", {
        "lib.ts": "export class C {\n  a;\n  constructor() { this.a = 1; }\n}\n",
        "use.ts": "import { C } from './lib';\nexport const n: number = new C().a;\n",
    }, "this.a = 1", "this.a = ''", "use.ts"),
    edit("a field that is a parameter", {
        "lib.ts": "export class C {\n  constructor(readonly a: number) {}\n}\n",
        "use.ts": "import { C } from './lib';\nexport const n: number = new C(1).a;\n",
    }, "readonly a: number", "private a: number", "use.ts"),
    edit("a class that is the default", {
        "lib.ts": "export default class {\n  a = 1;\n}\n",
        "use.ts": "import C from './lib';\nexport const n: number = new C().a;\n",
    }, "a = 1", "a = ''", "use.ts"),
    edit("a member of an enum", {
        "lib.ts": "export enum E { A, B }\n",
        "use.ts": "import { E } from './lib';\nexport const e: E.B = E.B;\n",
    }, "A, B", "A, C", "use.ts"),
    edit("the value of an enum", {
        "lib.ts": "export enum E { A = 1, B }\n",
        "use.ts": "import { E } from './lib';\nexport const e: 2 = E.B;\n",
    }, "A = 1", "A = 4", "use.ts"),
    edit("a namespace's export", {
        "lib.ts": "export namespace N {\n  export const a = 1;\n  const b = 1;\n}\n",
        "use.ts": "import { N } from './lib';\nexport const n: number = N.a;\n",
    }, "a = 1", "a = ''", "use.ts"),
    edit("what a namespace keeps to itself", {
        "lib.ts": "export namespace N {\n  export const a: number = 1;\n  const b = 1;\n}\n",
        "use.ts": "import { N } from './lib';\nexport const n: number = N.a;\n",
    }, "b = 1", "b = ''", ""),
    edit("an alias of a namespace's name", {
        "lib.ts": "export namespace N {\n  export type T = number;\n}\n",
        "use.ts": "import { N } from './lib';\nimport T = N.T;\nexport const n: T = 1;\n",
    }, "T = number", "T = string", "use.ts"),
    edit("a literal that is exactly itself", {
        "lib.ts": "export const a = { kind: 'x' } as const;\n",
        "use.ts": "import { a } from './lib';\nexport const k: 'x' = a.kind;\n",
    }, "'x'", "'y'", "use.ts"),
    edit("a part of an object taken apart", {
        "lib.ts": "const o = { a: 1, b: 2 };\nexport const { a: c, b } = o;\n",
        "use.ts": "import { c } from './lib';\nexport const n: number = c;\n",
    }, "a: 1", "a: ''", "use.ts"),
    edit("an annotation that only the file itself sees", {
        "lib.ts": "type Own = { a: number };\nexport const o: Own = { a: 1 };\n",
        "use.ts": "import { o } from './lib';\nexport const n: number = o.a;\n",
    }, "{ a: number }", "{ a: string }", "use.ts"),
    edit("a property given to a function", {
        "lib.ts": "export function f() {}\nf.size = 1;\n",
        "use.ts": "import { f } from './lib';\nexport const n: number = f.size;\n",
    }, "f.size = 1", "f.size = ''", "use.ts"),
    edit("a guard", {
        "lib.ts": "export function is(a: unknown): a is number { return true; }\n",
        "use.ts": "import { is } from './lib';\ndeclare const a: unknown;\n"
        "export const n = is(a) ? a.toFixed() : '';\n",
    }, "a is number", "a is string", "use.ts"),
    edit("a parameter of a type", {
        "lib.ts": "export interface Box<T> { value: T }\n",
        "use.ts": "import { Box } from './lib';\nexport const b: Box<number> = { value: 1 };\n",
    }, "Box<T>", "Box<T, U>", "use.ts"),
    edit("text that is half written", {
        "lib.ts": "export const a = 1;\nexport const b = 1;\n",
        "use.ts": "import { b } from './lib';\nexport const n: number = b;\n",
    }, "a = 1;", "a = {", "use.ts"),
]  # fmt: skip

GLOBALS = [
    edit("a script", {
        "env.ts": "const version = 1;\ninterface Local { a: 1 }\n",
        "use.ts": "export const n: number = version;\n", "spared.ts": "export const s = 1;\n",
    }, "version = 1", "version = ''", "use.ts"),
    edit("an interface that scripts share", {
        "one.d.ts": "interface Shared { a: number }\n",
        "two.d.ts": "interface Shared { b: number }\n",
        "use.ts": "export const s: Shared = { a: 1, b: 2 };\n",
    }, "a: number", "a: string", "two.d.ts use.ts"),
    edit("an export inside a namespace of a script", {
        "env.d.ts": "declare namespace N {\n  export const a: number;\n}\n",
        "use.ts": "export const n: number = N.a;\n", "spared.ts": "export const s = 1;\n",
    }, "a: number", "a: string", "use.ts"),
    edit("an addition to what is global", {
        "lib.ts": "export {};\ndeclare global {\n  interface Own { a: number }\n}\n",
        "use.ts": "export const n: Own = { a: 1 };\n", "spared.ts": "export const s = 1;\n",
    }, "a: number", "a: string", "use.ts"),
    edit("an addition to another module", {
        "lib.ts": "export interface A { a: number }\n",
        "more.ts": "import './lib';\ndeclare module './lib' {\n  interface A { b: number }\n}\n",
        "use.ts": "import { A as X } from './lib';\nexport const x: X = { a: 1, b: 2 };\n",
        "spared.ts": "export const s = 1;\n",
    }, "b: number", "b: string", "lib.ts use.ts"),
    edit("a module that is only declared", {
        "env.d.ts": "declare module 'far' {\n  export const a: number;\n}\n",
        "use.ts": "import { a as b } from 'far';\nexport const c = b;\n",
        "end.ts": "import { c } from './use';\nexport const n: number = c;\n",
        "spared.ts": "export const s = 1;\n",
    }, "a: number", "a: string", "use.ts end.ts"),
    edit("modules that are declared by a pattern", {
        "env.d.ts": "declare module '*.svg' {\n  const url: string;\n  export default url;\n}\n",
        "use.ts": "import picture from './a.svg';\nexport const s: string = picture;\n",
        "spared.ts": "export const s = 1;\n",
    }, "url: string", "url: number", "use.ts"),
    edit("a global name of a module", {
        **config(allowUmdGlobalAccess=True),
        "lib.d.ts": "export declare const a: number;\nexport as namespace Lib;\n",
        "use.ts": "export const n: number = Lib.a;\n", "spared.ts": "export const s = 1;\n",
    }, "a: number", "a: string", "use.ts"),
    edit("a file that is referred to", {
        **config(noLib=False), "lib/env.ts": "declare const version: number;\n",
        "use.ts": "/// <reference path='lib/env.ts' />\nexport const n: number = version;\n",
    }, "version: number", "version: string", "use.ts"),
    edit("a script that becomes a module", {
        "env.ts": "const version = 1;\n", "use.ts": "export const n: number = version;\n",
    }, "const version", "export const version", "use.ts"),
    edit("a runtime of markup", {
        **config(jsx="react-jsx", jsxImportSource="ui", paths={"ui/*": ["./ui/*"]}),
        "ui/jsx-runtime.ts": "export declare function jsx(a: unknown, b: unknown): unknown;\n"
        "export declare namespace JSX {\n  interface IntrinsicElements { a: { b: number } }\n}\n",
        "use.tsx": "export const n = <a b={1} />;\n", "spared.ts": "export const s = 1;\n",
    }, "b: number", "b: string", "use.tsx"),
    edit("a runtime of markup by a pragma", {
        **config(jsx="react-jsx", paths={"ui/*": ["./ui/*"]}),
        "ui/jsx-runtime.ts": "export declare function jsx(a: unknown, b: unknown): unknown;\n"
        "export declare namespace JSX {\n  interface IntrinsicElements { a: { b: number } }\n}\n",
        "use.tsx": "/** @jsxImportSource ui */\nexport const n = <a b={1} />;\n",
    }, "b: number", "b: string", "use.tsx"),
]  # fmt: skip

PLACES = [
    edit("paths in an extended configuration of another name", {
        "tsconfig.json": '{"extends": "./conf/base.json"}',
        "conf/base.json": '{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}',
        "src/lib.ts": LIB, "use.ts": "import { f } from '@/lib';\nf(1);\n",
    }, OLD, NEW, "use.ts"),
    edit("folders laid over one another", {
        **config(rootDirs=["src", "made"]), "made/lib.ts": LIB,
        "src/use.ts": "import { f } from './lib';\nf(1);\n",
    }, OLD, NEW, "src/use.ts"),
    edit("the types of a nested package", {
        "lib/package.json": '{"types": "source/main.ts"}', "lib/source/main.ts": LIB,
        "use.ts": "import { f } from './lib';\nf(1);\n",
    }, OLD, NEW, "use.ts"),
    edit("declarations of another suffix", {
        **config(allowArbitraryExtensions=True), "a.css": "",
        "a.d.css.ts": "declare const css: { a: string };\nexport default css;\n",
        "use.ts": "import css from './a.css';\nexport const a: string = css.a;\n",
    }, "a: string", "a: number", "use.ts"),
    edit("a suffix that stands for another", {
        **config(module="nodenext", moduleResolution="nodenext"),
        "package.json": '{"type": "module"}',
        "lib.ts": LIB, "use.ts": "import { f } from './lib.js';\nf(1);\n",
    }, OLD, NEW, "use.ts"),
    edit("a package's own names", {
        **config(module="nodenext", moduleResolution="nodenext"),
        "package.json": '{"type": "module", "imports": {"#lib": "./src/lib.ts"}}',
        "src/lib.ts": LIB, "use.ts": "import { f } from '#lib';\nf(1);\n",
    }, OLD, NEW, "use.ts"),
    edit("a module of data", {
        **config(resolveJsonModule=True),
        "use.ts": "import data from './data.json';\nexport const d = data.a;\n",
        "far.ts": "import { d } from './use';\nexport const n: number = d;\n",
        "data.json": '{"a": 1}',
    }, '{"a": 1}', '{"a": ""}', "use.ts far.ts"),
]  # fmt: skip

CHECKED = config(allowJs=True, checkJs=True, module="commonjs", moduleResolution="node10")
"""JavaScript whose types are checked."""

JAVASCRIPT = [
    edit("a required module", {
        **CHECKED, "lib.js": "exports.a = 1;\nexports.b = 1;\n",
        "use.js": "const { a } = require('./lib');\n/** @type {number} */\nconst n = a;\n",
        "spared.js": "const { b } = require('./lib');\nmodule.exports = b;\n",
    }, "exports.a = 1", "exports.a = ''", "use.js"),
    edit("a module that is one thing", {
        **CHECKED, "lib.js": "module.exports = { a: 1 };\n",
        "use.js": "const lib = require('./lib');\n/** @type {number} */\nconst n = lib.a;\n",
    }, "a: 1", "a: ''", "use.js"),
    edit("a module given on as a whole", {
        **CHECKED, "lib.js": "exports.a = 1;\n", "use.js": "module.exports = require('./lib');\n",
        "far.js": "const { a } = require('./use');\n/** @type {number} */\nconst n = a;\n",
    }, "exports.a = 1", "exports.a = ''", "far.js"),
    edit("a type in a comment", {
        **CHECKED, "lib.ts": "export interface A { a: number }\n",
        "use.js": "/** @type {import('./lib').A} */\nconst a = { a: 1 };\nmodule.exports = a;\n",
        "far.js": "const a = require('./use');\n/** @type {number} */\nconst n = a.a;\n",
    }, "a: number", "a: string", "use.js far.js"),
    edit("a type that a comment declares", {
        **CHECKED, "lib.js": "/** @typedef {{ a: number }} A */\nexports.z = 1;\n",
        "use.js": "/** @type {import('./lib').A} */\nconst a = { a: 1 };\nmodule.exports = a;\n",
    }, "a: number", "a: string", "use.js"),
    edit("a signature in a comment", {
        **CHECKED, "lib.js": "/** @param {number} a */\nexports.f = function (a) {};\n",
        "use.js": "const { f } = require('./lib');\nf(1);\n",
    }, "{number}", "{string}", "use.js"),
    edit("a module that is equal to one thing", {
        **CHECKED, "lib.ts": "function f(a: number): void {}\nexport = f;\n",
        "use.ts": "import f = require('./lib');\nf(1);\n",
    }, "a: number", "a: string", "use.ts"),
]  # fmt: skip

USUAL = (*SIGNATURES, *TYPES, *GLOBALS, *PLACES, *JAVASCRIPT)
