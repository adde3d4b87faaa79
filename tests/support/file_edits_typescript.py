"""What can happen to the files of the TypeScript sample project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_HELPER = "export function shorten(text: string): string {\n  return text.slice(0, 9);\n}\n"
_AMBIENT = "declare const VERSION: string;\n\ninterface Window {\n  shelf: number;\n}\n"
_USE_AMBIENT = "export const shown: number = VERSION;\n"


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that this project can have."""
    cores = re.compile(r"src/core/(\w+)\.ts$")
    nouns = [match[1] for path in sorted(project.files) if (match := cores.match(path))]
    nouns.remove("index")
    found: list[Scenario] = [*_of_project(nouns), *_of_configuration()]
    for noun, other in zip(nouns, [*nouns[1:], nouns[0]], strict=True):
        found += _of_noun(noun, other)
    return found


def _of_noun(noun: str, other: str) -> Iterator[Scenario]:
    core, service = f"src/core/{noun}.ts", f"src/services/{noun}Service.ts"
    stem = f"src/core/{noun}"

    def replaced_by_other(tree: TreeDraft) -> None:
        tree.delete(core)
        tree.rename(f"src/core/{other}.ts", core)

    def helper(tree: TreeDraft) -> None:
        tree.write("src/text.ts", _HELPER)
        line = 'import { shorten } from "../text";\nexport const short: number = shorten("x");\n'
        tree.change(service, lambda draft: draft.insert(1, line))

    def data_module(tree: TreeDraft) -> None:
        tree.write("src/rates.json", '{"rate": "high"}\n')
        line = 'import rates from "../rates.json";\nexport const rate: number = rates.rate;\n'
        tree.change(service, lambda draft: draft.insert(1, line))
        tree.substitute(
            r'"noEmit": true', '"noEmit": true,\n    "resolveJsonModule": true', {"tsconfig.json"}
        )

    declared = f"export declare function make{noun.title()}(name: number): number;\n"
    yield "deleted", core, lambda tree: tree.delete(core)
    yield "deleted", service, lambda tree: tree.delete(service)
    yield "deleted", f"{noun} report", lambda tree: tree.delete(f"src/reports/{noun}Report.ts")
    yield "deleted", f"{core}, {other} in its place", replaced_by_other
    yield (
        "created",
        f"{stem}.d.ts beside the module",
        lambda tree: tree.write(f"{stem}.d.ts", declared),
    )
    yield (
        "created",
        f"{stem}/index.ts beside the module",
        lambda tree: tree.write(f"{stem}/index.ts", _HELPER),
    )
    yield "created", f"helper for {service}", helper
    yield "configured", f"a JSON module for {service}", data_module
    yield from _renames(noun, other)


def _renames(noun: str, other: str) -> Iterator[Scenario]:
    core, stem = f"src/core/{noun}.ts", f"src/core/{noun}"

    def swapped(tree: TreeDraft) -> None:
        tree.rename(core, f"{stem}Aside.ts")
        tree.rename(f"src/core/{other}.ts", core)
        tree.rename(f"{stem}Aside.ts", f"src/core/{other}.ts")

    def shimmed(tree: TreeDraft) -> None:
        tree.rename(core, f"{stem}Impl.ts")
        tree.write(core, f'export * from "./{noun}Impl.js";\n')

    def renamed(*, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename(core, f"{stem}Stock.ts")
            if fixed:
                tree.substitute(rf"(core/|\./){noun}(\.js)?\"", rf'\g<1>{noun}Stock\2"')

        return change

    yield "renamed", f"{core}, importers forgotten", renamed(fixed=False)
    yield "renamed", f"{core}, importers fixed", renamed(fixed=True)
    yield "renamed", f"{core} to .tsx", lambda tree: tree.rename(core, f"{stem}.tsx")
    yield "renamed", f"{core} to .mts", lambda tree: tree.rename(core, f"{stem}.mts")
    yield "renamed", f"{core}, a shim in its place", shimmed
    yield "moved", f"{core} becomes a folder", lambda tree: tree.rename(core, f"{stem}/index.ts")
    yield "moved", f"{core} and {other} swap names", swapped


def _of_project(nouns: list[str]) -> Iterator[Scenario]:
    def folder_renamed(name: str, to: str, *, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename_folder(f"src/{name}", f"src/{to}")
            if fixed:
                tree.substitute(rf"\.\./{name}/", f"../{to}/")

        return change

    def ambient(tree: TreeDraft) -> None:
        tree.write("src/globals.d.ts", _AMBIENT)
        tree.write("src/shown.ts", _USE_AMBIENT)

    def pending(tree: TreeDraft) -> None:
        tree.write(
            "src/usePending.ts",
            'import { amount } from "./pending.js";\nexport const t: string = amount;\n',
        )
        tree.write("src/pending.ts", "export const amount = 3;\n")

    yield "deleted", "the barrel", lambda tree: tree.delete("src/core/index.ts")
    yield "deleted", "the flawed module", lambda tree: tree.delete("src/legacy.ts")
    yield "created", "two modules that need each other", pending
    yield "created", "ambient declarations", ambient
    yield (
        "created",
        "a barrel over the folder's name",
        lambda tree: tree.write("src/core.ts", f'export * from "./core/{nouns[0]}";\n'),
    )
    yield "moved", "services, forgotten", folder_renamed("services", "actions", fixed=False)
    yield "moved", "services, fixed", folder_renamed("services", "actions", fixed=True)
    yield "moved", "reports, forgotten", folder_renamed("reports", "printed", fixed=False)
    yield "moved", "core, forgotten", folder_renamed("core", "stock", fixed=False)


def _of_configuration() -> Iterator[Scenario]:
    def swapped(pattern: str, new: str) -> Callable[[TreeDraft], None]:
        return lambda tree: tree.substitute(pattern, new, {"tsconfig.json"})

    yield "configured", "not strict", swapped('"strict": true', '"strict": false')
    yield (
        "configured",
        "unused locals",
        swapped('"noUnusedLocals": (true|false)', '"noUnusedLocals": true'),
    )
    yield (
        "configured",
        "exact optional",
        swapped('"strict": true', '"strict": true, "noImplicitReturns": true'),
    )
    yield (
        "configured",
        "node resolution",
        swapped('"ESNext",|"bundler",', '"NodeNext",'),
    )
