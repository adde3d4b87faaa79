"""Who imports whom: from a small folder's texts to the importers of each file."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import edited, graph_of, graphs_of, seen_by
from understudy.dependents.bindings import dependents

PYTHON_FORMS = [
    ("import pkg.lib", "main.py", True),
    ("import pkg.lib as l, os", "main.py", True),
    ("import os, pkg.lib", "main.py", True),
    ("from pkg import lib", "main.py", True),
    ("from pkg import (\n    other,  # a note\n    lib as l,\n)", "main.py", True),
    ("from pkg import other, \\\n    lib", "main.py", True),
    ("from pkg.lib import *", "main.py", True),
    ("from pkg import (other, lib", "main.py", True),  # the parenthesis is not closed yet
    ("if TYPE_CHECKING: from pkg.lib import f", "main.py", True),
    ("try: import pkg.lib; x = 1", "main.py", True),
    ("    from .lib import f", "pkg/a.py", True),
    ("from . import lib", "pkg/a.py", True),
    ("from .. import lib", "pkg/sub/a.py", True),
    ("from ..lib import f", "pkg/sub/a.py", True),
    ("from ... import lib", "pkg/sub/a.py", False),  # leads to the root's own lib
    ("from .... import lib", "pkg/sub/a.py", False),  # leads out of the root
    ("import lib", "pkg/a.py", True),  # right beside it: checkers look there as well
    ("import lib", "pkg/sub/a.py", True),  # and in each folder above
    ("from pkg \\\n    import lib", "main.py", True),
    ("from .import lib", "pkg/a.py", True),
    ("from.lib import f", "pkg/a.py", True),
    ("import os\rimport pkg.lib\r", "main.py", True),
    ("from os import path\rfrom pkg import lib\r", "main.py", True),
    ("__all__ = ['other', 'lib']", "pkg/__init__.py", True),  # `from pkg import *` imports it
    ("__all__ = ['other', 'lib']", "pkg/a.py", False),
    ("import lib", "main.py", False),  # a package is not entered from its middle
    ("import library", "main.py", False),
    ("important = 1", "main.py", False),
    ("x = 'lib'", "main.py", False),
]


@pytest.mark.parametrize(("text", "importer", "expected"), PYTHON_FORMS)
def test_python_import_forms(text: str, importer: str, expected: bool):
    files = {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/lib.py": "", importer: text}
    assert (importer in seen_by(graph_of(files), "pkg/lib.py")) is expected


SCRIPT_FORMS = [
    ("import { f } from './lib'", True),
    ("import { f } from './lib.js'", True),
    ("import type { T } from './lib'", True),
    ("import './lib'", True),
    ("export * from './lib'", True),
    ('export { f } from "./lib"', True),
    ("const l = require('./lib')", True),
    ("const l = await import('./lib')", True),
    ("import l = require('./lib')", True),
    ("import {\n  f,\n  g,\n} from './lib'", True),
    ("import { f } from '@app/lib'", True),  # a path alias
    ("import { f } from 'src/lib'", True),  # through baseUrl
    ("import(/* webpackChunkName: 'x' */ './lib')", True),
    ("import(\n  // a note\n  './lib'\n)", True),
    ("import(`./lib`)", True),
    ("import { f } from './library'", False),
    ("import { f } from '../lib'", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SCRIPT_FORMS)
def test_script_import_forms(text: str, expected: bool):
    config = (
        '{ // a comment\n "compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"]},}}'
    )
    files = {"tsconfig.json": config, "src/lib.ts": "export const f = 1", "src/a.ts": text}
    assert ("src/a.ts" in seen_by(graph_of(files), "src/lib.ts")) is expected


def test_a_folder_is_imported_by_its_index():
    files = {
        "src/core/index.ts": "export * from './deep.js'",
        "src/core/deep.ts": "export const x = 1",
        "src/a.ts": "import { x } from './core'",
        "pkg/__init__.py": "from .deep import x",
        "pkg/deep.py": "x = 1",
        "main.py": "import pkg",
    }
    graph = graph_of(files)
    assert dependents([graph], ["src/core/deep.ts"]) == {"src/core/index.ts": 1, "src/a.ts": 2}
    assert dependents([graph], ["pkg/deep.py"]) == {"pkg/__init__.py": 1, "main.py": 2}


def test_the_index_of_the_root_is_imported_by_the_folder():
    files = {"index.ts": "", "a.ts": "import { x } from '.'", "tests/b.ts": "import '..'"}
    assert seen_by(graph_of(files), "index.ts") == {"a.ts", "tests/b.ts"}
    files = {"__init__.py": "", "lib.py": "", "a.py": "from . import x", "sub/b.py": "import lib"}
    assert seen_by(graph_of(files), "__init__.py") == {"a.py"}
    assert seen_by(graph_of(files), "lib.py") == {"sub/b.py"}


def test_a_stub_package_stands_for_the_real_one():
    files = {
        "lib-stubs/__init__.pyi": "from .part import f",
        "lib-stubs/part.pyi": "",
        "a.py": "from lib.part import f",
        "b.py": "import lib",
    }
    graph = graph_of(files)
    assert seen_by(graph, "lib-stubs/part.pyi") == {"lib-stubs/__init__.pyi", "a.py"}
    assert seen_by(graph, "lib-stubs/__init__.pyi") == {"a.py", "b.py"}


@pytest.mark.parametrize(
    ("config", "text", "specifier"),
    [
        ("package.json", '{"imports": {"#db": "./src/database/client.js"}}', "#db"),
        (
            "package.json",
            '{"imports": {"#db": {"types": ["./src/database/client.d.ts"], "default": null}}}',
            "#db",
        ),
        (
            "core/package.json",
            '{"name": "@me/core", "exports": {"./db": "../src/database/client.ts"}}',
            "@me/core/db",
        ),
        (
            "core/package.json",
            '{"name": "@me/core", "exports": {"import": "../src/database/client.ts"}}',
            "@me/core",
        ),
        ("core/package.json", '{"name": "core", "exports": "../src/database/client.ts"}', "core"),
        (
            "tsconfig.paths.json",
            '{"compilerOptions": {"paths": {"@db": ["src/database/client"]}}}',
            "@db",
        ),
    ],
)
def test_names_that_a_configuration_gives_to_files(config: str, text: str, specifier: str):
    files = {
        config: text,
        "src/database/client.ts": "",
        "a.ts": f"import {{ f }} from '{specifier}'",
    }
    assert seen_by(graph_of(files), "src/database/client.ts") == {"a.ts"}


def test_packages_of_a_monorepo_are_found_by_their_names():
    files = {
        "packages/core/package.json": '{"name": "@me/core", "main": "dist/index.js"}',
        "packages/core/src/index.ts": "export const x = 1",
        "packages/app/src/a.ts": "import { x } from '@me/core'",
    }
    assert seen_by(graph_of(files), "packages/core/src/index.ts") == {"packages/app/src/a.ts"}


@pytest.mark.parametrize(
    ("text", "ambient"),
    [
        ("declare const VERSION: string", True),
        ("interface Window { mine: number }", True),
        ("export {}\ndeclare global { interface Window { mine: number } }", True),
        ("import 'x'\ndeclare module './b' { interface B { more: number } }", True),
        ("export const x = 1", False),
    ],
)
def test_ambient_declarations_reach_every_file(text: str, ambient: bool):
    files = {"globals.d.ts": text, "a.ts": "export const a = 1", "b.py": "import a", "c.json": "{}"}
    assert seen_by(graph_of(files), "globals.d.ts") == ({"a.ts"} if ambient else set())


def test_json_depends_on_its_schema():
    files = {
        "conf/a.json": '{"$schema": "../schemas/s.json", "x": 1}',
        "schemas/s.json": '{"properties": {"y": {"$ref": "types.json#/definitions/T"}}}',
        "schemas/types.json": "{}",
        "b.json": '{"$schema": "https://example.org/s.json"}',
    }
    assert dependents([graph_of(files)], ["schemas/types.json"]) == {
        "schemas/s.json": 1,
        "conf/a.json": 2,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"extends": "./conf/base.json"}',
        '{"extends": "./conf/base"}',
        '{"extends": [\n  "@x/y",\n  "./conf/base.json"\n]}',
        '{"$schema": "./conf/%62ase.json"}',
    ],
)
def test_json_depends_on_what_it_extends(text: str):
    files = {"tsconfig.json": text, "conf/base.json": "{}"}
    assert seen_by(graph_of(files), "conf/base.json") == {"tsconfig.json"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conf/a.toml", "#:schema ../schemas/s.json\n\na = 1\n"),
        ("conf/a.toml", "# A word.\n#:schema   file://../schemas/s.json#/definitions/T\n"),
        ("conf/a.toml", "#:schema ../schemas/%73.json\n"),
        ("tombi.toml", '[[schemas]]\npath = "schemas/s.json"\ninclude = ["conf/*.toml"]\n'),
        (".config/tombi.toml", "schemas = [{ path = 'schemas/s.json' }]\n"),
        ("pyproject.toml", '[[tool.tombi.schemas]]\npath = "./schemas/s.json"\n'),
    ],
)
def test_toml_depends_on_the_schemas_that_it_names(path: str, text: str):
    files = {path: text, "schemas/s.json": "{}", "b.toml": "#:schema https://x.org/s.json\n"}
    assert seen_by(graph_of(files), "schemas/s.json") == {path}


def test_other_toml_depends_on_nothing():
    files = {"pyproject.toml": '[tool.x]\ndata = "schemas/s.json"\n', "schemas/s.json": "{}"}
    assert seen_by(graph_of(files), "schemas/s.json") == set()


def test_changes_are_laid_over_without_touching_the_graph():
    files = {"lib.py": "", "a.py": "import lib", "b.py": ""}
    graph, changed = graphs_of(files, {"a.py": "", "b.py": "import lib"})
    assert seen_by(changed, "lib.py") == {"b.py"}
    assert seen_by(graph, "lib.py") == {"a.py"}
    # An edit that takes an import away changes the importer too: both sides count.
    assert dependents([graph, changed], ["lib.py"]).keys() == {"a.py", "b.py"}


def test_a_new_module_finds_those_who_name_it_already():
    files = {"a.py": "import missing.part", "b.py": "import other"}
    _, changed = graphs_of(files, {"missing/part.py": ""})
    assert seen_by(changed, "missing/part.py") == {"a.py"}


def test_a_deleted_init_opens_its_folder():
    files = {"pkg/__init__.py": "", "pkg/lib.py": "", "main.py": "import lib"}
    graph, changed = graphs_of(files, {"pkg/__init__.py": "x = 1"})
    assert seen_by(graph, "pkg/lib.py") == seen_by(changed, "pkg/lib.py") == set()
    _, changed = graphs_of(files, {"pkg/__init__.py": None})
    assert seen_by(changed, "pkg/lib.py") == {"main.py"}
    # A stub of it that stays keeps the folder a package.
    _, changed = graphs_of({**files, "pkg/__init__.pyi": ""}, {"pkg/__init__.py": None})
    assert seen_by(changed, "pkg/lib.py") == set()


@pytest.mark.parametrize(
    "edits",
    [
        {"a.py": "from pkg import lib"},
        {"pkg/lib.py": None},
        {"pkg/lib.pyi": "", "a.py": None},
        {"pkg/__init__.py": None},
        {"lib.py": ""},
    ],
)
def test_an_overlaid_graph_is_that_of_the_edited_folder(edits: dict[str, str | None]):
    files = {
        "pkg/__init__.py": "from .lib import x",
        "pkg/lib.py": "x = 1",
        "main.py": "import lib\nfrom pkg.lib import x",
        "a.py": "import pkg",
    }
    laid, whole = graphs_of(files, edits)[1], graph_of(edited(files, edits))
    for path in edited(files, edits):
        assert dict(laid.importers(path)) == dict(whole.importers(path))


def test_cycles_end():
    files = {"a.py": "import b", "b.py": "import c", "c.py": "import a"}
    assert dependents([graph_of(files)], ["a.py"]) == {"c.py": 1, "b.py": 2, "a.py": 3}


NATIVE_FORMS = [
    ('#include "shop/lib.h"', "src/main.c", True),
    ("#include <shop/lib.h>", "src/main.c", True),
    ('#include "lib.h"', "include/shop/other.h", True),
    ('#include "../include/shop/lib.h"', "src/main.cpp", True),
    ('#include "../../shop/lib.h"', "src/main.cpp", True),  # an include folder may be anywhere
    ('#  include  "lib.h"  // a note', "src/main.cc", True),
    ('#include \\\n  "lib.h"', "src/main.cc", True),
    ('# /* a note */ include "lib.h"', "src/main.cc", True),
    ("#include_next <lib.h>", "include2/lib.h", True),
    ('#import "lib.h"', "src/main.m", True),
    ("import <shop/lib.h>;", "src/main.cpp", True),
    ('#if __has_include("lib.h")', "src/main.cpp", True),
    ('#define LIB "lib.h"\n#include LIB', "src/main.cpp", True),
    ('#include "shop\\lib.h"', "src/main.cpp", True),
    ('#include "lib.h"', "src/part.inc", True),
    ('#include "other/lib.h"', "src/main.c", False),
    ('#include "mylib.h"', "src/main.c", False),
    ('/* #include "lib.h" */', "src/main.c", False),
    ('const char *s = "lib.h";', "src/main.c", False),
]


@pytest.mark.parametrize(("text", "importer", "expected"), NATIVE_FORMS)
def test_native_include_forms(text: str, importer: str, expected: bool):
    files = {"include/shop/lib.h": "", importer: text}
    assert (importer in seen_by(graph_of(files), "include/shop/lib.h")) is expected


def test_a_header_inside_a_python_package_is_included_by_its_name():
    files = {"pkg/__init__.py": "", "pkg/lib.h": "", "src/main.c": '#include "lib.h"'}
    assert seen_by(graph_of(files), "pkg/lib.h") == {"src/main.c"}


GO_FORMS = [
    ('import "example.org/m/lib"', "main.go", True),
    ('import l "example.org/m/lib"', "main.go", True),
    ('import . "example.org/m/lib"', "main.go", True),
    ("import `example.org/m/lib`", "main.go", True),
    ('import (\n\t"fmt"\n\t_ "example.org/m/lib" // a note\n)', "main.go", True),
    ('import (\n\t"fmt"\n\t"example.org/m/lib"', "main.go", True),  # half-written
    ("", "lib/beside.go", True),
    ("", "lib/lib_test.go", True),
    ('import "example.org/replaced/lib"', "main.go", True),
    ('import "example.org/m/lib/inner"', "main.go", False),
    ('import "example.org/other/lib"', "main.go", False),
    ('import "lib"', "main.go", False),  # the standard library's
    ("", "main.go", False),
]


@pytest.mark.parametrize(("text", "importer", "expected"), GO_FORMS)
def test_go_import_forms(text: str, importer: str, expected: bool):
    package = "lib" if importer.startswith("lib/") else "main"
    module = "module example.org/m // a note\n\nreplace example.org/replaced v1.0.0 => ./\n"
    files = {
        "go.mod": module,
        "lib/lib.go": "package lib",
        importer: f"package {package}\n{text}\n",
    }
    assert (importer in seen_by(graph_of(files), "lib/lib.go")) is expected


def test_a_go_module_at_the_root_and_one_further_down():
    files = {
        "go.mod": "module example.org/m\n",
        "root.go": "package m",
        "tool/go.mod": "module example.org/tool/v2\n",
        "tool/tool.go": 'package tool\nimport "example.org/m"',
        "cmd/main.go": 'package main\nimport "example.org/tool/v2"',
        "vendor/example.org/far/far.go": "package far",
        "cmd/far.go": 'package main\nimport "example.org/far"',
    }
    graph = graph_of(files)
    assert seen_by(graph, "root.go") == {"tool/tool.go"}
    assert seen_by(graph, "tool/tool.go") == {"cmd/main.go"}
    assert seen_by(graph, "vendor/example.org/far/far.go") == {"cmd/far.go"}
