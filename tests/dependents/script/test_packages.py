"""Which files packages of a tree lead to: by their names, by their folders, by their tables."""

from __future__ import annotations

import pytest

from tests.support.script_trees import check, empty, package

CORE = "packages/core/package.json"

PACKAGES = [
    # package files, specifier, files, those meant; the importer is packages/app/a.ts
    ({CORE: package(name="core", main="lib/main.js")}, "core", "packages/core/lib/main.ts",
     "packages/core/lib/main.ts"),
    ({CORE: package(name="core", types="./types/main.d.ts")}, "core",
     "packages/core/types/main.d.ts", "packages/core/types/main.d.ts"),
    ({CORE: package(name="core", typings="main")}, "core", "packages/core/main.d.ts",
     "packages/core/main.d.ts"),
    ({CORE: package(name="core", module="main.mjs")}, "core", "packages/core/main.mts",
     "packages/core/main.mts"),
    ({CORE: package(name="core", main="dist/index.js")}, "core", "packages/core/src/index.ts",
     "packages/core/src/index.ts"),
    ({CORE: package(name="core", main="dist/esm/main.js")}, "core", "packages/core/src/main.ts",
     "packages/core/src/main.ts"),
    ({CORE: package(name="core")}, "core", "packages/core/index.ts index.ts",
     "packages/core/index.ts"),
    ({CORE: package(name="@me/core")}, "@me/core", "packages/core/src/index.ts",
     "packages/core/src/index.ts"),
    ({CORE: package(name="@me/core")}, "@me/core/x", "packages/core/src/x.ts packages/core/y.ts",
     "packages/core/src/x.ts"),
    ({CORE: package(name="core", main="lib")}, "core", "packages/core/lib/index.js",
     "packages/core/lib/index.js"),
    ({CORE: package(name="core", exports="./main.js")}, "core", "packages/core/main.ts",
     "packages/core/main.ts"),
    ({CORE: package(name="core", exports={".": "./main.js"})}, "core", "packages/core/main.ts",
     "packages/core/main.ts"),
    ({CORE: package(name="core", exports={"import": "./a.js", "require": "./b.cjs"})}, "core",
     "packages/core/a.ts packages/core/b.cts packages/core/c.ts",
     "packages/core/a.ts packages/core/b.cts"),
    ({CORE: package(name="core", exports={".": {"types": {"import": "./a.d.ts"}, "x": None}})},
     "core", "packages/core/a.d.ts", "packages/core/a.d.ts"),
    ({CORE: package(name="core", exports={"./x": "./source/y.js"})}, "core/x",
     "packages/core/source/y.ts packages/core/source/x.ts", "packages/core/source/y.ts"),
    ({CORE: package(name="core", exports={"./*": "./source/*.js"})}, "core/b/x",
     "packages/core/source/b/x.ts", "packages/core/source/b/x.ts"),
    ({CORE: package(name="core", exports={"./b/": "./source/"})}, "core/b/x",
     "packages/core/source/x.ts", "packages/core/source/x.ts"),
    ({CORE: package(name="core", exports={"./*": "./dist/*.js"})}, "core/x",
     "packages/core/src/x.ts", "packages/core/src/x.ts"),
    ({CORE: package(name="core", exports={"./x": ["./a.js", "./b.js"]})}, "core/x",
     "packages/core/a.ts packages/core/b.ts", "packages/core/a.ts packages/core/b.ts"),
    ({CORE: package(name="core", typesVersions={">=4": {"*": ["ts4/*"]}})}, "core/x",
     "packages/core/ts4/x.d.ts", "packages/core/ts4/x.d.ts"),
    ({CORE: package(name="core", main="m.js", typesVersions={"*": {"*": ["ts4/*"]}})}, "core",
     "packages/core/ts4/m.d.ts", "packages/core/ts4/m.d.ts"),
    # below a folder that is named by its path
    ({CORE: package(main="source/main.js")}, "../core", "packages/core/source/main.ts",
     "packages/core/source/main.ts"),
    ({CORE: package(types="main.d.ts")}, "../core", "packages/core/main.d.ts",
     "packages/core/main.d.ts"),
    ({CORE: package(types="main.d.ts")}, "../core", "packages/core/index.ts",
     "packages/core/index.ts"),
    ({"packages/app/sub/package.json": package(main="../main")}, "./sub", "packages/app/main.ts",
     "packages/app/main.ts"),
    # names of a package's own
    ({"packages/app/package.json": package(imports={"#x": "./lib/x.js"})}, "#x",
     "packages/app/lib/x.ts", "packages/app/lib/x.ts"),
    ({"packages/app/package.json": package(imports={"#x": {"node": "./c.js", "x": "./b.js"}})},
     "#x", "packages/app/c.ts packages/app/b.ts", "packages/app/c.ts packages/app/b.ts"),
    ({"packages/app/package.json": package(imports={"#lib/*": "./lib/*.js"})}, "#lib/b/x",
     "packages/app/lib/b/x.ts", "packages/app/lib/b/x.ts"),
    ({"package.json": package(imports={"#x": "./x.js"})}, "#x", "x.ts y.ts", "x.ts"),
    ({"packages/app/package.json": package(imports={"#x": "core"}),
      CORE: package(name="core", main="main.js")}, "#x", "packages/core/main.ts",
     "packages/core/main.ts"),
    ({"packages/app/package.json": package(name="app", exports={"./x": "./source/x.js"})}, "app/x",
     "packages/app/source/x.ts", "packages/app/source/x.ts"),
    ({"package.json": package(name="app", exports={"./x": "./source/x.js"})}, "app/x",
     "source/x.ts", "source/x.ts"),
    ({"packages/app/package.json": package(browser={"./x.js": "./y.js"})}, "./x",
     "packages/app/x.ts packages/app/y.ts", "packages/app/x.ts packages/app/y.ts"),
    ({"packages/app/package.json": package(browser={"core": "./y.js"})}, "core",
     "packages/app/y.ts", "packages/app/y.ts"),
    ({"node_modules/core/package.json": package(name="core", main="main.js")}, "core",
     "node_modules/core/main.js", "node_modules/core/main.js"),
    ({"node_modules/core/package.json": package(exports={"./x": "./a/x.js"})}, "core/x",
     "node_modules/core/a/x.d.ts", "node_modules/core/a/x.d.ts"),
    ({CORE: "{"}, "../core", "packages/core/index.ts", "packages/core/index.ts"),
    ({CORE: '["core"]'}, "../core", "packages/core/index.ts", "packages/core/index.ts"),
    ({CORE: package(name=1, main=2, exports=3, imports=4, browser=5, typesVersions=6)}, "../core",
     "packages/core/index.ts", "packages/core/index.ts"),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "specifier", "there", "expected"), PACKAGES)
def test_packages(stated: dict[str, str], specifier: str, there: str, expected: str):
    files = {**stated, **empty(*there.split())}
    check(files, "packages/app/a.ts", f"import '{specifier}'", set(expected.split()))
