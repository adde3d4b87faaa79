"""What a preprocessor or a shell would take away is bridged, and hides nothing."""

from __future__ import annotations

import pytest

from understudy.outline.languages import LANGUAGES
from understudy.outline.model import Outline
from understudy.outline.read_outline import outline
from understudy.outline.show.render import understood

CPP = """
U_NAMESPACE_BEGIN

template < typename T, detail::enable_if_t <
               !detail::is_basic<T>::value && sizeof(T) < 8, int > = 0 >
class API_EXPORT Store {
  PRIVATE_UNLESS_TESTED:
    using Key = int;
    static Store* U_EXPORT2 create(UErrorCode&);
    int size() const API_READONLY;
    void fill(int n, const Store* = nullptr, List values = {});

    template < typename V, typename std::enable_if <
#if defined(HAS_17)
                   negation<std::is_same<V, std::any>>,
#endif
                   true >::type = 0 >
    operator V() const;
    API_RETURNS_NON_NULL
    char* name();
    enum : unsigned { Few = 4 };
};

#ifdef __cplusplus
extern "C" {
#endif
PyAPI_FUNC(int) Store_Check(PyObject *);
PR_EXTERN(void)
Store_Free(void *);
extern int feraise(int excepts) __THROW __nonnull ((1));
static API_WSD struct Hooks {
  void (*begin)(void);
} hooks = { 0 };
static const int options[] = {
#ifdef A
  1,
#endif
#ifdef B
  2
#endif
};
#define CHECK(a, b) do { \\
    if( a ) { /* odd ' */ \\
  } while (0)
#ifdef __cplusplus
}
#endif
U_NAMESPACE_END
"""
CPP_NAMES = [
    "Store", "Key", "create", "size", "fill", "V", "name", "Few", "Store_Check", "Store_Free",
    "feraise", "Hooks", "begin", "hooks", "options", "CHECK",
]  # fmt: skip

BASH = """
first() {
    if [[ $cur =~ ^(\\$\\{[#!]?)([A-Za-z0-9_]*)\\[([^]]*)$ ]]; then
        echo "${host%]?(:+([0-9]))}"
    fi
}
second() {
    while [[ $line =~ \\
        ((^|[^-])-[A-Za-z]+)\\[? ]]; do
        option=${option/[<{().[]*/}
    done
}
for name in $folder/!($ignored); do
    echo $name
done
third() {
    echo
}
"""


def names(found: Outline) -> list[str]:
    return [entry.name for entry in found.entries]


def test_what_stands_for_macros_and_arms_is_understood_whole() -> None:
    found = outline(CPP.encode(), "cpp")
    assert "PARTIAL" not in understood(found), understood(found)
    there = [name.split()[-1] for name in names(found)]
    assert [name for name in CPP_NAMES if name not in there] == [], there
    lines = CPP.splitlines()
    for entry in found.entries:
        if entry.name != "imports":
            assert entry.name.split()[-1] in lines[entry.name_line - 1], entry
    wrong = {"int", "void", "PyAPI_FUNC", "PR_EXTERN", "U_EXPORT2", "__THROW", "API_WSD"}
    assert not wrong & set(there)


def test_patterns_of_shells_open_no_brackets() -> None:
    found = outline(BASH.encode(), "shellscript")
    assert "PARTIAL" not in understood(found), understood(found)
    assert names(found) == ["first", "second", "third"]
    assert [(entry.start, entry.end) for entry in found.entries] == [(2, 6), (7, 12), (16, 18)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("enum Only {\n  ONLY_ONE\n};\nint f(int API_MACRO a b);\n", "ONLY_ONE"),
        ("PR_NOTHING\nPL_Free(void *p);\nint x y z;\n", "PL_Free"),
        ("#ifdef A\nvoid f(int a)\n#else\nvoid g(int a)\n#endif\n{ a(); }\nint h(;\n", "g"),
        ("int a[] = {\n#define INNER 3\n  INNER,\n};\nint b c d;\n", "INNER"),
        ("int sized = sizeof(int) API_SIZE;\nint b c d;\n", "sized"),
    ],
)
def test_nothing_that_declares_is_taken_away(text: str, kept: str) -> None:
    """Each text is broken besides, so that it is read with the rare gaps bridged."""
    found = outline(text.encode(), "cpp")
    assert kept in names(found) or "PARTIAL" in understood(found), names(found)


TORN = """
#ifdef FAST

namespace shop STORE_VISIBLE(default)
{
STORE_BEGIN_VERSION

  template<typename T>
    class box
    {
      int first(int a) { return a; }
    };

#define STORE_HAS_BOX 1
  template<typename T>
    void fill(T a)
    {
      int b = a;
    }

  int last(int a);

STORE_END_VERSION
} // namespace shop

#endif
"""


def test_what_begins_in_one_region_and_ends_in_another_is_kept() -> None:
    """The lines between are understood without, so that they are not looked at again."""
    found = outline(TORN.encode(), "cpp")
    assert "PARTIAL" not in understood(found), understood(found)
    assert names(found) == ["shop", "box", "first", "STORE_HAS_BOX", "fill", "last"]
    assert (found.entries[0].start, found.entries[0].end) == (4, 24)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("int ok(int a b);\n\nDEFINE_STACK(Item, const Item)\n#define take(x) (x)\n", 3),
        ("DEFINE_STACK(Item,\n  const Item)\n\n#define take(x) (x)\nint ok(int a b);\n", 1),
        ("#if A\nint a;\n#else\nint f(\n#endif\nint g(void);\n", 4),
        ("enum Kind {\n  A\n#if B\n  , C\n#else\n  D\n#endif\n};\nint x y z;\n", 6),
    ],
)
def test_what_a_bridge_takes_away_is_told_if_it_may_declare(text: str, line: int) -> None:
    found = outline(text.encode(), "cpp")
    assert any(first <= line <= last for first, last in found.partial), found.partial


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("int (*get(const M *m))(B *, int);\n", "prototype"),
        ("M *(*get(C *c))(int);\n", "prototype"),
        ("char *(*get(int a))(int) {\n  return 0;\n}\n", "function"),
        ("void (*get)(int);\n", "variable"),
        ("class A {\n  T* const& get() const { return t; }\n};\n", "method"),
        ("class A {\n  T*& get();\n};\n", "method"),
        ("class A {\n  T** get();\n};\n", "method"),
    ],
)
def test_declarators_of_any_shape_have_a_name(text: str, kind: str) -> None:
    found = outline(text.encode(), "cpp")
    assert [entry.kind for entry in found.entries if entry.name == "get"] == [kind]


@pytest.mark.parametrize("name", [name for name, known in LANGUAGES.items() if known.rare_gaps])
def test_what_stands_for_a_gap_is_as_long(name: str) -> None:
    sample = b"\n" + CPP.encode() + BASH.encode()
    text = sample
    for pattern, replacement in LANGUAGES[name].with_rare_gaps.gaps:
        text = pattern.sub(replacement, text)
        assert len(text) == len(sample), pattern
    assert text != sample


ENDLESS = (
    "template < ", "A_B(", "x = {", "#if A", ") A_B ", "A_B ", "[[ a == ", "${a%", "@(", "a, \\",
    "#define A \\", "int a[] = {\n  1,", "namespace a ", "#endif", "f() {", "  A_B:", "",
)  # fmt: skip


@pytest.mark.parametrize("name", ["cpp", "bash"])
@pytest.mark.parametrize("begun", ENDLESS)
def test_no_pattern_looks_for_ever_for_an_end(name: str, begun: str) -> None:
    text = b"\n#if A\nint f(\n" + (begun + "\n").encode() * 800 + begun.encode() * 800
    for pattern, replacement in LANGUAGES[name].with_rare_gaps.gaps:
        text = pattern.sub(replacement, text)  # one that doubled its work with a line would hang
    assert outline(text, name).n_bytes == len(text)
