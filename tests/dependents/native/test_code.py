"""Which edits of a header's text give those who include it no other code."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import reach_of
from understudy.syntax.native.code import code_of

SAME = [
    ("int a;\n", "int a; // a note\n"),
    ("int a;\n", "// a note\n\nint a;\n"),
    ("int a;\nint b;\n", "int a;\n/* a\n   note */\n\nint b;\n"),
    ("int /* a */ a;\n", "int /* b */ a;\n"),
    ("#define A 1 // one\nint a;\n", "#define A 1\nint a;\n"),
    ("#define A 1 /* one\n two */ + 2\n", "#define A 1 /* one */ + 2\n"),
    ("#if A\n\n  int a;\n#endif\n", "#if A\nint a;\n#endif // A\n"),
    ('char *a = "//"; // b\n', 'char *a = "//"; // c\n'),
    ("int a;\r\n", "int a; // a\n"),
]

OTHER = [
    ("int a;\n", "int b;\n"),
    ('char *a = "// b";\n', 'char *a = "// c";\n'),
    ("char a = '\\''; // '\n", "char a = '\\''; // '\nint b;\n"),
    ("#define A(x) #x\nA(a+b)", "#define A(x) #x\nA(a + b)"),
    ("#define A 1\nint a;", "#define A 1 int a;"),
    ("#define A 1 // \\\nint a;", "#define A 1 // \nint a;"),
    ("#define A(x) x", "#define A (x) x"),
    ("#include <a//b>\n", "#include <a//c>\n"),
    ('auto a = R"(// b)";\n', 'auto a = R"(// c)";\n'),
    ("int a = 1'0; // '\nint b;", "int a = 1'0; // '\nint c;"),
    ("/* a\nint a;\n", "/* a\nint b;\n"),
    ("int a; // b ??/\nint c;\n", "int a; // b\nint c;\n"),
    ("int a; // b \\ \nint c;\n", "int a; // b\nint c;\n"),
    ("// IWYU pragma: export\n", "// IWYU pragma: keep\n"),
    ("case 1: a(); // fall through\ncase 2: b();", "case 1: a();\ncase 2: b();"),
    ("a(); // NOLINT\n", "a();\n"),
    # What compilers warn of in comments.
    ("// a \\\n still\nint a;\n", "// b\nint a;\n"),
    ("/* a */\nint a;\n", "/* a\n/* b */\nint a;\n"),
    ("// a\n", "// \u202e a\n"),
    ("it's /* a */\n", "it's /* b */\n"),
    ("/\\\n/ a\n", "/\\\n/ b\n"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_comments_and_layout_are_no_code(before: str, after: str):
    assert code_of(before.encode()) == code_of(after.encode())


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_what_is_code_or_may_be_read(before: str, after: str):
    assert code_of(before.encode()) != code_of(after.encode())


HEADER = "#ifndef A_H\n#define A_H\nint a(void);\n#endif\n"
USERS = {"a.c": '#include "b.h"\nint b(void) { return a(); }\n', "b.h": '#include "a.h"\n'}
NAMED = "#define JOIN(a, b) a##b\n#define LINED(a, b) JOIN(a, b)\n#define ONCE LINED(x, __LINE__)\n"

REACHED = [
    # the header, what it becomes, more files, who is reached
    (HEADER, HEADER + "// a note\n", {}, set[str]()),
    (HEADER, "// a note\n" + HEADER, {}, set[str]()),
    (HEADER, HEADER.replace("(void)", "(int b)"), {}, {"a.c", "b.h"}),
    # Lines matter where a macro makes names of them, in any file that is compiled with it.
    (HEADER, "// a note\n" + HEADER, {"a.c": NAMED + USERS["a.c"]}, set[str]()),
    ("int ONCE;\n", "// a note\nint ONCE;\n", {"a.c": NAMED + USERS["a.c"]}, {"a.c", "b.h"}),
    ("int ONCE;\n", "int ONCE; // a note\n", {"a.c": NAMED + USERS["a.c"]}, set[str]()),
    ("int b = __LINE__;\n", "\nint b = __LINE__;\n", {}, {"a.c", "b.h"}),
    # A macro that no file of the folder has may do so, too, where it stands alone.
    ("ONCE(a);\n", "// a note\nONCE(a);\n", {}, {"a.c", "b.h"}),
    ("ONCE(a);\n", "ONCE(a);\n// a note\n", {}, set[str]()),
    ("static_assert(1);\n", "// a note\nstatic_assert(1);\n", {}, set[str]()),
    # What may be other code still counts, beside a comment in another header.
    ('auto a = R"()";\n', 'auto a = R"()"; // a note\n', {}, {"a.c", "b.h"}),
]


@pytest.mark.parametrize(("before", "after", "more", "expected"), REACHED)
def test_whom_an_edit_of_a_header_reaches(
    before: str, after: str, more: dict[str, str], expected: set[str]
):
    files = {**USERS, "a.h": before, **more}
    assert reach_of(files, {"a.h": after}).keys() == {"a.h", *expected}


def test_a_comment_beside_an_edit_of_another_header():
    files = {**USERS, "a.h": HEADER, "c.h": "int c;\n", "c.c": '#include "c.h"\n'}
    edits = {"a.h": HEADER + "// a note\n", "c.h": "long c;\n"}
    assert reach_of(files, edits).keys() == {"a.h", "c.h", "c.c"}
