"""Go, C and C++, Rust, shell and TOML."""

from __future__ import annotations

from tests.support.hiding.model import HidingProject, breaks, mends

_GO = {
    "go.mod": "module example.org/m\n\ngo 1.21\n",
    "p/p.go": 'package p\n\nimport "fmt"\n\nfunc F(n int) { fmt.Printf("%s", n) }\n',
    "p/other.go": 'package p\n\nfunc Other() string { return "" }\n',
    "p/p_test.go": 'package p\n\nimport "testing"\n\n'
    'func TestF(t *testing.T) { F(1); t.Errorf("%d", "x") }\n',
    "r/r.go": 'package r\n\nimport (\n\t"fmt"\n\n\t"example.org/m/p"\n)\n\n'
    'func G() { p.F(1); fmt.Printf("%d", "x") }\n\n'
    'func H() string { fmt.Printf("%d", "y"); return p.Other() }\n',
    "t/t.go": 'package t\n\nfunc A() int { return "a" }\n\nfunc B() int { return "b" }\n',
}
_ANALYSED = (
    breaks("a name", {"p/p_test.go": ("F(1);", "F(1); nothing();")}, "p/p_test.go:5"),
    breaks("a parameter", {"p/p.go": ("F(n int)", "F(n string)")}, "p/p_test.go:5 r/r.go:9,11"),
    breaks("the package", {"p/other.go": ("package p", "package q")}, "p/p.go:5 r/r.go:9,11"),
)
_CPP = {
    "compile_flags.txt": "-std=c++17\n",
    "lib.h": "#pragma once\nint helper(int x);\nstruct Item { int name; };\n",
    "use.cpp": """\
#include "lib.h"

int f(int q) {
  const char *s = helper(1);
  return nothing + q;
}

int g(Item item) {
  item.missing = 1;
  return "x";
}
""",
}
_G = "\n  item.missing = 1;\n"
_MANY = "".join(f"int e{number} = nope{number};\n" for number in range(30))
_RUST = {
    "Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub mod a;\npub fn twice(x: i32) -> i32 {\n    let unused = 1;\n    x * 2\n}\n",
    "src/a.rs": "pub fn same(x: i32) -> i32 {\n    let idle = 1;\n    x\n}\n",
}
_SHELL = '#!/bin/bash\nx=1\necho $y\nf() {\n  cd "$1"\n}\nif [ "$x" = 1 ]; then\n  f\nfi\n'
_SCHEMA = """{"properties": {"a": {"type": "number"}, "b": {"type": "string"}}}\n"""
_TOML = {
    "tombi.toml": '[[schemas]]\npath = "s.json"\ninclude = ["d.toml"]\n',
    "s.json": _SCHEMA,
    "d.toml": 'a = "x"\nb = 1\n\n[t]\nq = 1\n',
}

NATIVE = {
    "gopls": HidingProject(
        _GO,
        (
            *_ANALYSED,
            breaks(
                "a package below",
                {"p/other.go": ("Other() string", "Other( string")},
                "p/p.go:5 p/p_test.go:5 r/r.go:9,11",
            ),
            breaks(
                "what no other file sees",
                {"p/other.go": ('return ""', "return nothing")},
                "p/p.go:5 p/p_test.go:5",
            ),
            breaks("a bracket", {"t/t.go": ("func A()", "func A(")}, "t/t.go:5"),
            mends("a line", {"r/r.go": ('"%d", "y"', '"%s", "y"')}, "r/r.go:11"),
            mends("a type", {"t/t.go": ('return "a"', "return 1")}, "t/t.go:3"),
        ),
    ),
    "go-vet": HidingProject(
        {path: text for path, text in _GO.items() if not path.startswith("t/")},
        (
            breaks("a name", {"r/r.go": ("p.F(1);", "p.F(1); nothing();")}, "r/r.go:9,11"),
            mends("a line", {"r/r.go": ('"%d", "y"', '"%s", "y"')}, "r/r.go:11"),
        ),
    ),
    "clangd": HidingProject(
        _CPP,
        (
            breaks("an include", {"use.cpp": ('"lib.h"', '"libb.h"')}, "use.cpp:4,9"),
            breaks(
                "a bracket", {"use.cpp": ("int f(int q) {", "int f(int q {")}, "use.cpp:4,5,9,10"
            ),
            breaks("a brace", {"use.cpp": ("+ q;\n}", "+ q;\n")}, "use.cpp:9,10"),
            breaks("a condition", {"use.cpp": ("}\n\nint g", "}\n#if 0\nint g")}, "use.cpp:9,10"),
            breaks(
                "a condition that ends", {"use.cpp": (_G, f"\n#ifdef NOT{_G}#endif\n")}, "use.cpp:9"
            ),
            breaks("a comment", {"use.cpp": (_G, f"\n/*{_G}*/\n")}, "use.cpp:9"),
            breaks("too many", {"use.cpp": ("\nint f", f"\n{_MANY}int f")}, "use.cpp:4,5,9,10"),
            breaks("a header", {"lib.h": ("helper(int x);", "helper(int x")}, "use.cpp:9"),
            mends("a line", {"use.cpp": ('return "x"', "return 1")}, "use.cpp:10"),
            mends("a header", {"lib.h": ("int name;", "int name; int missing;")}, "use.cpp:9"),
        ),
    ),
    "cargo-check": HidingProject(
        _RUST,
        (
            breaks("a type", {"src/lib.rs": ("x * 2", "true")}, "src/lib.rs:3"),
            breaks(
                "a condition",
                {"src/lib.rs": ("pub fn twice", "#[cfg(never)]\npub fn twice")},
                "src/lib.rs:3",
            ),
            mends("a line", {"src/a.rs": ("    let idle = 1;\n", "")}, "src/a.rs:2"),
        ),
    ),
    "bash-language-server": HidingProject(
        {"a.sh": _SHELL},
        (
            breaks("an end", {"a.sh": ("  f\nfi\n", "  f\n")}, "a.sh:3,5"),
            breaks("a shell", {"a.sh": ("/bin/bash", "/bin/zsh")}, "a.sh:3,5"),
            mends("a line", {"a.sh": ("echo $y", 'echo "$x"')}, "a.sh:3"),
        ),
    ),
    "tombi": HidingProject(
        _TOML,
        (
            breaks("a value", {"d.toml": ("q = 1", "q = ")}, "d.toml:1,2"),
            breaks("a bracket", {"d.toml": ("[t]", "[t")}, "d.toml:1,2"),
            breaks("the schema", {"s.json": None}, "d.toml:1,2"),
            breaks("the schema's end", {"s.json": _SCHEMA[:-3]}, "d.toml:1,2"),
            mends("a line", {"d.toml": ("b = 1", 'b = "1"')}, "d.toml:2"),
        ),
    ),
}
