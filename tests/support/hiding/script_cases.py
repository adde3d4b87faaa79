"""TypeScript by two servers and a command, ESLint, and the VS Code servers of the web."""

from __future__ import annotations

from tests.support.hiding.model import HidingCase, HidingProject, breaks, mends
from tests.support.projects import project

_OPTIONS = '"strict": true, "types": [], "module": "es2022", "moduleResolution": "bundler"'
_USE = """\
import { make, guess, item } from "./lib";
import { load } from "./helper";

export const a: number = make(1);
export const b: number = guess(1);
export const c: number = load(1);
make("x");
item.nothing;
undefinedOne;

export function f(q: number): string {
  return q;
}

export function g(q: string): number {
  return q * 2;
}
"""
_FILES = {
    "tsconfig.json": f'{{"compilerOptions": {{{_OPTIONS}}}, "include": ["src"]}}\n',
    "src/helper.ts": 'export function load(x: number): string { return "x"; }\n',
    "src/lib.ts": """\
import { load } from "./helper";
export class Item { name = ""; }
export function make(x: number): Item { return new Item(); }
export function guess(x: number) { return load(x); }
export const item = make(1);
""",
    "src/use.ts": _USE,
}
_CASES = (
    breaks(
        "a quote", {"src/use.ts": ("c: number = load", "c: number = `load")}, "src/use.ts:7,8,12,16"
    ),
    breaks(
        "a comment",
        {"src/use.ts": ("\nexport function f", "\n/* export function f")},
        "src/use.ts:12,16",
    ),
    breaks("a module", {"src/use.ts": ('"./lib"', '"./libb"')}, "src/use.ts:4,5,7,8"),
    breaks("a name of a module", {"src/use.ts": ("{ make,", "{ makee as make,")}, "src/use.ts:4,7"),
    breaks("a module of a module", {"src/lib.ts": ('"./helper"', '"./helperr"')}, "src/use.ts:5"),
    breaks(
        "a name in a module", {"src/lib.ts": ("return load(x)", "return lod(x)")}, "src/use.ts:5"
    ),
    breaks("a function goes", {"src/helper.ts": ("load", "lod")}, "src/use.ts:5,6"),
    mends("a line", {"src/use.ts": ("return q * 2", "return Number(q) * 2")}, "src/use.ts:16"),
    mends(
        "what it uses",
        {"src/helper.ts": ('string { return "x"', "number { return 1")},
        "src/use.ts:5,6",
    ),
    mends("a file goes", {"src/use.ts": None}, "src/use.ts:4,5,6,7,8,9,12,16"),
)


def _typescript(*names: str) -> HidingProject:
    return HidingProject(_FILES, tuple(case for case in _CASES if case.name in names or not names))


_ESLINT = {
    **{
        path: text
        for path, text in project("javascript").files.items()
        if path.startswith("node_modules/")
    },
    "eslint.config.js": "module.exports = [{ rules: "
    '{ "no-undef": "error", "eqeqeq": "warn", "no-unused-vars": "error" } }];\n',
    "a.js": "const x = 1;\nfunction f(a) {\n  return b == a;\n}\nnothing(f);\n",
}
_WEB = {
    "schema.json": '{"properties": {"a": {"type": "number"}, "b": {"type": "string"}}}\n',
    "doc.json": '{\n  "$schema": "./schema.json",\n  "a": "x",\n  "b": 1\n}\n',
    "s.css": "a { colr: red; }\nb { }\n@unknown x;\n.e { heigth: 1px }\n",
    "i.html": "<html><head><style>\na { colr: red; }\n</style></head><body>\n<script>\n"
    "let y: number = 1;\n</script>\n</body></html>\n",
}


def _web(*cases: HidingCase) -> HidingProject:
    return HidingProject(_WEB, cases)


SCRIPT = {
    "typescript-language-server": _typescript(),
    "typescript7": _typescript(),
    "tsc": _typescript("a quote", "a module", "a name in a module", "a line"),
    "eslint": HidingProject(
        _ESLINT,
        (
            breaks(
                "a brace", {"a.js": ("  return b == a;\n}", "  return b == a;\n")}, "a.js:1,3,5"
            ),
            mends("a line", {"a.js": ("b == a", "x === a")}, "a.js:1,3"),
        ),
    ),
    "vscode-json": _web(
        breaks("the schema goes", {"schema.json": None}, "doc.json:3,4"),
        breaks(
            "the schema breaks", {"schema.json": ('{"properties', '{{"properties')}, "doc.json:3,4"
        ),
        breaks("a quote", {"doc.json": ('json",', "json,")}, "doc.json:3,4"),
        mends("a line", {"doc.json": ('"b": 1', '"b": "1"')}, "doc.json:4"),
    ),
    "vscode-css": _web(
        breaks("a brace", {"s.css": ("b { }", "b { c")}, "s.css:2"),
        breaks("a comment", {"s.css": ("@unknown", "/*\n@unknown")}, "s.css:3,4"),
        mends("a line", {"s.css": ("colr", "color")}, "s.css:1"),
    ),
    "vscode-html": _web(
        breaks("a tag", {"i.html": ("</style>", "</styl>")}, "i.html:5"),
        mends("a line", {"i.html": ("colr", "color")}, "i.html:2"),
    ),
}
