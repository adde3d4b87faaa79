"""Functions read off their heads: the same entries as the parser gives, and no others."""

from __future__ import annotations

import pytest

from tests.support.outline_whole import told, whole
from understudy.outline.hollow import hollow
from understudy.outline.languages import LANGUAGES
from understudy.outline.read_outline import outline

PLAIN = {
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


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_function_is_not_parsed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    language, text = PLAIN[name]
    hollowed = hollow(text, LANGUAGES[language])
    assert [function.name for function in hollowed.plain_functions] == [b"f"]
    assert b"f(" not in hollowed.text
    assert told(outline(text, language)) == told(whole(text, language, monkeypatch))


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
def test_what_looks_like_a_function_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    language, text = NO_FUNCTION[name]
    found = outline(text, language)
    names = [entry.name for entry in found.entries]
    assert "kept" in names
    assert "no" not in names
    assert told(found) == told(whole(text, language, monkeypatch))


def test_a_type_in_a_head_is_read_by_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"package p\n\nfunc f(a interface {\n\tg() int\n\th() int\n}) {\n}\n"
    found = outline(text, "go")
    assert [entry.name for entry in found.entries] == ["f", "g", "h"]
    assert told(found) == told(whole(text, "go", monkeypatch))


def test_a_broken_text_is_parsed_with_its_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PLAIN["a generic method"][1].replace(b"class A {", b"class A {\n    int a = ;")
    found = outline(text, "java")
    assert [(e.name, e.start, e.end) for e in found.entries][-1] == ("f", 3, 7)
    assert found.partial
    assert told(found) == told(whole(text, "java", monkeypatch))
