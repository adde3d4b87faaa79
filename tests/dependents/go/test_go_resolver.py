"""Which files Go's import paths and patterns of embedded files mean in a small tree."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch

import pytest

from understudy.dependents.resolvers.go import CONFIGURATION, GoResolver, resolver
from understudy.dependents.resolvers.model import Edge, FolderTree
from understudy.syntax.go.imports import read
from understudy.syntax.model import ALL, WHOLE, Binding


def resolver_of(files: Mapping[str, str]) -> GoResolver:
    texts = {
        path: text.encode()
        for path, text in files.items()
        if any(fnmatch(path.rpartition("/")[2], pattern) for pattern in CONFIGURATION)
    }
    made = resolver(FolderTree(tuple(files), texts))
    assert isinstance(made, GoResolver)
    return made


def targets(files: Mapping[str, str], importer: str) -> set[str]:
    """The files that one of them may mean; they have to be found by its keys, there or not."""
    made = resolver_of(files)
    imports = read(importer, files[importer].encode())
    found = {edge.target for edge in made.edges(importer, imports)}
    for target in found:
        without = resolver_of({path: text for path, text in files.items() if path != target})
        assert set(without.keys(importer, imports)).intersection(made.keys_of(target))
    return found


FORMS = [
    ("module example.org/m", "example.org/m/lib", True),
    ("module example.org/m // a note", "example.org/m/lib", True),
    ('module "example.org/m"', "example.org/m/lib", True),
    ("module `example.org/m`", "example.org/m/lib", True),
    ("// a note\nmodule (\n\texample.org/m\n)", "example.org/m/lib", True),
    ("module example.org/m/v2\n\ngo 1.22", "example.org/m/v2/lib", True),
    ("module m", "m/lib", True),
    ("module std", "lib", True),
    ("module example.org/m\nreplace example.org/far => ./", "example.org/far/lib", True),
    ("module m\nreplace example.org/far v1.0.0 => ./lib", "example.org/far", True),
    ("module m\nreplace (\n\tx.org/a => x.org/b v1 // no\n\tx.org/f => ./lib\n)", "x.org/f", True),
    ('module m\nreplace ( "x.org/f" => "./lib" )', "x.org/f", True),
    ("module m\nreplace x.org/a => x.org/b v1\nreplace x.org/b => ./lib", "x.org/a", True),
    ("module m\nreplace x.org/a => m v1", "x.org/a/lib", True),
    ("module m\nreplace a => b v1\nreplace b => a v1", "a/lib", False),
    ("module m\nreplace x.org/far => ../lib", "x.org/far", False),
    ("module m\n// replace x.org/far => ./lib", "x.org/far", False),
    ("module m\nexclude x.org/far v1\nrequire x.org/far v1", "x.org/far", False),
    ("module example.org/m", "example.org/m/lib/inner", False),
    ("module example.org/m", "example.org/other/lib", False),
    ("module example.org/m", "example.org/mm/lib", False),
    ("module example.org/m", "example.org/m", False),
    ("module example.org/m", "lib", False),  # the standard library's
    ("module example.org/m", "C", False),
    ("", "lib", True),  # without a module, below any folder of sources
    ("module", "other/lib", False),
]


@pytest.mark.parametrize(("module", "path", "expected"), FORMS)
def test_import_paths(module: str, path: str, expected: bool):
    files = {
        "go.mod": module,
        "lib/lib.go": "package lib",
        "lib/lib_linux.go": "package lib",
        "lib/lib_test.go": "package lib",
        "cmd/main.go": f'package main\nimport "{path}"',
    }
    found = {"lib/lib.go", "lib/lib_linux.go"} if expected else set[str]()
    assert targets(files, "cmd/main.go") == found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("go.work", "go 1.22\nuse ./tool\nreplace x.org/far => ./lib"),
        ("go.work", "use (\n\t./a\n)\nreplace (\n x.org/far v1 => ./lib\n)"),
        ("tool/go.mod", "module tool\nreplace x.org/far => ../lib"),
        ("vendor/modules.txt", "# x.org/far v1.0.0 => ./lib\n## explicit\nx.org/far\n"),
    ],
)
def test_replacements_of_other_files(name: str, text: str):
    files = {
        "go.mod": "module m",
        name: text,
        "lib/lib.go": "package lib",
        "main.go": 'package main\nimport "x.org/far"',
    }
    assert targets(files, "main.go") == {"lib/lib.go"}


def test_a_module_at_the_root_and_one_further_down():
    files = {
        "go.mod": "module example.org/m\n",
        "root.go": "package m",
        "tool/go.mod": "module example.org/tool/v2\n",
        "tool/tool.go": 'package tool\nimport "example.org/m"',
        "cmd/main.go": 'package main\nimport "example.org/tool/v2"',
        "vendor/example.org/far/far.go": "package far",
        "cmd/far.go": 'package main\nimport "example.org/far"',
        "rel.go": 'package m\nimport "./tool"',
        "cmd/up.go": 'package main\nimport ".."\nimport "../../out"',
    }
    assert targets(files, "tool/tool.go") == {"root.go", "rel.go"}
    assert targets(files, "cmd/main.go") == {"tool/tool.go"}
    assert targets(files, "cmd/far.go") == {"vendor/example.org/far/far.go"}
    assert targets(files, "rel.go") == {"tool/tool.go"}
    assert targets(files, "cmd/up.go") == {"root.go", "rel.go"}


def test_a_vendored_package_is_seen_below_the_folder_that_vendors_it():
    files = {
        "a/go.mod": "module a.org/a",
        "a/main.go": 'package a\nimport "x.org/far"',
        "a/vendor/x.org/far/far.go": "package far",
        "b/go.mod": "module b.org/b",
        "b/main.go": 'package b\nimport "x.org/far/inner"',
        "b/vendor/x.org/far/inner/far.go": "package inner",
    }
    assert targets(files, "a/main.go") == {"a/vendor/x.org/far/far.go"}
    assert targets(files, "b/main.go") == {"b/vendor/x.org/far/inner/far.go"}


def test_files_of_a_package_share_its_scope():
    files = {
        "go.mod": "module m",
        "lib/a.go": "package lib",
        "lib/b_test.go": "package lib",
        "lib/c_test.go": 'package lib_test\nimport "m/lib"',
        "lib/main.go": "//go:build ignore\npackage main",
        "other/a.go": "package lib",
        "lib/new.go": "",
        "lib/x.s": "",
    }
    made = resolver_of(files)
    scopes = {path: made.scope(path, read(path, text.encode())) for path, text in files.items()}
    assert {path for path in files if scopes[path] == scopes["lib/a.go"]} == {
        *("lib/a.go", "lib/b_test.go", "lib/new.go")
    }
    assert scopes["lib/c_test.go"] not in {scopes["lib/main.go"], scopes["other/a.go"], ""}
    assert scopes["lib/x.s"] == scopes["go.mod"] == ""
    # The tests outside see what those inside declare for them.
    assert targets(files, "lib/c_test.go") == {
        *("lib/a.go", "lib/b_test.go", "lib/main.go", "lib/new.go", "lib/x.s")
    }


def test_c_and_assembly_belong_to_the_package():
    files = {
        "go.mod": "module m",
        "lib/a.go": 'package lib\n// #include "x.h"\n// #include <sub/z.h>\nimport "C"',
        "lib/b.go": "package lib",
        "lib/x.h": "",
        "lib/y.c": "",
        "lib/asm.s": "",
        "include/sub/z.h": "",
        "other/x.h": "",
    }
    assert targets(files, "lib/a.go") == {"lib/x.h", "lib/y.c", "lib/asm.s", "include/sub/z.h"}
    assert targets(files, "lib/b.go") == {"lib/asm.s"}


def test_a_linked_name_leads_to_its_package():
    files = {
        "go.mod": "module m",
        "lib/a.go": "package lib",
        "b.go": "package b\n//go:linkname f m/lib.run",
    }
    made = resolver_of(files)
    assert list(made.edges("b.go", read("b.go", files["b.go"].encode()))) == [
        Edge("lib/a.go", Binding("run", "f"))
    ]


def test_every_file_of_a_package_is_bound_as_the_import_says():
    files = {"go.mod": "module m", "lib/a.go": "", "lib/b.go": "", "c.go": ""}
    imports = read("c.go", b'package c\nimport "m/lib"\nimport l "m/lib"')
    assert set(resolver_of(files).edges("c.go", imports)) == {
        Edge(target, Binding(WHOLE, local))
        for target in ("lib/a.go", "lib/b.go")
        for local in (ALL, "l")
    }


EMBEDDED = [
    ("static", {"web/static/a.css", "web/static/deep/b.css"}),
    ("all:static", {"web/static/a.css", "web/static/deep/b.css", "web/static/.hidden",
                    "web/static/_x/y", "web/static/deep/_z"}),
    ("static/*", {"web/static/a.css", "web/static/deep/b.css", "web/static/.hidden",
                  "web/static/_x/y"}),
    ("static/*.css", {"web/static/a.css"}),
    ("*/*.css", {"web/static/a.css"}),
    ("static/?.css", {"web/static/a.css"}),
    ("static/[a-c].css", {"web/static/a.css"}),
    ("static/[^b].css", {"web/static/a.css"}),
    ("static/[b-c].css", set[str]()),
    ("static/\\a.css", {"web/static/a.css"}),
    ("static/[a", set[str]()),
    ("static/.hidden", {"web/static/.hidden"}),
    ("a.txt", {"web/a.txt"}),
    ("*.txt", {"web/a.txt", "web/[x].txt"}),
    ("[[]x].txt", {"web/[x].txt"}),
    ("./a.txt", {"web/a.txt"}),
    ("module", set[str]()),
    ("../root.txt", set[str]()),
    ("A.txt", set[str]()),
    ("sta", set[str]()),
    ("static/*/*", {"web/static/deep/b.css", "web/static/_x/y", "web/static/deep/_z"}),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "expected"), EMBEDDED)
def test_embedded_files(pattern: str, expected: set[str]):
    names = ("static/a.css", "static/deep/b.css", "static/deep/_z", "static/.hidden", "static/_x/y")
    inside = (*names, "a.txt", "[x].txt", "module/go.mod", "module/x")
    files = {f"web/{name}": "" for name in inside}
    files |= {
        "root.txt": "",
        "web/x.go": f'package web\n//go:embed "{pattern}"'.replace("\\", "\\\\"),
    }
    assert targets(files, "web/x.go") == expected


def test_files_are_embedded_at_the_root():
    files = {"a.txt": "", "d/b.txt": "", "x.go": "package x\n//go:embed a.txt d"}
    assert targets(files, "x.go") == {"a.txt", "d/b.txt"}
