"""What configurations of the compiler say of imports and of modules: each row is a folder."""

from __future__ import annotations

import json

import pytest

from tests.support.script_trees import check, empty, meant, options, package, resolver_of
from understudy.dependents.resolvers.model import FolderTree
from understudy.dependents.resolvers.script.resolver import needs
from understudy.syntax.script.imports import read

EXTENDING = '{ // a note\n "extends": %s,}'

CONFIGURED = [
    # configurations, specifier, files, those meant; the importer is src/a.ts
    ({"tsconfig.json": options(paths={"@/*": ["./src/*"]})}, "@/x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": options(paths={"@x": ["./src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"jsconfig.json": options(paths={"@x": ["./src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.app.json": options(paths={"@x": ["src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": options(paths={"@x": ["src/x.js"]})}, "@x", "src/x.ts", "src/x.ts"),
    ({"tsconfig.json": options(paths={"@x": ["src/y", "src/x"]})}, "@x", "src/x.ts", "src/x.ts"),
    ({"tsconfig.json": options(baseUrl="./src", paths={"@/*": ["lib/*"]})}, "@/x",
     "src/lib/x.ts lib/x.ts", "src/lib/x.ts"),
    ({"tsconfig.json": options(baseUrl="src")}, "lib/x", "src/lib/x.ts lib/x.ts", "src/lib/x.ts"),
    ({"tsconfig.json": options(baseUrl=".")}, "src/x", "src/x.ts x.ts", "src/x.ts"),
    # the longest start before the star is taken, a name without a star first
    ({"tsconfig.json": options(paths={"*": ["a/*"], "@/*": ["b/*"], "@/c/*": ["c/*"]})}, "@/c/x",
     "a/@/c/x.ts b/c/x.ts c/x.ts", "c/x.ts"),
    ({"tsconfig.json": options(paths={"@/*": ["b/*"], "@/x": ["c/x"]})}, "@/x", "b/x.ts c/x.ts",
     "c/x.ts"),
    ({"tsconfig.json": options(paths={"*-lib": ["libs/*/main"]})}, "x-lib", "libs/x/main.ts",
     "libs/x/main.ts"),
    ({"tsconfig.json": options(paths={"#lib/*": ["src/*"]})}, "#lib/x", "src/x.ts", "src/x.ts"),
    ({"app/tsconfig.json": options(paths={"@/*": ["./*"]})}, "@/x", "app/x.ts x.ts", "app/x.ts"),
    ({"app/tsconfig.json": options(paths={"@/*": ["../*"]})}, "@/x", "app/x.ts x.ts", "x.ts"),
    # extended configurations of any name; what they say is from their own folder
    ({"tsconfig.json": EXTENDING % '"./conf/base.json"',
      "conf/base.json": options(paths={"@x": ["../src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"./conf/base"',
      "conf/base.json": options(paths={"@x": ["../src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '["./one.json", "./two.json"]', "one.json": options(),
      "two.json": options(paths={"@x": ["src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"./one.json"', "one.json": EXTENDING % '"./two.json"',
      "two.json": options(paths={"@x": ["src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"./one.json"',
      "one.json": json.dumps({"extends": "./tsconfig.json",
                              "compilerOptions": {"paths": {"@x": ["src/x"]}}})},
     "@x", "src/x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"@me/conf/base.json"',
      "node_modules/@me/conf/base.json": options(paths={"@x": ["../../../src/x"]})}, "@x",
     "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"conf"',
      "node_modules/conf/tsconfig.json": options(paths={"@x": ["../../src/x"]})}, "@x",
     "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": EXTENDING % '"@me/conf/base.json"',
      "packages/conf/package.json": '{"name": "@me/conf"}',
      "packages/conf/base.json": options(paths={"@x": ["../../src/x"]})}, "@x", "src/x.ts x.ts",
     "src/x.ts"),
    ({"app/tsconfig.json": EXTENDING % '"../base.json"',
      "base.json": options(paths={"@/*": ["${configDir}/lib/*"]})}, "@/x", "app/lib/x.ts lib/x.ts",
     "app/lib/x.ts"),
    ({"tsconfig.json": json.dumps({"files": [], "references": [{"path": "./conf/app.json"}]}),
      "conf/app.json": options(paths={"@x": ["../src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    ({"tsconfig.json": json.dumps({"files": [], "references": [{"path": "./app"}]}),
      "app/tsconfig.json": options(paths={"@x": ["../src/x"]})}, "@x", "src/x.ts x.ts", "src/x.ts"),
    # several folders that are laid over one another
    ({"tsconfig.json": options(rootDirs=["src", "generated"])}, "./x", "generated/x.ts x.ts",
     "generated/x.ts"),
    ({"tsconfig.json": options(rootDirs=["./src/", "./out/generated"])}, "./b/x",
     "out/generated/b/x.ts", "out/generated/b/x.ts"),
    ({"tsconfig.json": options(rootDirs=["src", "generated"])}, "./x", "generated/x/index.ts",
     "generated/x/index.ts"),
    ({"tsconfig.json": options(moduleSuffixes=[".ios", ""])}, "./x", "src/x.ios.ts src/x.ts",
     "src/x.ios.ts src/x.ts"),
    ({"tsconfig.json": options()}, "./x", "src/x.ios.ts src/x.ts", "src/x.ts"),
    # what is built leads to its source
    ({"core/tsconfig.json": options(outDir="out", rootDir="source")}, "../core/out/x",
     "core/source/x.ts x.ts", "core/source/x.ts"),
    ({"tsconfig.json": "{"}, "./x", "src/x.ts", "src/x.ts"),
    ({"tsconfig.json": "[]"}, "./x", "src/x.ts", "src/x.ts"),
    ({"tsconfig.json": options(paths={"@x": 1, "@y": None, "@z": {}}, baseUrl=3)}, "./x",
     "src/x.ts", "src/x.ts"),
]  # fmt: skip


@pytest.mark.parametrize(("configured", "specifier", "there", "expected"), CONFIGURED)
def test_configurations(configured: dict[str, str], specifier: str, there: str, expected: str):
    files = {**configured, **empty(*there.split())}
    check(files, "src/a.ts", f"import '{specifier}'", set(expected.split()))


RUNTIMES = [
    ({"tsconfig.json": options(jsx="react-jsx", jsxImportSource="ui")}, "app/a.tsx", True),
    ({"tsconfig.json": options(jsx="react-jsx", jsxImportSource="ui")}, "app/a.jsx", True),
    ({"tsconfig.json": options(jsx="react-jsx", jsxImportSource="ui")}, "app/a.ts", False),
    ({"tsconfig.json": options(jsx="preserve", jsxImportSource="ui")}, "app/a.tsx", True),
    ({"tsconfig.json": EXTENDING % '"./b.json"', "b.json": options(jsxImportSource="ui")},
     "app/a.tsx", True),
    ({"tsconfig.json": options(jsx="react-jsx")}, "app/a.tsx", False),
    ({}, "app/a.tsx", False),
]  # fmt: skip


@pytest.mark.parametrize(("configured", "importer", "expected"), RUNTIMES)
def test_every_file_with_jsx_imports_the_runtime(
    configured: dict[str, str], importer: str, expected: bool
):
    files = {
        **configured,
        "ui/package.json": package(name="ui"),
        **empty("ui/jsx-runtime.ts", "ui/jsx-dev-runtime.ts", "ui/other.ts"),
    }
    both = {"ui/jsx-runtime.ts", "ui/jsx-dev-runtime.ts"}
    assert meant(files, importer, "export {}") == (both if expected else set())
    pragma = "/** @jsxImportSource ui */\nexport {}"
    assert meant(files, importer, pragma) == both


SCOPES = [
    ({}, "a.ts", "const a = 1", "global"),
    ({}, "a.ts", "export {}", ""),
    ({}, "a.mts", "const a = 1", ""),
    ({}, "a.cjs", "const a = 1", ""),
    ({}, "a.d.mts", "declare const a: 1", "global"),
    ({"tsconfig.json": options(moduleDetection="legacy")}, "a.mts", "const a = 1", "global"),
    ({"tsconfig.json": options(moduleDetection="force")}, "a.ts", "const a = 1", ""),
    ({"tsconfig.json": options(moduleDetection="Force")}, "a.ts", "const a = 1", ""),
    ({"tsconfig.json": options(moduleDetection="force")}, "a.d.ts", "declare const a: 1", "global"),
    ({"tsconfig.json": options(moduleDetection="force")}, "a.ts", "declare global {}", "global"),
    ({"tsconfig.json": options(moduleDetection="force")}, "a.ts", "declare module 'b' {}",
     "global"),
    ({"tsconfig.json": options(moduleDetection="force"), "b/tsconfig.json": options()}, "a.ts",
     "const a = 1", "global"),
    ({"tsconfig.json": EXTENDING % '"./b.json"', "b.json": options(moduleDetection="force")},
     "a.ts", "const a = 1", ""),
    ({"tsconfig.json": options(module="nodenext"), "package.json": package(type="module")}, "a.ts",
     "const a = 1", ""),
    ({"tsconfig.json": options(module="nodenext"), "package.json": package()}, "a.ts",
     "const a = 1", "global"),
    ({"tsconfig.json": options(module="nodenext"), "package.json": package(type="module"),
      "src/package.json": package()}, "src/a.ts", "const a = 1", "global"),
    ({"tsconfig.json": options(module="esnext"), "package.json": package(type="module")}, "a.ts",
     "const a = 1", "global"),
]  # fmt: skip


@pytest.mark.parametrize(("configured", "path", "text", "expected"), SCOPES)
def test_what_is_seen_without_an_import(
    configured: dict[str, str], path: str, text: str, expected: str
):
    found = resolver_of({**configured, path: text}).scope(path, read(path, text.encode()))
    assert found == expected


def test_configurations_of_other_names_are_asked_for():
    files = {
        "tsconfig.json": EXTENDING % '"./one.json"',
        "one.json": EXTENDING % '"./two.json"',
        "two.json": "{}",
        "three.json": "{}",
    }
    texts = {"tsconfig.json": files["tsconfig.json"].encode()}
    assert needs(FolderTree(files.keys(), texts)) == {"one.json"}
    texts["one.json"] = files["one.json"].encode()
    assert needs(FolderTree(files.keys(), texts)) == {"two.json"}
    texts["two.json"] = b"{}"
    assert needs(FolderTree(files.keys(), texts)) == set()
