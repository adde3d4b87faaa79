"""What a C or C++ text declares, and which edits others can see."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import Mentions
from understudy.syntax.native.declarations import read


def names(text: str, path: str = "a.h") -> list[str]:
    found = read(path, text.encode()).declarations
    return [f"{one.owner}.{one.name}" if one.owner else one.name for one in found]


FORMS = [
    # Functions.
    ("int f(void);", ["f"]),
    ('int a __attribute__((aligned(4))), b; alignas(8) int c asm("d");', ["a", "b", "c"]),
    ("static inline struct s *f(int a, struct t *b) { return g(a); }", ["f"]),
    ("int f(int (*g)(int), char c[]) ATTRIBUTE(1, 2);", ["f", "ATTRIBUTE"]),
    ("__attribute__((noreturn)) void f(int) __attribute__((cold));", ["f"]),
    ('extern "C" int f(void);', ["f"]),
    ("auto f(int a) -> decltype(a) { return a; }", ["f"]),
    ("template <class T, int N = 3> T f(const std::vector<T>& a);", ["f"]),
    ("void S::T::f(int) const { }", ["S.T.f"]),
    ("struct S { S& operator=(int a) { b = a; } int f() { } };",
     ["S.S", "S.operator", "S.a", "S.f", "S"]),
    ("S::S() : a{1}, b(2) { g(); } int x;", ["S.S", "x"]),
    ("S::~S() { }", ["S.S"]),
    ("int (*signal(int a, void (*b)(int)))(int);", ["signal", "b"]),  # one too many
    # Variables and types.
    ("int a, *b, c[3], d = f(1, 2), e;", ["a", "b", "c", "d", "e"]),
    ("int a[] = { 1, { 2 } }, b = { 3 };", ["a", "b"]),
    ("extern const struct s x;", ["x"]),
    ("int (*callback)(int), (*table[3])(void);", ["callback", "table"]),
    ("std::map<int, std::set<int>> m{1};", ["m"]),
    ("typedef unsigned long size, *sizes;", ["size", "sizes"]),
    ("typedef int (*compare)(const void *, const void *);", ["compare"]),
    ("typedef struct s { int a; } t, *p;", ["s.a", "s", "t", "p"]),
    ("struct s;", ["s"]),
    ("struct s { int a : 3, b; struct { int c; } d; };", ["s.a", "s.b", "s.c", "s.d", "s"]),
    ("enum e { A, B = f(1, 2), C };", ["e.A", "e.B", "e.C", "e"]),
    ("enum class e : int { A };", ["e.A", "e"]),
    ("using A = std::vector<int>;", ["A"]),
    ("template <class T> using A = B<T>;", ["A"]),
    ("using std::swap;", ["swap"]),
    ("namespace a = b::c;", ["a"]),
    ("template <class T> concept C = requires(T a) { a.b(); };", ["C"]),
    # Classes and namespaces.
    ("class EXPORT A final : public B { public: A(int); virtual int f() = 0; private: int x; };",
     ["A.A", "A.f", "A.x", "A"]),
    ("namespace a::b { namespace c { int f(); } int g(); } int h();", ["a.b.c.f", "a.b.g", "h"]),
    ("namespace { int f(); }", ["f"]),
    ('extern "C" { int f(void); }', ["f"]),
    ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif',
     ["f"]),
    # Macros and directives.
    ("#define A\n#define B 3\n#define C(x) \\\n  ((x) + 1)\nint f(void);", ["A", "B", "C", "f"]),
    ("#if X\nint f(int a) {\n#else\nint f(long a) {\n#endif\nreturn a; }\nint g(void);",
     ["f", "g"]),
    ("struct s {\n#if X\nint a;\n#else\nlong b;\n#endif\n};\nint f();", ["s.a", "s.b", "s", "f"]),
    ("int f(void) {\n#if X\nif (a) {\n#else\nif (b) {\n#endif\n} }\nint g(void);", ["f", "g"]),
    # What declares nothing of its own is in the frame.
    ("DEFINE_LIST(a, b);", []),
    ("using namespace std;", []),
    ("#pragma pack(1)\n#undef A", []),
    # Literals and comments.
    ("char *a = \"}\", b = '{'; // }\n/* { */ int f() { return '}'; } int g();",
     ["a", "b", "f", "g"]),
    ('auto s = R"x(})")x"; int f();', ["s", "f"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_declared_names(text: str, expected: list[str]):
    assert names(text) == expected
    assert read("a.h", text.encode()).is_sound


def test_operators_and_specialisations_go_by_all_their_words():
    assert set(names("std::ostream& operator<<(std::ostream& o, const Foo& f);")) >= {"Foo"}
    assert set(names("template <> struct hash<Foo> { int x; };")) >= {"Foo", "hash"}


SOURCE = """\
#ifndef SHOP_H
#define SHOP_H
#include "item.h"
#pragma once
// Sells.
#define LIMIT 3
#if DEBUG
int check(int a);
#endif
enum kind { SMALL, LARGE = LIMIT, HUGE };
struct cart { int n; double sum; };
extern int total;
int buy(struct cart *c, int n)
{
    return c->n + n;
}
static int hidden(void) { return LIMIT; }
template <class T> T twice(T a) { return a + a; }
namespace deep { int inner(int a) { return a; } }
LIST_OF(things);
#endif
"""

NOTHING: set[str] = set()
EDITS = [
    ("// Sells.", "/* Buys. */", NOTHING, NOTHING),
    ("{\n    return c->n + n;\n}", "{ return 1; }", NOTHING, {"buy"}),
    ("struct cart *c, int n", "struct cart *c, long n", {"buy"}, {"buy"}),
    ("struct cart *c, int n", "struct cart *c,\n\tint n", NOTHING, NOTHING),
    ("return LIMIT", "return 4", NOTHING, {"hidden"}),
    ("a + a", "a * 2", {"twice"}, {"twice"}),
    ("return a;", "return -a;", NOTHING, {"deep.inner"}),
    ("inner(int", "inner(long", {"deep.inner"}, {"deep.inner"}),
    ("namespace deep", "namespace other", *[{"deep.inner", "other.inner"}] * 2),
    ("LIMIT 3", "LIMIT 4", {"LIMIT"}, {"LIMIT"}),
    ("#if DEBUG", "#if !DEBUG", {"check"}, {"check"}),
    ("SMALL,", "SMALL = 1,", *[{"kind.SMALL", "kind"}] * 2),
    ("LARGE = LIMIT", "LARGE = 2", *[{"kind.LARGE", "kind.HUGE", "kind"}] * 2),
    ("HUGE }", "HUGE, MORE }", *[{"kind.MORE", "kind"}] * 2),
    ("double sum", "float sum", *[{"cart.sum", "cart"}] * 2),
    ("extern int total", "extern long total", {"total"}, {"total"}),
    ("#pragma once", "#pragma pack(1)", {"FRAME"}, {"FRAME"}),
    ("LIST_OF(things)", "LIST_OF(others)", {"FRAME"}, {"FRAME"}),
    ("int n; double", "int n; } double", {"FRAME"}, {"FRAME"}),
]


@pytest.mark.parametrize(("before", "after", "in_source", "in_header"), EDITS)
def test_what_others_see_of_an_edit(
    before: str, after: str, in_source: set[str], in_header: set[str]
):
    assert before in SOURCE
    for path, expected in (("a.cpp", in_source), ("a.h", in_header)):
        assert changed(path, SOURCE, SOURCE.replace(before, after, 1)) == expected


def changed(path: str, before: str, after: str) -> set[str]:
    left, right = read(path, before.encode()), read(path, after.encode())
    if left.frame != right.frame or not (left.is_sound and right.is_sound):
        return {"FRAME"}
    sides: list[defaultdict[str, list[str]]] = []
    for declarations in (left.declarations, right.declarations):
        found: defaultdict[str, list[str]] = defaultdict(list)
        for one in declarations:
            found[f"{one.owner}.{one.name}" if one.owner else one.name].append(one.outside)
        sides.append(found)
    return {name for name in sides[0] | sides[1] if sides[0].get(name) != sides[1].get(name)}


def test_what_others_find_and_what_changes_with_its_type():
    found = {one.name: one for one in read("a.c", SOURCE.encode()).declarations}
    assert found["hidden"].exported == ()
    assert found["buy"].exported == ("buy",)
    assert found["inner"].exported == ("inner",)
    assert (found["SMALL"].exported, found["SMALL"].of_owner) == (("SMALL",), True)
    assert (found["sum"].exported, found["sum"].of_owner) == ((), True)
    header = {one.name: one for one in read("a.h", SOURCE.encode()).declarations}
    assert header["hidden"].exported == ("hidden",)


def test_what_a_declaration_mentions():
    found = read("a.c", b"int f(struct s *a) { return a->b.c + N::d; }").declarations[0]
    assert found.shown == Mentions(frozenset({"int", "f", "struct", "s", "a"}))
    names = frozenset({"return", "a", "b", "N", "d"})  # what is behind an arrow may be a type
    assert found.inner == Mentions(names, frozenset({"b", "c", "d"}))


@pytest.mark.parametrize("text", ["int f() {", "int f() { } }", "struct s {", "int f(int {"])
def test_errors_may_hide_a_declaration(text: str):
    assert not read("a.c", text.encode()).is_sound


@pytest.mark.parametrize(
    "text", ["a = {}, " * 5000, "a::" * 8000, "class a { " * 900, "namespace a { " * 900]
)
def test_long_and_deep_texts_are_read(text: str):
    assert read("a.cc", text.encode()).frame


def test_objective_c_is_seen_as_a_whole():
    before, after = (f"@interface A : B\n- (void){name};\n@end".encode() for name in "xy")
    assert read("a.h", before).frame != read("a.h", after).frame
    assert {"A", "B", "x"} <= read("a.h", before).loose.names


@given(st.text("ab(){};:,=#<>\n\"'/*\\ ", max_size=60))
def test_any_text_is_read(text: str):
    read("a.cc", text.encode())
    read("a.h", b"class A {\n#if X\n" + text.encode())
