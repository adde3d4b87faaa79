"""What a Go text imports and embeds, form by form of the language's reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.go.imports import read
from understudy.syntax.model import ALL, WHOLE, Binding, Import


def imported(text: str, path: str = "a.go") -> list[str]:
    """Each import as its kind, its target and the local name it gets."""
    found = read(path, text.encode()).imports
    return [f"{one.kind} {one.target} {one.bindings[0].local}".rstrip() for one in found]


ONE = ["import lib *"]
NONE: list[str] = []
C = ["import C *"]
WITH_C = ["cgo  *"]  # the C files of the folder

FORMS = [
    ('import "lib"', ONE),
    ("import `lib`", ONE),
    ('import l "lib"', ["import lib l"]),
    ('import größe "lib"', ["import lib größe"]),
    ('import . "lib"', ["import lib *"]),
    ('import _ "lib"', ["import lib"]),
    ('import"lib"', ONE),
    ("import l`lib`", ["import lib l"]),
    ('import\n\n"lib"', ONE),
    ('import /* a note */ l /* another */ "lib" // "no"', ["import lib l"]),
    ('import "a"; import "b"', ["import a *", "import b *"]),
    ("import ()", NONE),
    ('import ("a")', ["import a *"]),
    ('import ("a"; b "c"; _ "d")', ["import a *", "import c b", "import d"]),
    ('import (\n\t"a"\n\n\tl "b"\n\t. "c"\n)\nimport "d"',
     ["import a *", "import b l", "import c *", "import d *"]),
    ('import (\n\t"a" // as f() does\n\t// and (this) "no"\n\t/* ) */ "b"\n)',
     ["import a *", "import b *"]),
    ('import (\r\n\t"a"\r\n)\r\n', ["import a *"]),
    ('import "example.org/a-b/c.v1/v2"', ["import example.org/a-b/c.v1/v2 *"]),
    ('import "\\x6cib"', ONE),
    ('import "l\\u0069b"', ONE),
    ('import "l\\151b"', ONE),
    # No imports.
    ('// import "lib"', NONE),
    ('/*\nimport "lib"\n*/', NONE),
    ('var s = `\nimport "lib"\n`', NONE),
    ('var s = "import \\"lib\\""', NONE),
    ("var r = '\"'\nimport \"lib\"", ONE),
    ("var r = '\\''\nimport \"lib\"", ONE),
    ('var s = "// /*"\nimport "lib"', ONE),
    ('var important, reimport = "lib", "no"', NONE),
    ('var x = y.importé("lib")', NONE),
    # Half-written, or refused by the compiler.
    ('import "lib', ONE),
    ('import "a\nimport "b"\nfunc f() {', ["import a *", "import b *"]),
    ('import (\n\t"a\n\t"b"\n', ["import a *", "import b *"]),
    ('import (\n\t"a"\n\tl\nfunc f() { g("no") }', ["import a *"]),
    ('import (\n\t"a"\nvar x = "no"', ["import a *"]),
    ('import (\n\t"a"\nimport "b"', ["import a *", "import b *"]),
    ('import\nfunc f() { g("no") }', NONE),
    ('import l\nfunc f() { g("no") }', NONE),
    ("import", NONE),
    ("import (", NONE),
    ('import = "no"', NONE),
    ('func f() {}\nimport "lib"', ONE),
    ('func f() { /* never closed \n}\nimport "lib"', ONE),
    # Embedded files.
    ("//go:embed a.txt", ["embed a.txt"]),
    ("//go:embed a b/*.html\tc", ["embed a", "embed b/*.html", "embed c"]),
    ('//go:embed "a b" `c d` all:e', ["embed a b", "embed c d", "embed all:e"]),
    ('//go:embed "a\\x62"', ["embed ab"]),
    ("//go:embed a\n//go:embed b\nvar f embed.FS", ["embed a", "embed b"]),
    ("\t//go:embed a\r\n", ["embed a"]),
    ("var (\n\t//go:embed a\n\tx string\n)", ["embed a"]),
    ("// go:embed a\n//go:embedded b\n/*go:embed c*/\nx() //go:embed d", NONE),
    ("var s = `\n//go:embed a\n`", NONE),
    # Linked names.
    ("//go:linkname now time.now", ["linkname time now"]),
    ("//go:linkname f example.org/a/b.(*T).run", ["linkname example.org/a/b f"]),
    ("//go:linkname f gopkg.in/yaml%2ev2.run", ["linkname gopkg.in/yaml.v2 f"]),
    ("//go:linkname f", NONE),
    ("//go:linkname f libc_f", NONE),
    ("//go:generate stringer -type=T\n//go:noinline", NONE),
    # C.
    ('import "C"', [*C, *WITH_C]),
    ('// #include <a.h>\n// #include "b.h"\nimport "C"', [*C, "cgo a.h *", "cgo b.h *", *WITH_C]),
    ('/*\n#cgo CFLAGS: -DX="no.h"\n#include "a.h"\n// #include "no.h"\n*/\nimport "C"',
     [*C, "cgo a.h *", *WITH_C]),
    ('// #include "a.h"\n\n// #include "b.h"\n\nimport "C"', [*C, *WITH_C]),
    ('import (\n\t"a"\n\n\t// #include "a.h"\n\t"C"\n)', ["import a *", *C, "cgo a.h *", *WITH_C]),
    ('// #include "a.h"\nimport (\n\t"C"\n)', [*C, "cgo a.h *", *WITH_C]),
    ('// #include "a.h"\nimport "a"', ["import a *"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_imports(text: str, expected: list[str]):
    assert imported(f"package x\n\n{text}") == expected


def test_a_byte_order_mark_and_no_clause():
    assert read("a.go", b'\xef\xbb\xbfpackage a\nimport "b"').scope == "a"
    assert imported('import "lib"') == ONE
    assert read("a.go", b"").scope == ""


def test_what_an_import_takes():
    text = 'package x\nimport ("a"; . "b"; _ "c"; d "d")\n//go:linkname f e.g'
    assert [one.bindings for one in read("a.go", text.encode()).imports] == [
        (Binding(WHOLE, ALL),),  # what the package calls itself, its own clause says
        (Binding(ALL, ALL),),
        (Binding(WHOLE),),
        (Binding(WHOLE, "d"),),
        (Binding("g", "f"),),
    ]
    assert read("a.go", b"//go:embed a").imports == (Import("a", "embed", (Binding(WHOLE),)),)


@pytest.mark.parametrize(
    ("path", "text", "package", "condition"),
    [
        ("a.go", "package a", "a", ""),
        ("a.go", "// Package b is.\n/* package c */ package a_test // d", "a_test", ""),
        ("a.go", "package\n\n  a;", "a", ""),
        ("a.go", "package", "", ""),
        ("a.go", "//go:build linux && !cgo\n\npackage a", "a", "(linux && !cgo)"),
        ("a.go", "// +build linux,386 darwin\n// +build !x\n\npackage a", "a",
         "(+build linux,386 darwin) && (+build !x)"),
        ("a.go", "package a\n//go:build linux", "a", ""),
        ("x/a_linux.go", "package a", "a", "linux"),
        ("x/a_linux_arm64.go", "package a", "a", "linux && arm64"),
        ("x/a_arm64_test.go", "//go:build x\npackage a", "a", "(x) && arm64"),
        ("linux.go", "package a", "a", ""),
        ("a_linux_foo.go", "package a", "a", ""),
    ],
)  # fmt: skip
def test_packages_and_conditions(path: str, text: str, package: str, condition: str):
    found = read(path, text.encode())
    assert (found.scope, found.condition) == (package, condition)


PATHS = st.text("ab/.-_2é", min_size=1, max_size=8)
NOTES = st.sampled_from(["", "// ) import `n`\n", '/* " ) */', "\n\n", " \t"])


@given(st.lists(st.tuples(NOTES, PATHS, NOTES), max_size=6))
def test_every_line_of_a_group_is_read(specs: list[tuple[str, str, str]]):
    text = "".join(f'{before}\t"{path}"{after}\n' for before, path, after in specs)
    expected = list(dict.fromkeys(f"import {path} *" for _, path, _ in specs))
    assert imported(f"package x\nimport (\n{text})\nvar x = `import `") == expected


@given(st.text("\"'`/*\\\n import()package embed:go", max_size=80))
def test_any_text_is_read(text: str):
    read("a.go", text.encode())
    assert "import last *" in imported(f'{text}\n"`*/\n`"`\nimport "last"\n') or "`" in text
