"""Ways in which a namespace travels between scripts, as small projects with an edit each."""

from __future__ import annotations

from tests.support.script_forms import LIB, NEW, OLD, Form, edit

_LIB = "export const a = 1;\nexport const b = 1;\n"
_FIRST = "declare function first<T>(of: T): T[keyof T];\n"


def _space(name: str, reached: str, **files: str) -> Form:
    """A namespace of two names, of which one gets another type."""
    texts = {f"{path}.ts": text for path, text in files.items()}
    return edit(name, {"lib.ts": _LIB, **texts}, "a = 1", "a = ''", reached)


SPACES = [
    _space(
        "something made of a whole namespace", "use.ts far.ts",
        use=f"import * as l from './lib';\n{_FIRST}export const all = first(l);\n",
        far="import { all } from './use';\nexport const n: number = all;\n",
    ),
    _space(
        "a namespace under another name", "far.ts",
        use="import * as l from './lib';\nexport const q = l;\n",
        far="import { q } from './use';\nexport const n: number = q.a;\n",
        spared="import { q } from './use';\nexport const s: number = q.b;\n",
    ),
    _space(
        "a namespace under another name, in its file", "use.ts",
        use="import * as l from './lib';\nconst q = l;\nexport const n: number = q.a;\n",
        spared="import * as l from './lib';\nconst q = l;\nexport const s: number = q.b;\n",
    ),
    _space(
        "a namespace of a namespace", "far.ts",
        mid="export * as l from './lib';\n",
        use="import * as m from './mid';\nexport const q = m.l;\n",
        far="import { q } from './use';\nexport const n: number = q.a;\n",
        spared="import { l } from './mid';\nexport const s: number = l.b;\n",
    ),
    _space(
        "a namespace through wildcards", "use.ts",
        mid="export * as l from './lib';\n", top="export * from './mid';\n",
        use="import { l } from './top';\nexport const n: number = l.a;\n",
        spared="import { l } from './top';\nexport const s: number = l.b;\n",
    ),
    _space(
        "a namespace as a default", "use.ts",
        mid="import * as l from './lib';\nexport default l;\n",
        use="import z from './mid';\nexport const n: number = z\n  .a;\n",
        spared="import z from './mid';\nexport const s: number = z\n  .b;\n",
    ),
    _space(
        "a namespace in an object", "far.ts",
        use="import * as l from './lib';\nexport const o = { l };\n",
        far="import { o } from './use';\nexport const n: number = o.l.a;\n",
    ),
    _space(
        "a namespace that a function gives", "far.ts",
        use="import * as l from './lib';\nexport const g = () => l;\n",
        far="import { g } from './use';\nconst h = g();\nexport const n: number = h.a;\n",
    ),
    _space(
        "a namespace that a class holds", "far.ts",
        use="import * as l from './lib';\nexport class C {\n  l = l;\n}\n",
        far="import { C } from './use';\nexport const n: number = new C().l.a;\n",
    ),
    _space(
        "a namespace taken apart", "use.ts far.ts",
        use="import * as l from './lib';\nexport const { a, b } = l;\n",
        far="import { a } from './use';\nexport const n: number = a;\n",
    ),
    _space(
        "a type of a namespace", "far.ts",
        use="import * as l from './lib';\nexport type L = typeof l;\n",
        far="import { L } from './use';\nexport const n = (l: L): number => l.a;\n",
    ),
    _space(
        "all names of a namespace", "far.ts",
        use="import * as l from './lib';\nexport type V = (typeof l)[keyof typeof l] | boolean;\n",
        far="import { V } from './use';\nexport const f = (v: V): number | boolean => v;\n",
    ),
    edit("a member of the same name, and a word in quotes", {
        "lib.ts": LIB,
        "use.ts": "import { f } from './lib';\nf(1);\n"
        "export interface I { f(): number }\nexport type T = 'f' | 'g';\n",
        "spared.ts": "import { I, T } from './use';\nexport const s = (i: I, t: T) => i.f();\n",
    }, OLD, NEW, "use.ts"),
    edit("a name that comes beside another of its kind", {
        "lib.ts": "export const a = 1;\n", "more.ts": "export const b = 1;\n",
        "use.ts": "export * from './more';\nexport * from './lib';\n",
        "far.ts": "import { b } from './use';\nexport const n: number = b;\n",
    }, "a = 1", "b = ''", "use.ts far.ts"),
]  # fmt: skip
