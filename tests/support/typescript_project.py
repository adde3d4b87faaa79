"""The TypeScript sample project: three layers of modules, a barrel, default exports."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from tests.support.sample import NOUNS, Change, Project, Snippets, filled

_CORE = """\
/** Stock records: @noun@s. */

export const @UPPER@_LIMIT: number = @limit@;
export const @UPPER@_CODES = ["@noun@-a", "@noun@-b"];

export interface @Cls@ {
  readonly name: string;
  readonly count: number;
  readonly price: number;
}

export enum @Cls@State {
  Shelved = "shelved",
  Sold = "sold",
}

export function make@Cls@(name: string, count: number): @Cls@ {
  return { name, count, price: @price@ };
}

export function find@Cls@(items: readonly @Cls@[], name: string): @Cls@ {
  const found = items.find((item) => item.name === name);
  if (found === undefined) {
    throw new Error(`no ${name}`);
  }
  return found;
}

export function label@Cls@(item: @Cls@): string {
  return `${item.name} x${item.count}`;
}

export function total@Cls@(items: readonly @Cls@[]) {
  return items.reduce((sum, item) => sum + item.count, 0);
}

export default class @Cls@Shelf<T extends @Cls@ = @Cls@> {
  private readonly items: T[] = [];

  put(item: T): number {
    return this.items.push(item);
  }

  first(): T | undefined {
    return this.items[0];
  }
}
"""

_SERVICE = """\
/** What the shop does with @noun@s. */

@imports@

export function restock@Cls@(name: string) {
  return @at@make@Cls@(name, @at@@UPPER@_LIMIT);
}

export function describe@Cls@(item: @at@@Cls@) {
  return @at@label@Cls@(item);
}

export function cost@Cls@(items: readonly @at@@Cls@[], name: string): number {
  const found = @at@find@Cls@(items, name);
  return found.price * found.count;
}

export function codes@Cls@(): string[] {
  return @at@@UPPER@_CODES.map((code) => code.toUpperCase());
}

export function sold@Cls@(): string {
  return @at@@Cls@State.Sold;
}
"""

_REPORT = """\
/** Lines about @noun@s for the printed report. */

import @Cls@Shelf from "../core/@noun@@suffix@";
import { total@Cls@ } from "../core/index@suffix@";
import { describe@Cls@, restock@Cls@ } from "../services/@noun@Service@suffix@";

export function lines@Cls@(): string[] {
  const text: string = describe@Cls@(restock@Cls@("@noun@"));
  return [text, text.toUpperCase()];
}

export function count@Cls@(): number {
  const shelf = new @Cls@Shelf();
  const put: number = shelf.put(restock@Cls@("one"));
  const total: number = total@Cls@([restock@Cls@("two")]);
  return put + total;
}
"""

_FLAWED = """\
/** Left over from the first version; known to be wrong. */

import { make@Cls@ } from "./core/@noun@";

export const oldLimit: string = make@Cls@("old", 1).count;

export function oldName(): string {
  return make@Cls@("old", 1).title;
}

export function oldTotal(): number {
  return missingTotal + 1;
}
"""

_NEW_FILE = """\
/** A new module that uses an old one wrongly. */

import { make@Cls@ } from "./@noun@";

export const first = make@Cls@("first", "one");
export const second: number = make@Cls@("second", 2).name;
"""

SNIPPETS = Snippets(
    wrong=(
        "export function extra@n@(): number {\n  return missing@n@;\n}\n\n",
        'export const extra@n@: number = "text";\n\n',
        'export const extra@n@ = "text".missing@n@;\n\n',
        "export function extra@n@(item: { size: number }): string {\n  return item.size;\n}\n\n",
    ),
    harmless=(
        "/** Says nothing new (@n@). */\n\n",
        "export const extra@n@ = @n@;\n\n",
        "export function extra@n@(text: string): string {\n  return text.trim();\n}\n\n",
        "\n\n",
    ),
    broken=(
        "export function extra@n@(first: number,\n\n",
        "export function extra@n@(): number {\n  if (true) {\n    return 1;\n\n",
        "export const extra@n@ = `half a ${'template'};\n\n",
        'export const extra@n@ = "half a string;\n\n',
    ),
)
_FIXES = (
    Change("src/legacy.ts", (("oldLimit: string", "oldLimit: number"),), "declared type"),
    Change("src/legacy.ts", (("1).title;", "1).name;"),), "property"),
    Change("src/legacy.ts", (("return missingTotal + 1", "return 1"),), "name"),
)


def make(rng: random.Random) -> Project:
    """About 27 modules: `src/core` (with a barrel) <- `src/services` <- `src/reports`."""
    nouns = rng.sample(NOUNS, 8)
    files: dict[str, str] = {}
    cross: list[Change] = []
    for index, noun in enumerate(nouns):
        limit = str(rng.randrange(10, 90))
        numbers = {"limit": limit, "price": f"{rng.randrange(1, 9)}.5"}
        files[f"src/core/{noun}.ts"] = filled(_CORE, noun, **numbers)
        files[f"src/services/{noun}Service.ts"] = _service(noun, index)
        suffix = (".js", "")[index % 2]
        files[f"src/reports/{noun}Report.ts"] = filled(_REPORT, noun, suffix=suffix)
        cross += _cross_changes(noun, limit)
    barrel = "".join(f'export * from "./{noun}.js";\n' for noun in sorted(nouns))
    files["src/core/index.ts"] = f"/** Every stock record. */\n\n{barrel}"
    files["src/legacy.ts"] = filled(_FLAWED, nouns[0])
    sources = tuple(sorted(path for path in files if not path.endswith("index.ts")))
    files["tsconfig.json"] = _tsconfig(rng)
    files["package.json"] = json.dumps({"name": "shop", "private": True, "type": "module"}) + "\n"
    new_file = {"src/core/extra.ts": filled(_NEW_FILE, nouns[1])}
    return Project(
        "typescript", files, sources, SNIPPETS, tuple(cross), fixes=_FIXES, new_files=new_file
    )


def _service(noun: str, style: int) -> str:
    """A service module; one of five ways to import the same names, by turns."""
    cls, upper = noun.title(), noun.upper()
    values = [f"{upper}_CODES", f"{upper}_LIMIT", f"{cls}State"]
    values += [f"find{cls}", f"label{cls}", f"make{cls}"]
    block = "{\n" + "".join(f"  {name},\n" for name in [*values, f"type {cls}"]) + "}"
    typed = f'import type {{ {cls} }} from "../core/{noun}.js";'
    styles = (
        (f'import {{ {", ".join(values)} }} from "../core/{noun}.js";\n{typed}', ""),
        (f'import {block} from "../core/index.js";', ""),
        (f'import * as stock from "../core/{noun}";', "stock."),
        (f'import {block} from "../core";', ""),
        ('import * as core from "../core/index.js";', "core."),
    )
    imports, prefix = styles[style % len(styles)]
    return filled(_SERVICE, noun, imports=imports, at=prefix)


def _tsconfig(rng: random.Random) -> str:
    options = {
        "strict": True,
        "noEmit": True,
        "target": "ES2022",
        "lib": ["ES2022"],
        "module": "ESNext",
        "moduleResolution": "bundler",
        "types": [],
        "isolatedModules": True,
        "noUnusedLocals": rng.random() < 0.5,
        "noUncheckedIndexedAccess": rng.random() < 0.5,
    }
    return json.dumps({"compilerOptions": options, "include": ["src"]}, indent=2) + "\n"


def _cross_changes(noun: str, limit: str) -> Iterator[Change]:
    """Changes of one noun's core and service modules; each breaks a file it leaves alone."""
    cls = noun.title()
    core, service = f"src/core/{noun}.ts", f"src/services/{noun}Service.ts"
    head = f"function make{cls}(name: string, count: number)"
    renamed = (f"make{cls}", f"new{cls}")
    in_core: list[tuple[str, list[tuple[str, str]]]] = [
        ("new parameter", [(head, f"function make{cls}(name: string, count: number, at: string)")]),
        (
            "return type, seen through an inferred one",
            [
                (f"label{cls}(item: {cls}): string", f"label{cls}(item: {cls}): number"),
                ("  return `${item.name} x${item.count}`", "  return item.count"),
            ],
        ),
        (
            "inferred return type",
            [("  return items.reduce((sum, item) => sum + item.count, 0)", "  return [...items]")],
        ),
        (
            "result may be undefined",
            [
                (
                    f"name: string): {cls} {{\n  const",
                    f"name: string): {cls} | undefined {{\n  const",
                ),
                ("    throw new Error(`no ${name}`);", "    return undefined;"),
            ],
        ),
        ("constant's type", [(f"LIMIT: number = {limit}", f'LIMIT: string = "{limit}"')]),
        ("constant's inferred type", [(f'= ["{noun}-a", "{noun}-b"]', "= [1, 2]")]),
        ("enum member renamed", [('  Sold = "sold"', '  Gone = "gone"')]),
        (
            "default class's method",
            [
                ("  put(item: T): number {", "  put(item: T): void {"),
                ("    return this.items.push(item);", "    this.items.push(item);"),
            ],
        ),
    ]
    for label, swaps in in_core:
        yield Change(core, tuple(swaps), label)
    yield Change(core, ((head, head.replace(*renamed)),), "renamed function", renamed)
    inferred = (f"function describe{cls}(item: ", f"function describe{cls}(_at: number, item: ")
    yield Change(service, (inferred,), "new parameter of a service")
