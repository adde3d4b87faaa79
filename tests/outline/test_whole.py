"""An outline is what the parser says of the whole text, wherever it understands that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.outline_corpus import ALL, CSHARP, RUBY, SQLITE, BigFile
from tests.support.outline_samples import LANGUAGES, SAMPLES
from tests.support.outline_whole import assert_as_parsed
from understudy.outline.read_outline import outline

BODY = {
    "python": (b"def f(a):\n    b = a + 1\n    return [b, b, b]\n"),
    "ruby": (b"# a\ndef f(a)\n  b = a + 1\n  return [b, b, b]\nend\n"),
    "bash": (b"f() {\n    local a=1\n    echo one two three four\n}\n"),
    "c": (
        b"int f(int a)\n"
        b"{\n"
        b"    int b = a + 1;\n"
        b"#if A\n"
        b"    if (b) {\n"
        b"#else\n"
        b"    if (a) {\n"
        b"#endif\n"
        b"    }\n"
        b"}\n"
    ),
    "cpp": (b"int A::f(int a) const {\n    int b = a + 1;\n    return b + b + b;\n}\n"),
    "java": (
        b"class A {\n"
        b"    int f(int a) throws E {\n"
        b"        int b = a + 1;\n"
        b"        return b + b;\n"
        b"    }\n"
        b"}\n"
    ),
    "csharp": (
        b"class A\n"
        b"{\n"
        b"    int F(int a)\n"
        b"    {\n"
        b"        int b = a + 1;\n"
        b"        return b + b;\n"
        b"    }\n"
        b"}\n"
    ),
    "go": (b"func f(a int) int {\n\tb := a + 1\n\treturn b + b + b\n}\n"),
    "rust": (b"fn f(a: u8) -> u8 {\n    let b = a + 1;\n    b + b + b + b\n}\n"),
    "javascript": (b"function f(a) {\n  const b = a + 1;\n  return b + b + b;\n}\n"),
    "typescript": (b"const f = (a: number): number => {\n  const b = a + 1;\n  return b + b;\n}\n"),
    "tsx": (b"function f(a: number): Promise<void> {\n  const b = a + 1;\n  return b + b;\n}\n"),
    "php": (b"<?php\nfunction f($a): int\n{\n    $b = $a + 1;\n    return $b + $b + $b;\n}\n"),
}
HOLDERS = {
    "an enum constant with a body": (
        "java",
        (
            b"enum E {\n"
            b"    FIRST(1) {\n"
            b"        int of(int a) {\n"
            b"            return a + 1;\n"
            b"        }\n"
            b"    };\n"
            b"}\n"
        ),
        "of",
    ),
    "a record": (
        "java",
        (
            b"record Pair(int a, int b) {\n"
            b"    int sum = 1 + 2 + 3 + 4;\n"
            b"    int c() { return 1; }\n"
            b"}\n"
        ),
        "c",
    ),
    "an anonymous class": (
        "java",
        (
            b"class A {\n"
            b"    void f() {\n"
            b"        g(new B() {\n"
            b"            public void run() {}\n"
            b"        });\n"
            b"    }\n"
            b"}\n"
        ),
        "run",
    ),
    "a class over what a call gives": (
        "typescript",
        b"class A extends make({\n  b: 1\n}) {\n  static first = 1\n  static second = 2\n}\n",
        "second",
    ),
    "a type behind an arrow": (
        "typescript",
        (
            b"export const f: (a: A) => {\n"
            b"  readonly first: string\n"
            b"  readonly second: string\n"
            b"} = g\n"
        ),
        "second",
    ),
    "a method of an object": (
        "javascript",
        b"function f() {\n  return {\n    method(a) {\n      return a;\n    },\n  };\n}\n",
        "method",
    ),
    "a local function": (
        "csharp",
        (
            b"class A\n"
            b"{\n"
            b"    void F()\n"
            b"    {\n"
            b"        int Local(int a)\n"
            b"        {\n"
            b"            return a;\n"
            b"        }\n"
            b"    }\n"
            b"}\n"
        ),
        "Local",
    ),
    "a packed struct": (
        "c",
        (
            b"struct __attribute__((packed)) {\n"
            b"    int first;\n"
            b"    int second;\n"
            b"    int third;\n"
            b"} packed;\n"
        ),
        "third",
    ),
    "a struct in a function": (
        "c",
        b"int f(void) {\n    struct inner {\n        int member;\n    };\n    return 0;\n}\n",
        "inner",
    ),
    "a type of a function's": (
        "go",
        b"func f() {\n\ttype inner struct {\n\t\tmember int\n\t}\n}\n",
        "inner",
    ),
    "an interface without a name in a function": (
        "go",
        (
            b"func f(err error) bool {\n"
            b"\t_, ok := err.(interface {\n\t\tMarked() bool\n\t})\n"
            b"\treturn ok\n"
            b"}\n"
        ),
        "Marked",
    ),
    "a method in a type in a function": (
        "typescript",
        b"function f(a: unknown) {\n  const b = a as {\n    method(c: C): D;\n  };\n  g(b);\n}\n",
        "method",
    ),
    "an item of a function's": (
        "rust",
        b"fn f() {\n    let a = 1 + 1;\n    fn inner(a: u8) -> u8 {\n        a\n    }\n}\n",
        "inner",
    ),
    "a nested def": (
        "python",
        b"def f():\n    a = 1 + 1 + 1\n    def inner():\n        return a\n    return inner\n",
        "inner",
    ),
    "a def behind a signature that looks like a body": (
        "python",
        b"def f(a,  # what:\n      b, c, d, e, g, h):\n    def inner():\n        return a\n",
        "inner",
    ),
    "a string that ends deeper than it began": (
        "python",
        b'X = """\ndef no():\n    some text in a string"""\n\n\ndef yes():\n    return 1\n',
        "yes",
    ),
    "a function whose brace is missing": (
        "cpp",
        (
            b"class A {\n"
            b" public:\n"
            b"  A() {\n"
            b"  virtual ~A() = default;\n"
            b"  int kept() { return 1; }\n"
            b" private:\n"
            b"  int b;\n"
            b"};\n"
        ),
        "kept",
    ),
    "indents of blanks and tabs": (
        "c",
        (
            b"int f(void) {\n"
            b"        if (a) {\n"
            b"          b();\n"
            b"\t}\n"
            b"        c();\n"
            b"}\n"
            b"\n"
            b"int after(void) { return 0; }\n"
        ),
        "after",
    ),
}


@pytest.mark.parametrize("language", BODY)
def test_a_function_with_a_body(language: str) -> None:
    assert_as_parsed(BODY[language], language)
    entries = outline(BODY[language], language).entries
    assert "f" in [entry.name.lower().rpartition(":")[2] for entry in entries]


NOTHING_DECLARED = {
    "python": b'"""Call it so:\n\ndef example():\n    return 1\n\nclass Other:\n    pass\n"""\n',
    "go": b"/*\nRead every\ntype file struct {\n} so:\nfunc example() {\n}\n*/\npackage doc\n",
    "javascript": b"/*\nfunction example() {\n}\nclass Other {\n}\n*/\nexport {};\n",
}


@pytest.mark.parametrize("language", NOTHING_DECLARED)
def test_what_a_comment_or_a_string_shows_is_no_declaration(language: str) -> None:
    text = NOTHING_DECLARED[language]
    assert_as_parsed(text, language)
    found = outline(text, language)
    assert {entry.kind for entry in found.entries} == {"section"}
    assert "no declarations: blocks of lines instead" in found.notes


def test_a_body_that_begins_with_a_conditional() -> None:
    text = b"int f(int a) {\n  /* b */\n#ifdef C\n  if( D(a) ){\n    g();\n  }\n#endif\n}\nint h;\n"
    assert [(e.name, e.start, e.end) for e in outline(text, "c").entries] == [
        ("f", 1, 8),
        ("h", 9, 9),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        b"if (typeof a === 'function') b();",
        b"b('is a function or not');",
        b"b(); // where a function is called",
        b'b("function");',
        b"b(c => c + 1);",
        b"b(c, async (d, { e }) => {\n    g(d);\n  });",
        b"b(\n    c,\n    function (d) { return d; },\n  );",
        b"return b.map((c) => c.d).filter((c) => c.e);",
    ],
)
def test_a_word_in_a_text_or_an_argument_is_no_function(statement: bytes) -> None:
    text = b"function f(a) {\n  " + statement + b"\n  return a;\n}\n"
    assert [entry.name for entry in outline(text, "javascript").entries] == ["f"]
    assert_as_parsed(text, "javascript")


@pytest.mark.parametrize(
    "function",
    [
        b"const inner = (b) => b;",
        b"const inner = useCallback((b) => {\n    g(b);\n  });",
        b"const inner =\n    useCallback(function (b) {\n    g(b);\n  });",
        b"const inner = useCallback(\n    (b) => b,\n  );",
        b"const inner = g\n    .map((b) => b);",
        b"g(a, { inner: (b) => b });",
        b"g(a, { inner(b) { return b; } });",
        b"g((b) => {\n    const inner = () => b;\n  });",
        b"function inner() {}",
        b"async function* inner() {}",
        b"g(function\n  inner() {});",
        b"g(function /* named */ inner() {});",
        b"b('function'); function inner() {}",
    ],
)
def test_a_function_in_a_function_is_listed(function: bytes) -> None:
    text = b"function f(a) {\n  " + function + b"\n  return a;\n}\n"
    assert [entry.name for entry in outline(text, "javascript").entries][:2] == ["f", "inner"]
    assert_as_parsed(text, "javascript")


@pytest.mark.parametrize("name", HOLDERS)
def test_what_holds_declarations(name: str) -> None:
    language, text, declared = HOLDERS[name]
    assert declared in [entry.name for entry in outline(text, language).entries]
    assert_as_parsed(text, language)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_samples(sample: Path) -> None:
    assert_as_parsed(sample.read_bytes(), LANGUAGES[sample.suffix])


IN_STRINGS = {
    "a variable": b"const a = `\ndeclare var b: {\n  c: C;\n  d: D;\n};\n`;\nfunction kept() {}\n",
    "an interface": b"const a = `\ninterface A {\n  b: B;\n  c: C;\n}\n`;\nfunction kept() {}\n",
    "a comment": b"const a = `\n/*\n`;\nfunction kept() {}\n/* b */\nfunction too() {}\n",
    "two comments": b"const a = `\n// b`;\nfunction kept() {}\nconst c = `\n// d`;\n",
}


@pytest.mark.parametrize("name", IN_STRINGS)
def test_strings_are_no_declarations(name: str) -> None:
    text = IN_STRINGS[name]
    found = outline(text, "typescript")
    assert "kept" in [entry.name for entry in found.entries]
    assert_as_parsed(text, "typescript")


REAL = [file for file in (*ALL, *CSHARP, *RUBY) if file is not SQLITE]


@pytest.mark.real
@pytest.mark.parametrize("file", REAL, ids=lambda file: file.ending)
def test_real_files(file: BigFile) -> None:
    assert_as_parsed(file.path.read_bytes(), file.language)


def test_a_directive_before_a_head_does_not_give_it_its_indent() -> None:
    """Where tabs stand for eight blanks, the lines behind a body may look deeper than it."""
    body = b"\n      int\n      %s(int a)\n      {\n\treturn a;\n      }\n"
    inner = b"#if A" + body % b"one" + b"#endif\n" + body % b"two" + b"#if A" + body % b"three"
    text = b"namespace shop\n{\n" + inner + b"#endif\n}\n"
    entries = outline(text, "cpp").entries
    assert [entry.name for entry in entries] == ["shop", "one", "two", "three"]
