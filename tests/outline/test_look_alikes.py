"""Texts that look like something else: what they declare, and that it is what the parser says."""

from __future__ import annotations

import pytest

from tests.support.outline_whole import assert_as_parsed
from understudy.outline.read_outline import outline

FUNCTIONS = {
    "a function": ("go", b"package p\n\nfunc f(a int) (b, c int) {\n\tb := a\n\treturn b, b\n}\n"),
    "a method": ("go", b"package p\n\nfunc (t *T) f(a ...int) {\n\tb := a\n\tg(b, b)\n}\n"),
    "one with parameters of types": (
        "go",
        b"package p\n\nfunc f[K any, V any](a map[K]V) {\n\tb := a\n\tg(b, b)\n}\n",
    ),
    "a generic method": (
        "java",
        (
            b"class A {\n"
            b'    @SuppressWarnings("unchecked")\n'
            b"    public static <T extends B> List<T[]> f(Map<? super T, int[]> a) throws C, D {\n"
            b"        T b = a.get(1);\n"
            b"        return b;\n"
            b"    }\n"
            b"}\n"
        ),
    ),
    "one with annotations above": (
        "java",
        (
            b"class A {\n"
            b"    int a;\n\n"
            b'    @Deprecated(since="(14)")\n'
            b'    @SuppressWarnings({"b", "c"})\n'
            b"    int f(int d) {\n"
            b"        return d + d;\n"
            b"    }\n"
            b"}\n"
        ),
    ),
    "one with an annotation of two lines": (
        "java",
        (
            b"class A {\n"
            b"    @B(c\n"
            b'        = "d")\n'
            b"    int f(int e) {\n"
            b"        return e + e;\n"
            b"    }\n"
            b"}\n"
        ),
    ),
    "a constructor": (
        "java",
        b"class f {\n    protected f() throws A {\n        this.b = 1 + 2;\n    }\n}\n",
    ),
    "a constructor without modifiers": (
        "java",
        b"class f {\n    f(A<B[]> a, int b) {\n        this.a = a + b;\n    }\n}\n",
    ),
    "one with a where clause": (
        "rust",
        (
            b"impl A {\n"
            b"    pub(crate) const unsafe fn f<'a, T>(&'a self, b: (u8, T)) -> &'a u8\n"
            b"    where\n"
            b"        T: Fn(u8) -> u8,\n"
            b"    {\n"
            b"        let c = b.0;\n"
            b"        c + c\n"
            b"    }\n"
            b"}\n"
        ),
    ),
    "one that follows a statement without a semicolon": (
        "javascript",
        (
            b"const a = {\n  b: 1,\n}\n\n"
            b"async function* f(c, ...d) {\n  const e = c + d;\n  return e;\n}\n"
            b"(g)\n"
        ),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_any_form(name: str) -> None:
    language, text = FUNCTIONS[name]
    assert "f" in [entry.name for entry in outline(text, language).entries]
    assert_as_parsed(text, language)


NO_FUNCTION = {
    "in a string": (
        "go",
        b"package p\n\nvar a = `\nfunc no() {\n\tb := 1\n\tg(b, b)\n}\n`\n\nfunc kept() {}\n",
    ),
    "in a comment": (
        "java",
        (
            b"class A {\n"
            b"    /* one {\n"
            b"    int no(int a) {\n"
            b"        return a + a;\n"
            b"    }\n"
            b"    */ int kept;\n"
            b"}\n"
        ),
    ),
    "in a text block": (
        "java",
        (
            b"class A {\n"
            b'    String kept = """\n'
            b"        {\n"
            b"        int no(int a) {\n"
            b"            return a + a;\n"
            b"        }\n"
            b'        """;\n'
            b"}\n"
        ),
    ),
    "in a template": (
        "javascript",
        b"const kept = `{\nfunction no(a) {\n  const b = a;\n  return b;\n}\n`;\n",
    ),
    "in a macro's rule": (
        "rust",
        (
            b"macro_rules! kept {\n"
            b"    () => {\n"
            b"        fn no(a: u8) -> u8 {\n"
            b"            let b = a;\n"
            b"            b + b\n"
            b"        }\n"
            b"    };\n"
            b"}\n"
        ),
    ),
    "in a macro's arguments": (
        "rust",
        (
            b"const kept: u8 = 1;\n"
            b"a! {\n"
            b"    fn no(a: u8) -> u8 {\n"
            b"        let b = a;\n"
            b"        b + b\n"
            b"    }\n"
            b"}\n"
        ),
    ),
    "a constant with a body": (
        "java",
        b"enum A {\n    kept(b, c) {\n        int d = b + c;\n    };\n}\n",
    ),
    "a statement": (
        "java",
        (
            b"class A {\n"
            b"    void kept() {\n"
            b"        class B {}\n"
            b"        if (c) {\n"
            b"            d();\n"
            b"        } else if (no) {\n"
            b"            e(1, 2, 3);\n"
            b"        }\n"
            b"    }\n"
            b"}\n"
        ),
    ),
}


@pytest.mark.parametrize("name", NO_FUNCTION)
def test_what_looks_like_a_function_is_none(name: str) -> None:
    language, text = NO_FUNCTION[name]
    names = [entry.name for entry in outline(text, language).entries]
    assert "kept" in names
    assert "no" not in names
    assert_as_parsed(text, language)


def test_a_type_in_the_head_of_a_function() -> None:
    text = b"package p\n\nfunc f(a interface {\n\tg() int\n\th() int\n}) {\n}\n"
    assert [entry.name for entry in outline(text, "go").entries] == ["f", "g", "h"]
    assert_as_parsed(text, "go")


def test_a_broken_text_keeps_its_functions() -> None:
    text = FUNCTIONS["a generic method"][1].replace(b"class A {", b"class A {\n    int a = ;")
    found = outline(text, "java")
    assert [(e.name, e.start, e.end) for e in found.entries][-1] == ("f", 3, 7)
    assert found.partial


INNER = {
    "before, between and behind": (
        b"def f():\n"
        b'    """Gone 1.\n\n    def gone_2(a)\n    """\n'
        b"    gone_3 = [\n        a,\n    ]\n"
        b"    @kept(\n        b,\n    )\n"
        b"    def inner_1():\n        gone_4(a, b, c)\n"
        b"    gone_5 = g(a, b)\n"
        b"    def inner_2(a):\n        return a\n"
        b"    return gone_6(a, b)\n"
    ),
    "an arm that declares something": (
        b"def f(a):\n"
        b"    gone_1(a, a, a, a)\n"
        b"    if a:\n        kept = 1\n    else:\n        def inner(): return a\n"
        b"    gone_2(a, a, a, a)\n"
    ),
    "a class": (
        b"def f(a):\n"
        b"    gone_1(a, a, a, a)\n"
        b"    class Inner(\n        A,\n    ):\n        kept = 1\n"
        b"    return gone_2(a, a, a, a)\n"
    ),
}
DEEPER = {
    "a function on one line before a deeper line": (
        b"def f(a): return a\nif a:\n    kept = 1\n    kept_too = 2\n"
    ),
    "a string in which a function goes on": (
        b"def f():\n"
        b"    a = '''\n"
        b"    def no(): pass\n"
        b"    b = '''; c(a)\n"
        b"    def inner():\n        return a\n"
    ),
    "a line that goes on": (
        b"def f():\n    a = 1 + \\\n    b\n    def inner():\n        return a\n"
    ),
    "a docstring behind a comment": (
        b'def f(a):\n    # type: (A) -> B\n    """Says it."""\n    a.b()\n'
    ),
    "a comment that is deeper than the body": (
        b"class A:\n    def f(a):\n            # what\n        a.b(a, a)\n\n    kept = 1\n"
    ),
    "a comment that is less deep": (
        b"class A:\n    def f(a):\n        # what\n            a.b(a, a)\n        # less\n\n"
        b"    kept = 1\n"
    ),
    "a docstring that is never closed": (
        b'def f():\n    """Says.\n    a = 1 + 1\n\n\n'
        b'def kept():\n    """Says it."""\n    return 1\n'
    ),
    "tabs": b"def f():\n    a = 1 + 1 + 1\n    def\tinner(a):\n        return a\n",
}


@pytest.mark.parametrize("name", INNER)
def test_what_the_body_of_a_function_declares(name: str) -> None:
    found = outline(INNER[name], "python")
    assert found.complete
    assert len(found.entries) > 1
    assert_as_parsed(INNER[name], "python")


@pytest.mark.parametrize("name", DEEPER)
def test_lines_whose_indents_mislead(name: str) -> None:
    found = outline(DEEPER[name], "python")
    assert "f" in [entry.name for entry in found.entries]
    assert_as_parsed(DEEPER[name], "python")
