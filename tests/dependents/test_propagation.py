"""Whom an edit reaches: by the names whose outside it changes, and by what hands them on."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import reach_of
from understudy.dependents.reach import way_to

M = """\
def f(a: int) -> int:
    return a


class B:
    def go(self) -> int:
        return 1
"""
CHANGED_F = M.replace("a: int)", "a: str)")
CHANGED_B = M.replace("class B:", "class B(dict):")
CHANGED_GO = M.replace("go(self)", "go(self, x: int)")
BODY = M.replace("return a", "return a + 0")

PYTHON = [
    # the edited text of m.py, other files, who is reached
    (CHANGED_F, {"a.py": "from m import f\nf(1)\n", "b.py": "from m import B\nB()\n"}, {"a.py"}),
    (CHANGED_F, {"a.py": "import m\nm.f(1)\n", "b.py": "import m\nm.B()\n"}, {"a.py"}),
    (CHANGED_F, {"a.py": "from m import *\nf(1)\n", "b.py": "from m import *\nB()\n"}, {"a.py"}),
    (BODY, {"a.py": "from m import f\nf(1)\n"}, set[str]()),
    ("# a note\n" + M, {"a.py": "from m import f\nf(1)\n"}, set[str]()),
    # an inferred result hands it on, a written signature does not
    (
        CHANGED_F,
        {
            "a.py": "from m import f\n\n\ndef h(x):\n    return f(x)\n",
            "b.py": "from a import h\nh(1)\n",
        },
        {"a.py", "b.py"},
    ),
    (
        CHANGED_F,
        {
            "a.py": "from m import f\n\n\ndef h(x: int) -> int:\n    return f(x)\n",
            "b.py": "from a import h\nh(1)\n",
        },
        {"a.py"},
    ),
    (
        CHANGED_B,
        {"a.py": "from m import B\n\n\ndef h() -> B: ...\n", "b.py": "from a import h\nh()\n"},
        {"a.py", "b.py"},
    ),
    (
        CHANGED_F,
        {"a.py": "from m import f as g\n", "b.py": "from a import g\ng(1)\n", "c.py": "import a\n"},
        {"a.py", "b.py"},
    ),
    (
        CHANGED_F,
        {"a.py": "import m\n", "b.py": "import a\na.m.f(1)\n", "c.py": "import a\na.m.B()\n"},
        {"b.py"},
    ),
    (
        CHANGED_F,
        {"a.py": "from m import f\n\nv = f(1)\n", "b.py": "import a\na.v\n", "c.py": "import a\n"},
        {"a.py", "b.py"},
    ),
    (
        CHANGED_B,
        {"a.py": "from m import B\n\n\nclass C(B): ...\n", "b.py": "from a import C\nC()\n"},
        {"a.py", "b.py"},
    ),
    # a member reaches those who name it
    (
        CHANGED_GO,
        {
            "a.py": "from m import B\n\n\ndef make() -> B:\n    return B()\n",
            "b.py": "from a import make\nmake().go()\n",
            "c.py": "from a import make\nmake()\n",
        },
        {"b.py"},
    ),
    (CHANGED_GO, {"a.py": "from m import B\n\n\nclass C(B):\n    def go(self): ...\n"}, {"a.py"}),
    # what goes, goes for those who import it
    (
        M.replace("def f", "def g"),
        {"a.py": "from m import f\n", "b.py": "from m import B\n"},
        {"a.py"},
    ),
    (
        None,
        {"a.py": "from m import f\n", "b.py": "import m\n", "c.py": "import b\n"},
        {"a.py", "b.py"},
    ),
    ("def f(a:\n", {"a.py": "from m import B\n", "b.py": "import a\n"}, {"a.py", "b.py"}),
    ("raise SystemExit\n" + M, {"a.py": "from m import B\n"}, {"a.py"}),
    ("return 1\n" + M, {"a.py": "from m import B\n"}, {"a.py"}),
    # imports that lead elsewhere
    ("from n import f\n", {"n.py": M, "a.py": "from m import f\n"}, {"a.py"}),
    ("from n import *\n", {"n.py": M, "a.py": "from m import f\n"}, {"a.py"}),
    (
        M + "\n\ndef __getattr__(name: str) -> int: ...\n",
        {"a.py": "from m import absent\n", "b.py": "x = 1\n"},
        {"a.py"},
    ),
    ('__all__ = ["f"]\n' + M, {"a.py": "from m import *\nB()\n", "b.py": "x = 1\n"}, {"a.py"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "others", "expected"), PYTHON)
def test_who_is_reached_in_python(text: str | None, others: dict[str, str], expected: set[str]):
    found = reach_of({"m.py": M, **others}, {"m.py": text})
    assert found.pop("m.py").distance == 0
    assert set(found) == expected


def test_the_way_of_a_change():
    files = {
        "m.py": M,
        "a.py": "from m import f as g\n",
        "b.py": "from a import g\n\nv = g(1)\n",
        "c.py": "from b import v\n",
    }
    found = reach_of(files, {"m.py": CHANGED_F})
    assert {path: (one.distance, one.names, one.via) for path, one in found.items()} == {
        "m.py": (0, frozenset(), ""),
        "a.py": (1, {"f"}, "m.py"),
        "b.py": (2, {"g"}, "a.py"),
        "c.py": (3, {"v"}, "b.py"),
    }


def test_a_cycle_that_an_edit_closes_is_of_all_its_files():
    files = {"m.py": M, "a.py": "import m\n", "b.py": "import a\n", "c.py": "import b\n"}
    closed = {"m.py": M + "\nimport b\n"}
    assert set(reach_of(files, closed)) == {"m.py", "a.py", "b.py"}
    assert set(reach_of({**files, **closed}, {"m.py": M})) == {"m.py", "a.py", "b.py"}
    more = {"m.py": M + "\nimport b\nimport a\n"}
    assert set(reach_of({**files, **closed}, more)) == {"m.py"}


C_FILES = {
    "config.h": "#define LIMIT 3\n#define OTHER 4\n",
    "util.h": "static inline int top(void) { return LIMIT; }\n",
    "a.c": '#include "config.h"\n#include "util.h"\nint f(void) { return top(); }\n',
    "b.c": '#include "config.h"\nint g(void) { return OTHER; }\n',
    "c.c": '#include "util.h"\nint h(void) { return 1; }\n',
}


def test_a_header_uses_what_was_included_before_it():
    changed = C_FILES["config.h"].replace("LIMIT 3", "LIMIT 5")
    found = reach_of(C_FILES, {"config.h": changed})
    assert {path: reach.names for path, reach in found.items() if reach.names} == {
        "util.h": {"LIMIT", "top"},
        "a.c": {"top"},
    }
    # What is wrong in a header is told of all that include it: b.c the one, c.c the other.
    assert set(found) == C_FILES.keys()


CPP_FILES = {
    "bolt.hpp": "namespace shop {\nclass Bolt {\n public:\n  int size() const;\n};\n}\n",
    "service.hpp": '#include "bolt.hpp"\nnamespace shop {\nclass Service { Bolt bolt; };\n}\n',
    "alone.hpp": '#include "bolt.hpp"\nnamespace shop {\nclass Alone { int n; };\n}\n',
    "main.cpp": '#include "service.hpp"\nshop::Service service;\n',
}


@pytest.mark.parametrize(
    ("old", "new"), [("class Bolt", "class Nut"), ("int size()", "long size()")]
)
def test_what_stands_in_a_namespace_is_found_by_its_own_name(old: str, new: str):
    text = CPP_FILES["bolt.hpp"].replace(old, new)
    found = reach_of(CPP_FILES, {"bolt.hpp": text})
    named = {path for path, reach in found.items() if reach.names}
    assert named == {"service.hpp", "main.cpp"}
    assert set(found) == CPP_FILES.keys(), "what is wrong in a header is told where it is included"


def test_a_header_far_from_the_change():
    files = {
        **C_FILES,
        "util.h": '#include "deep.h"\nstatic inline int top(void) { return deep(); }\n',
        "deep.h": '#include "none.h"\nstatic inline int deep(void) { return LIMIT; }\n',
        "none.h": "#define NONE 1\n",
    }
    changed = C_FILES["config.h"].replace("LIMIT 3", "LIMIT 5")
    found = reach_of(files, {"config.h": changed})
    assert {path for path, reach in found.items() if reach.names} == {"util.h", "deep.h", "a.c"}
    assert found["deep.h"].distance == 2


GO_FILES = {
    "go.mod": "module example.org/m\n",
    "lib/lib.go": "package lib\n\nfunc F(a int) int { return helper(a) }\n\n"
    "func G() int { return 1 }\n\nfunc helper(a int) int { return a }\n",
    "lib/more.go": "package lib\n\nfunc H() int { return helper(1) }\n",
    "main.go": 'package main\n\nimport "example.org/m/lib"\n\nfunc main() { lib.F(1) }\n',
    "far.go": 'package main\n\nimport l "example.org/m/lib"\n\nfunc helper() { l.G() }\n',
}

GO = [
    ("func F(a int)", "func F(a string)", {"main.go"}),
    ("func G() int", "func G() string", {"far.go"}),
    ("func helper(a int)", "func helper(a string)", {"lib/more.go"}),
    ("return 1", "return 2", set[str]()),
    ("package lib\n", 'package lib\n\nimport "fmt"\n\nvar _ = fmt.Sprint\n', set[str]()),
]


@pytest.mark.parametrize(("old", "new", "expected"), GO)
def test_who_is_reached_in_go(old: str, new: str, expected: set[str]):
    text = GO_FILES["lib/lib.go"].replace(old, new, 1)
    found = reach_of(GO_FILES, {"lib/lib.go": text})
    assert found.keys() - {"lib/lib.go"} == expected


def test_a_schema_reaches_whoever_points_at_it_over_others():
    files = {
        "types.json": "{}",
        "schema.json": '{"properties": {"y": {"$ref": "types.json#/definitions/T"}}}',
        "a.json": '{"$schema": "./schema.json"}',
        "b.json": '{"$schema": "./other.json"}',
    }
    found = reach_of(files, {"types.json": '{"definitions": {}}'})
    assert {path: one.distance for path, one in found.items()} == {
        "types.json": 0,
        "schema.json": 1,
        "a.json": 2,
    }


def test_a_file_that_only_hands_a_name_on_stands_on_the_way() -> None:
    files = {
        "m.ts": "export function f(a: number): number { return a; }\n",
        "index.ts": 'export * from "./m";\n',
        "top.ts": 'export * as all from "./index";\n',
        "user.ts": 'import { f } from "./index";\nf(1);\n',
        "far.ts": 'import { all } from "./top";\nall.f(1);\n',
    }
    reach = reach_of(files, {"m.ts": files["m.ts"].replace("a: number", "a: string")})
    assert reach.keys() == {"m.ts", "user.ts", "far.ts"}
    assert way_to("user.ts", reach) == ["m.ts", "index.ts"]
    assert way_to("far.ts", reach) == ["m.ts", "index.ts", "top.ts"]


def test_a_file_that_hands_a_name_on_and_uses_it_has_it_from_elsewhere() -> None:
    files = {
        "m.py": M,
        "a.py": "from m import f\n",
        "b.py": "from a import f as g\nimport m as other\ng(1)\n",
    }
    reach = reach_of(files, {"m.py": CHANGED_F})
    assert way_to("b.py", reach) == ["m.py"]
