"""What a C-family text includes, form by form as the standards define lines and literals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import ALL, WHOLE, Binding, FileImports, Import
from understudy.syntax.native.imports import module_of, read


def included(text: str | bytes, path: str = "a.cpp") -> list[str]:
    """Each import as its kind and target."""
    data = text if isinstance(text, bytes) else text.encode()
    return [f"{one.kind} {one.target}" for one in read(path, data).imports]


ONE = ["include lib.h"]
NONE: list[str] = []

FORMS = [
    # Directives: C17 6.10, C++23 [cpp.include].
    ('#include "lib.h"', ONE),
    ("#include <lib.h>", ["include<> lib.h"]),
    ('  #\tinclude\t"lib.h"  // a note', ONE),
    ('#include"lib.h"', ONE),
    ('#include "lib.h" junk', ONE),
    ("#include <sys/a b.h>", ["include<> sys/a b.h"]),
    ('#include "shop\\lib.h"', ["include shop\\lib.h"]),
    ('#include "../x/lib.h"', ["include ../x/lib.h"]),
    ("#include <a//b.h>\n#include </*c.h>\n/* */", ["include<> a//b.h", "include<> /*c.h"]),
    ("#include <it's.h>\n#include <b.h>", ["include<> it's.h", "include<> b.h"]),
    ("#include_next <lib.h>", ["include_next<> lib.h"]),
    ('#import "Kit/Part.h"\n#import <Kit/Kit.h>', ["import Kit/Part.h", "import<> Kit/Kit.h"]),
    ('#embed "a.bin" limit(5)\n#embed <b>', ["embed a.bin", "embed<> b"]),
    ('#include "a.h"\n#include "a.h"', ["include a.h"]),
    ('#include "a.c"\n#include "b"', ["include a.c", "include b"]),
    ('#pragma GCC dependency "parse.y" run it', ["dependency parse.y"]),
    ('#pragma include_alias("a.h", <b.h>)', ["include a.h", "include<> b.h"]),
    ('#pragma comment(lib, "x.lib")\n#line 3 "gen.y"\n# 3 "gen.c"\n#ident "x.h"', NONE),
    ("#includes\n#included <x.h>\n#pragma include <x.h>", NONE),
    # Digraphs and trigraphs: [lex.digraph], C17 5.2.1.1; compilers differ, so both readings count.
    ('%:include "lib.h"\n  %: include <b.h>', ["include lib.h", "include<> b.h"]),
    ('??=include "lib.h"', ONE),
    ('// Why??/\n#include "lib.h"', ONE),
    ('#include ??/\n"lib.h"', ["computed ", "include lib.h"]),
    # Spliced lines: phase 2.
    ('#include \\\n  "lib.h"', ONE),
    ('#inc\\\nlude "lib.h"', ONE),
    ('#include "li\\\nb.h"', ONE),
    ('#\\\r\ninclude "lib.h"', ONE),
    ('\\\n#include "lib.h"', ONE),
    ('#include \\  \n"lib.h"', ONE),
    ('// a note \\\n#include "lib.h"', NONE),
    ('// a note \\ and more\n#include "lib.h"', ONE),
    ('/\\\n/ a note\n#include "lib.h"', ONE),
    ('/\\\n* #include "no.h"\n*/ #include "lib.h"', ONE),
    ('#define QUOTED(a) \\\n#include "lib.h"', NONE),
    # Comments: phase 3, [lex.comment].
    ('/* #include "lib.h" */', NONE),
    ('/*\n#include "lib.h"\n*/', NONE),
    ('// #include "lib.h"', NONE),
    ('// a folder/*\n#include "lib.h"\n// and */', ONE),
    ('/* // */ #include "lib.h"', ONE),
    ('# /* a note */ include /* another\n one */ "lib.h"', ONE),
    ('/* one */ /* two\n */ #include "lib.h"', ONE),
    ('int x; /* two\n */ #include "lib.h"', NONE),
    ('/*/ #include "no.h" /*/\n#include "lib.h"', ONE),
    ('#define A 1 /* goes\n#include "no.h"\n on */\n#include "lib.h"', ONE),
    ('#if X // "/*\n#include "lib.h"\n#endif // */', ["include lib.h"]),
    ('/* never closed\n#include "lib.h"', ONE),
    # Literals: [lex.string], [lex.ccon], [lex.pptoken].
    ('const char *s = "lib.h";', NONE),
    ('const char *s = "/*";\n#include "lib.h"\nconst char *t = "*/";', ONE),
    ('const char *s = "//";\n#include "lib.h"', ONE),
    ('const char *s = "\\"/*";\n#include "lib.h"\nconst char *t = "*/";', ONE),
    ('const char *s = "\\\n#include \\"lib.h\\"\\n";', NONE),
    ("char c = '\"';\n#include \"lib.h\"\nchar d = '\"';", ONE),
    ("char c = '\\'', d = '/*';\n#include \"lib.h\"", ONE),
    ("int x = 1'000'000; /*\n#include \"no.h\"\n*/\n#include \"lib.h\"", ONE),
    ("int x = 0xA'B; /*\n#include \"no.h\"\n*/", NONE),
    ("auto c = u8'a'; /*\n#include \"no.h\"\n*/", NONE),
    ("case'a': /*\n#include \"no.h\"\n*/", NONE),
    ('auto s = R"(\n#include "no.h"\n)";\n#include "lib.h"', ONE),
    ('auto s = R"x(\n)"\n#include "no.h"\n)x";\n#include "lib.h"', ONE),
    ('auto s = u8R"(\n#include "no.h"\n)" LR"(\n#include "no.h"\n)";', NONE),
    ('auto s = R"(\\)"; /* " */\n#include "lib.h"', ONE),
    ('auto s = FOOR"(";\n#include "lib.h"\nauto t = ")";', ONE),
    ("#error don't\n#include \"lib.h\"", ONE),
    ("#if 0\nit's not closed\n#endif\n#include \"lib.h\"", ONE),
    ('#warning "not closed\n#include "lib.h"', ONE),
    # Not the first of its line: [cpp.pre].
    ('int y; #include "lib.h"', NONE),
    ('#define INC #include "lib.h"', NONE),
    ('x # include "lib.h"', NONE),
    ("int a = b ??! c; #include <x>", NONE),
    # Conditionals: every group counts, balanced or not.
    ('#if 0\n#include "a.h"\n#else\n#include "b.h"\n#endif', ["include a.h", "include b.h"]),
    ('#endif\n#elif\n#include "lib.h"\n#if', ONE),
    ('#ifdef __cplusplus\nextern "C" {\n#endif\n#include "lib.h"', ONE),
    ('void f( {{{ [ \n#include "lib.h"\n)))', ONE),
    ('static const char d[] = {\n#include "lib.h"\n};', ONE),
    # Macros: [cpp.include] 4, [cpp.cond].
    ("#include LIB", ["computed "]),
    ("#include HEADER(x, .h)", ["computed "]),
    ("#include __FILE__", ["computed "]),
    ('#define LIB "lib.h"\n#include LIB', ["define lib.h", "computed "]),
    ("#define LIB <lib.h> /* a note */", ["define<> lib.h"]),
    ('#define F(x) "lib.h"\n#define G "a" "b"\n#define H "a" x', NONE),
    ('#if __has_include("lib.h")', ["has_include lib.h"]),
    ("#if A && defined(B) || __has_include ( <lib.h> )", ["has_include<> lib.h"]),
    ("#elif !__has_include_next(<lib.h>)", ["has_include<> lib.h"]),
    ('#if __has_embed("a.bin" limit(1))', ["has_include a.bin"]),
    ("#if __has_include(LIB)", ["computed "]),
    ('#define HAS __has_include("lib.h")', ["has_include lib.h"]),
    ("#define HAS(x) __has_include(x)\n#if HAS(<lib.h>)", ["has_include<> lib.h"]),
    ("#ifdef __has_include\n#endif", NONE),
    ("#if A < B && C > D", NONE),
    # Half-written.
    ("#include", NONE),
    ("#include ", NONE),
    ('#include "', ["computed "]),
    ('#include "lib.h', ONE),
    ("#include <lib.h\nint x;", ["include<> lib.h"]),
    ("#", NONE),
    # Bytes.
    (b'\xef\xbb\xbf#include "lib.h"', ONE),
    ('#include "lib.h"\n'.encode("utf-16"), ONE),
    (b'#include "lib.h"\r#include <b.h>\r', ["include lib.h", "include<> b.h"]),
    ('#include "größe.h"', ["include größe.h"]),
    (b'char *s = "\xff\xfe"; \n#include "lib.h"', ONE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_includes(text: str | bytes, expected: list[str]):
    assert included(text) == expected


MODULES = [
    ("import m;", ["module m"], ""),
    ("import a.b . c ;", ["module a.b.c"], ""),
    ("export import m;", ["module m"], ""),
    ("export module m;\nimport :part;", ["module :part"], "m"),
    ("module;\n#include <x>\nmodule m;", ["include<> x"], "m"),
    ("export module a.b:part;", NONE, "a.b"),
    ("export module m [[deprecated]];", NONE, "m"),
    ("module :private;", NONE, ""),
    ("import <vector>;", ["import<> vector"], ""),
    ('/* a note */ import "lib.h"; int x;', ["import lib.h"], ""),
    ("import m", ["module m"], ""),
    ("@import Kit.Part;", ["@import Kit.Part"], ""),
    ("#pragma clang module import Kit", ["@import Kit"], ""),
    ("x import m;\nint import;\nimport = 3;\nimport(m);\nimportant m;", NONE, ""),
    ('// import m;\n/* import m; */\nchar *s = "\\\nimport m;";', NONE, ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "module"), MODULES)
def test_modules(text: str, expected: list[str], module: str):
    assert included(text) == expected
    assert read("a.cpp", text.encode()).scope == module


def test_an_interface_of_a_module_is_told_from_its_other_units():
    assert module_of(b"export module a.b:part;") == "a.b:part"
    assert module_of(b"module;\n#include <x>\nexport module m;") == "m"
    assert module_of(b"module m;") == ""


def test_c_has_no_modules_and_may_have_no_raw_strings():
    assert included("import m;\nmodule m;", "a.c") == []
    both = 'char *s = R"(\n#include "a.h"\n)";'
    assert included(both, "a.c") == included(both, "a.h") == ["include a.h"]
    assert included(both, "a.cc") == []
    both = 'int x = 1\'0; /*\n#include "a.h"\n*/'
    assert included(both, "a.c") == included(both, "a.h") == ["include a.h"]
    assert included(both, "a.cc") == []


def test_what_an_include_takes():
    everything, effect = (Binding(ALL, ALL, ALL),), (Binding(WHOLE),)
    text = b'#include "a"\n#include M\n#embed "b"\n#if __has_include("c")'
    assert read("a.c", text) == FileImports(
        (
            Import("a", "include", everything),
            Import("", "computed", everything),
            Import("b", "embed", effect),
            Import("c", "has_include", effect),
        )
    )
    assert read("a.cpp", b"import m;").imports[0].bindings == (Binding(ALL, ALL, ""),)
    assert read("a.cpp", b"export import m;").imports[0].bindings == everything


PIECES = st.lists(
    st.sampled_from(
        ["/*", "*/", "//", '"', "'", "\n", "\\\n", "#", "include", ' "x.h" ', 'R"(', ')"', " ", "a"]
    )
)


@given(before=PIECES)
def test_whatever_stands_before_a_line_that_is_no_comment_it_is_read(before: list[str]):
    """A terminated state: all literals and comments closed, a fresh line."""
    text = "".join(before) + '\n)" */ ' + '"\n\n*/\n#include "last.h"\n'
    plain = [one for one in included(text, "a.h") if one == "include last.h"]
    assert plain or "/*" in text or 'R"(' in text


@given(st.binary(max_size=60))
def test_any_bytes_are_read(text: bytes):
    read("a.cpp", text)
    read("a.c", b'#include "' + text)
