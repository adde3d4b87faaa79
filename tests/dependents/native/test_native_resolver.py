"""Which files includes, modules and compilers' flags mean in a small tree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatch

import pytest

from understudy.dependents.resolvers.model import Edge, FolderTree
from understudy.dependents.resolvers.native import CONFIGURATION, resolver
from understudy.syntax.model import ALL, Binding
from understudy.syntax.native.imports import read

TEXT = Binding(ALL, ALL, ALL)


def targets(files: Mapping[str, str], importer: str) -> set[str]:
    """The files that one of them may mean; its keys have to lead to each of these."""
    data = {path: text.encode() for path, text in files.items()}
    asked = {
        path: text
        for path, text in data.items()
        if any(fnmatch(path.rpartition("/")[2], pattern) for pattern in CONFIGURATION)
    }
    made = resolver(FolderTree(tuple(files), asked))
    imports = read(importer, data[importer])
    found = {edge.target for edge in made.edges(importer, imports)}
    keys = set(made.keys(importer, imports))
    for target in found:
        assert ALL in keys or keys.intersection(made.keys_of(target))
    return found


FORMS = [
    ('#include "shop/lib.h"', "src/main.c", True),
    ("#include <shop/lib.h>", "src/main.c", True),
    ("#include <lib.h>", "src/main.c", True),
    ('#include "lib.h"', "include/shop/other.h", True),
    ('#include "../include/shop/lib.h"', "src/main.cpp", True),
    ('#include "../../shop/lib.h"', "src/main.cpp", True),  # an include folder may be anywhere
    ('#include "./shop/./lib.h"', "src/main.cpp", True),
    ('#include "x/../shop/lib.h"', "src/main.cpp", True),
    ('#include "shop\\lib.h"', "src/main.cpp", True),
    ('#include "/srv/project/include/shop/lib.h"', "src/main.cpp", True),
    ('#include "C:\\project\\include\\shop\\lib.h"', "src/main.cpp", True),
    ("#include_next <lib.h>", "include2/lib.h", True),
    ("#include_next <lib.h>", "include/shop/main.h", True),
    ('#import "lib.h"', "src/main.m", True),
    ("#import <Shop/lib.h>", "src/main.m", False),
    ("#import <include/lib.h>", "src/main.m", True),  # as a framework's header
    ("#include <include/lib.h>", "src/main.c", False),
    ("import <shop/lib.h>;", "src/main.cpp", True),
    ('#if __has_include("lib.h")', "src/main.cpp", True),
    ('#define LIB "lib.h"', "src/main.cpp", True),
    ("#include LIB", "src/main.cpp", True),
    ('#include "lib.h"', "src/part.inc", True),
    ('#include "other/lib.h"', "src/main.c", False),
    ('#include "mylib.h"', "src/main.c", False),
    ('#include "LIB.h"', "src/main.c", False),
    ('#include "shop/lib.hpp"', "src/main.c", False),
    ("int x;", "src/main.c", False),
]


@pytest.mark.parametrize(("text", "importer", "expected"), FORMS)
def test_include_forms(text: str, importer: str, expected: bool):
    files = {"include/shop/lib.h": "", importer: text}
    assert targets(files, importer) == ({"include/shop/lib.h"} if expected else set())


def test_what_lies_beside_in_quotes_is_no_other_file():
    files = {"a/config.h": "", "b/config.h": "", "config.h": "", "a/x.c": '#include "config.h"'}
    assert targets(files, "a/x.c") == {"a/config.h"}
    assert targets({**files, "a/x.c": "#include <config.h>"}, "a/x.c") == {
        *("a/config.h", "b/config.h", "config.h")
    }
    assert targets({**files, "a/x.c": '#include "../b/config.h"'}, "a/x.c") == {"b/config.h"}
    assert targets({**files, "c/x.c": '#include "config.h"'}, "c/x.c") == {
        *("a/config.h", "b/config.h", "config.h")
    }


def test_any_file_can_be_included():
    files = {"all.c": '#include "a.c"\n#include "t.def"\n#include "x"\n#include "all.c"'}
    inside = {"a.c": "", "t.def": "", "x": "", "b.c": ""}
    assert targets({**files, **inside}, "all.c") == {"a.c", "t.def", "x"}


def test_a_computed_include_may_mean_every_header():
    files = {"main.c": "#include LIB", "a.h": "", "sub/b.inc": "", "c.cpp": "", "d.txt": ""}
    assert targets(files, "main.c") == {"a.h", "sub/b.inc", "c.cpp"}


def test_modules_are_found_by_what_their_interfaces_say():
    files = {
        "m.cppm": "export module m;\nexport import :part;",
        "m-part.cppm": "export module m:part;",
        "m.cpp": "module m;",
        "other.ixx": "export module m2;\nimport m;",
        "main.cpp": "import m;",
        "header.hpp": "import std;",
        "unknown.cpp": "import far;",
    }
    assert targets(files, "main.cpp") == {"m.cppm", "m-part.cppm"}
    assert targets(files, "other.ixx") == {"m.cppm", "m-part.cppm"}
    assert targets(files, "m.cppm") == set()
    assert targets(files, "header.hpp") == set()
    assert targets(files, "unknown.cpp") >= {"main.cpp", "m.cpp"}
    made = resolver(FolderTree(tuple(files), {}))
    scopes = {path: made.scope(path, read(path, text.encode())) for path, text in files.items()}
    units = {path for path, scope in scopes.items() if scope == "module m"}
    assert units == {"m.cppm", "m-part.cppm", "m.cpp"}


def test_a_module_of_objective_c_is_all_that_its_map_covers():
    files = {
        "kit/module.modulemap": 'framework module Kit {\n umbrella header "Kit.h"\n}',
        "kit/Kit.h": "",
        "kit/deep/Part.h": "",
        "other/Other.h": "",
        "main.m": "@import Kit.Part;",
    }
    assert targets(files, "main.m") == {"kit/module.modulemap", "kit/Kit.h", "kit/deep/Part.h"}


def database(*commands: tuple[str, str]) -> str:
    root = "/where/it/was/built"
    return json.dumps(
        [{"directory": f"{root}/build", "file": file, "command": words} for file, words in commands]
    )


FLAGS = [
    ("-include config.h", True),
    ("-include /where/it/was/built/conf/config.h", True),
    ("-include ../conf/config.h", True),
    ("-include conf/config.h", True),
    ("-includeconf/config.h", True),
    ("--include=conf/config.h", True),
    ("-imacros config.h", True),
    ("-Xclang -include -Xclang config.h", True),
    ("-Wp,-include,config.h", True),
    ("/FIconfig.h", True),
    ("/FI config.h", True),
    ("/Yuconfig.h", True),
    ("-include-pch config.h.pch", True),
    ("-include 'config.h'", True),
    ('"-include" "conf/config.h"', True),
    ("-DCONFIG='\"config.h\"'", True),
    ('-DCONFIG=\\"config.h\\"', True),
    ("'-DCONFIG=<conf/config.h>'", True),
    ("@flags.rsp", True),
    ("-include other.h", False),
    ("-DX=config.h -Iconf", False),
    ("", False),
]


@pytest.mark.parametrize(("flags", "expected"), FLAGS)
def test_flags_that_force_an_include(flags: str, expected: bool):
    files = {
        "compile_commands.json": database(
            ("../src/a.c", f"cc {flags} -c ../src/a.c"), ("../src/b.c", "cc -c ../src/b.c")
        ),
        "conf/config.h": "",
        "flags.rsp": '-O2\n-include "config.h"\n',
        "src/a.c": "",
        "src/b.c": "",
    }
    assert targets(files, "src/a.c") == ({"conf/config.h"} if expected else set())
    assert targets(files, "src/b.c") == set()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compile_flags.txt", "-Wall\n-include\nconfig.h\n"),
        ("compile_flags.txt", "-includeconfig.h"),
        (".clangd", "CompileFlags:\n  Add: [-Wall, -include, config.h]  # a note\n"),
        (".clangd", 'CompileFlags:\n  Add:\n    - "-include"\n    - config.h\n'),
        (".clangd", "CompileFlags:\n  Add: -includeconfig.h\n"),
    ],
)
def test_flags_of_a_folder(name: str, text: str):
    files = {f"src/{name}": text, "src/config.h": "", "src/sub/a.cpp": "", "b.cpp": ""}
    assert targets(files, "src/sub/a.cpp") == {"src/config.h"}
    assert targets(files, "b.cpp") == set()


def test_arguments_of_a_database_may_be_a_list():
    entry = {"directory": "C:\\p", "file": "src\\a.cpp", "arguments": ["cl", "/FI", "conf\\c.h"]}
    files = {"compile_commands.json": json.dumps([entry, 3, {}]), "src/a.cpp": "", "conf/c.h": ""}
    assert targets(files, "src/a.cpp") == {"conf/c.h"}


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"-include": "x"}', "-include", "[" * 9999])
def test_a_database_that_cannot_be_read_forces_nothing(text: str):
    assert targets({"compile_commands.json": f"{text}", "a.c": "", "x": ""}, "a.c") == set()


def test_a_prefix_header_is_part_of_every_file():
    files = {"App/App-Prefix.pch": '#import "Base.h"', "App/Base.h": "", "App/main.m": "int x;"}
    assert targets(files, "App/main.m") == {"App/App-Prefix.pch"}


def test_an_edge_takes_everything():
    made = resolver(FolderTree(("a.h", "b.c"), {}))
    assert list(made.edges("b.c", read("b.c", b'#include "a.h"'))) == [Edge("a.h", TEXT)]
