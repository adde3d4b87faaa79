"""Forms of silencing in each language, and what only looks like one: (path, before, after, how)."""

from __future__ import annotations

_PY = "import os\nx = f()\n"
_TS = "const x = f();\n"
_GO = "package a\n\nfunc f() int { return g() }\n"
_RS = "fn f() -> i32 { g() }\n"
_CPP = "int f() { return g(); }\n"
_PY_TEST = """\
import m

def test_a():
    assert m.f() == 1

def test_b():
    assert m.g() == 2
"""
_TS_TEST = """\
it("adds", () => {
  expect(f(1)).toBe(2);
});
it("takes", () => {
  expect(g(3)).toBe(2);
});
"""
_GO_TEST = 'package a\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error("no")\n\t}\n}\n'
_RS_TEST = "#[test]\nfn adds() {\n    assert_eq!(f(), 1);\n}\n"


def _py(line: str) -> tuple[str, str, str]:
    return "a.py", _PY, f"import os\n{line}\n"


def _ts(text: str) -> tuple[str, str, str]:
    return "a.ts", _TS, text


TOLD: list[tuple[tuple[str, str, str], str]] = [
    # Python
    (_py("x = f()  # type: ignore"), "comment"),
    (_py("x = f()  # type: ignore[attr-defined]"), "comment"),
    (_py("x = f()  # later # type: ignore"), "comment"),
    (_py("x = f()  # pyright: ignore"), "comment"),
    (_py("x = f()  # pyright: ignore[reportCallIssue]"), "comment"),
    (_py("x = f()  # ty: ignore[unresolved-reference]"), "comment"),
    (_py("x = f()  # noqa"), "comment"),
    (_py("x = f()  # NOQA: E501,F401"), "comment"),
    (_py("x = f()  # pylint: disable=no-member"), "comment"),
    (_py("x = f()  # nosec B101"), "comment"),
    (("a.py", _PY, "# pyright: basic\n" + _PY), "comment"),
    (("a.py", _PY, "# mypy: ignore-errors\n" + _PY), "comment"),
    (("a.py", _PY, "# ruff: noqa: F401\n" + _PY), "comment"),
    (("a.py", _PY, "# pyright: strict, reportMissingImports=false\n" + _PY), "comment"),
    (("a.py", "x = f()  # noqa: E501\n", "x = f()  # noqa: E501, F401\n"), "comment"),
    (("a.py", "x = f()  # noqa: E501\n", "x = f()  # noqa\n"), "comment"),
    (_py("x = cast(Any, f())"), "cast"),
    (_py('x = typing.cast("Any", f())'), "cast"),
    (_py("x: Any = f()"), "cast"),
    (_py("def g(a: Any, b: int) -> int: ..."), "cast"),
    (_py("def g(a: int) -> Any: ..."), "cast"),
    (_py("x = f()  # type: Any"), "cast"),
    (("test_a.py", _PY_TEST, _PY_TEST.replace("def test_a", "@pytest.mark.skip\ndef test_a")),
     "skipped-test"),
    (("test_a.py", _PY_TEST, _PY_TEST.replace("def test_a", "@mark.xfail(x)\ndef test_a")),
     "skipped-test"),
    (("test_a.py", _PY_TEST,
      _PY_TEST.replace("def test_a", '@unittest.skipIf(x, "y")\ndef test_a')), "skipped-test"),
    (("test_a.py", _PY_TEST,
      _PY_TEST.replace("    assert m.f", '    pytest.skip("x")\n    assert m.f')),
     "skipped-test"),
    (("test_a.py", _PY_TEST, _PY_TEST.replace("assert m.f() == 1", "pass")), "emptied-test"),
    (("test_a.py", _PY_TEST, _PY_TEST.replace("assert m.f() == 1", "m.f()")), "emptied-test"),
    (("test_a.py", _PY_TEST, _PY_TEST.split("def test_b", maxsplit=1)[0]), "deleted-test"),
    (("test_a.py", _PY_TEST, ""), "deleted-test"),
    # TypeScript and JavaScript
    (_ts("// @ts-ignore\n" + _TS), "comment"),
    (_ts("// @ts-expect-error: later\n" + _TS), "comment"),
    (_ts("// @ts-nocheck\n" + _TS), "comment"),
    (_ts("/* eslint-disable */\n" + _TS), "comment"),
    (_ts("// eslint-disable-next-line no-undef -- it is there\n" + _TS), "comment"),
    (_ts("const x = f(); // eslint-disable-line\n"), "comment"),
    (_ts("/* eslint no-undef: 0 */\n" + _TS), "comment"),
    (_ts("// biome-ignore lint/a: b\n" + _TS), "comment"),
    (_ts("const x = f() as any;\n"), "cast"),
    (_ts("const x = f() as unknown as T;\n"), "cast"),
    (_ts("const x = <any>f();\n"), "cast"),
    (_ts("const x: any = f();\n"), "cast"),
    (_ts("function g(a: any) {}\n"), "cast"),
    (("a.tsx", _TS, "const x = <p>{/* @ts-ignore */ f()}</p>;\n"), "comment"),
    (("a.js", _TS, "/** @type {any} */\n" + _TS), "cast"),
    (("a.test.ts", _TS_TEST, _TS_TEST.replace('it("adds', 'it.skip("adds')), "skipped-test"),
    (("a.test.ts", _TS_TEST, _TS_TEST.replace('it("adds', 'it.only("adds')), "skipped-test"),
    (("a.test.ts", _TS_TEST, _TS_TEST.replace('it("adds', 'xit("adds')), "skipped-test"),
    (("a.test.ts", _TS_TEST, f'test.todo("b");\n{_TS_TEST}'), "skipped-test"),
    (("a.test.ts", _TS_TEST, _TS_TEST.replace("expect(f(1)).toBe(2);", "")), "emptied-test"),
    (("a.test.ts", _TS_TEST, _TS_TEST.split('it("takes', maxsplit=1)[0]), "deleted-test"),
    # Go
    (("a.go", _GO, _GO.replace("g() }", "g() } //nolint:errcheck")), "comment"),
    (("a.go", _GO, _GO.replace("func f", "//lint:ignore SA4006 why\nfunc f")), "comment"),
    (("a_test.go", _GO_TEST, _GO_TEST.replace("\tif f", '\tt.Skip("x")\n\tif f')), "skipped-test"),
    (("a_test.go", _GO_TEST, "package a\n\nfunc TestA(t *testing.T) {\n}\n"), "emptied-test"),
    (("a_test.go", _GO_TEST, "package a\n"), "deleted-test"),
    # Rust
    (("a.rs", _RS, "#[allow(dead_code)]\n" + _RS), "comment"),
    (("a.rs", _RS, "#![allow(clippy::all)]\n" + _RS), "comment"),
    (("a.rs", _RS, "#[expect(unused)]\n" + _RS), "comment"),
    (("a.rs", _RS, "#[cfg_attr(test, allow(unused))]\n" + _RS), "comment"),
    (("a.rs", _RS_TEST, "#[ignore]\n" + _RS_TEST), "skipped-test"),
    (("a.rs", _RS_TEST, _RS_TEST.replace("assert_eq!(f(), 1);", "")), "emptied-test"),
    (("a.rs", _RS_TEST, "fn f() {}\n"), "deleted-test"),
    # C and C++
    (("a.cpp", _CPP, _CPP.replace("g(); }", "g(); } // NOLINT")), "comment"),
    (("a.cpp", _CPP, "// NOLINTNEXTLINE(bugprone-x)\n" + _CPP), "comment"),
    (("a.c", _CPP, '#pragma GCC diagnostic ignored "-Wall"\n' + _CPP), "comment"),
    (("a.c", _CPP, "#pragma warning(disable: 4996)\n" + _CPP), "comment"),
    # the others
    (("a.sh", "echo $x\n", "# shellcheck disable=SC2086\necho $x\n"), "comment"),
    (("a.css", "a { color: red }\n", "/* stylelint-disable */\na { color: red }\n"), "comment"),
]  # fmt: skip

SETTINGS: list[tuple[str, str, str]] = [
    ("pyproject.toml", "[tool.ruff]\n", '[tool.ruff]\nignore = ["E501"]\n'),
    ("pyproject.toml", '[tool.ruff.lint]\nselect = ["E", "F"]\n',
     '[tool.ruff.lint]\nselect = ["E"]\n'),
    ("pyproject.toml", "", '[tool.ruff.lint.per-file-ignores]\n"a.py" = ["F401"]\n'),
    ("ruff.toml", 'exclude = ["a"]\n', 'exclude = ["a", "b"]\n'),
    ("pyproject.toml", "[tool.pyright]\n", '[tool.pyright]\ntypeCheckingMode = "basic"\n'),
    ("pyproject.toml", "", "[tool.basedpyright]\nreportCallIssue = false\n"),
    ("pyrightconfig.json", '{"strict": ["src"]}', "{}"),
    ("pyrightconfig.json", "{}", '{"reportCallIssue": "none", /* later */ }'),
    ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\n"),
    ("mypy.ini", "[mypy]\n", "[mypy]\n[mypy-a.*]\nignore_errors = True\n"),
    ("pyproject.toml", "[tool.mypy]\n", '[tool.mypy]\ndisable_error_code = ["misc"]\n'),
    ("setup.cfg", "[flake8]\nignore = E1\n", "[flake8]\nignore = E1,E2\n"),
    ("tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"compilerOptions": {"strict": false}}'),
    ("tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"compilerOptions": {"strict": true, "noImplicitAny": false}}'),
    ("tsconfig.json", '{"compilerOptions": {}}', '{"compilerOptions": {"skipLibCheck": true}}'),
    ("tsconfig.build.json", '{"exclude": []}', '{"exclude": ["src/a.ts"]}'),
    (".eslintrc.json", '{"rules": {"no-undef": "error"}}', '{"rules": {"no-undef": "off"}}'),
    (".eslintrc.yml", "rules:\n  no-undef: 2\n", "rules:\n  no-undef: [1, never]\n"),
    ("eslint.config.js", "export default [{}];\n",
     'export default [{rules: {"no-undef": "off"}}];\n'),
    (".eslintignore", "a\n", "a\nb\n"),
    ("Cargo.toml", "", '[lints.clippy]\nunwrap_used = "allow"\n'),
    ("Cargo.toml", '[lints.rust]\nunused = "deny"\n',
     '[lints.rust]\nunused = { level = "allow" }\n'),
    (".golangci.yml", "linters:\n  enable: [errcheck]\n", "linters:\n  disable: [errcheck]\n"),
    (".clang-tidy", "Checks: 'bugprone-*'\n", "Checks: 'bugprone-*,-bugprone-x'\n"),
    ("biome.json", "{}", '{"linter": {"enabled": false}}'),
]  # fmt: skip

_IGNORED = "x = f(a, b)  # type: ignore[arg-type]\n"

LOOK_ALIKES: list[tuple[str, str, str]] = [
    ("a.py", _PY, 'import os\nx = "# type: ignore"\n'),
    ("a.py", _PY, 'def f():\n    """Put `# noqa` there.\n\n    # type: ignore\n    """\n'),
    ("a.py", _PY, "# a type: ignore comment would hide it\nx = f()\n"),
    ("a.py", _PY, "# we say noqa nowhere\nx = f()\n"),
    ("a.py", _PY, "x = f()  # fmt: skip\n# fmt: off\ny = 1\n"),
    ("a.py", _PY, "x = f()  # type: int\n"),
    ("a.py", _PY, "# pyright: strict\n" + _PY),
    ("a.py", _PY, "x: dict[str, Any] = f()\ny = cast(int, z)\n"),
    ("a.py", _PY, "def g(*args: Any, **kwargs: Any): ...\n"),
    ("a.py", _PY, "x = skip(f())\nmark.skipped = 1\n"),
    ("a.py", _IGNORED, "\n\n" + _IGNORED),
    ("a.py", _IGNORED, "if y:\n    " + _IGNORED),
    ("a.py", _IGNORED, "x = f(  # type: ignore[arg-type]\n    a, b,\n)\n"),
    ("a.py", "x = f(\n    a, b\n)  # type: ignore[arg-type]\n", _IGNORED),
    ("a.py", _IGNORED, _IGNORED.replace("a, b", "a, c")),
    ("a.py", _IGNORED, _IGNORED.replace("[arg-type]", "  [arg-type]")),
    ("a.py", "x = f()  # type: ignore\n", "x = f()  # type: ignore[misc]\n"),
    ("a.py", "x = f()  # type: ignore[misc]\n", "x = f()  # pyright: ignore[reportX]\n"),
    ("a.py", "x = f()  # noqa: E501, F401\n", "x = f()  # noqa: F401\n"),
    ("a.py", "def g(a: Any) -> int: ...\n", "def g(\n    a: Any,\n    b: int,\n) -> int: ...\n"),
    ("a.py", "def g(a: typing.Optional[typing.Any] = None): ...\n",
     "def g(a: typing.Any | None = None): ...\n"),
    ("a.py", "x: t.Optional[t.Union[int, t.Any]] = f()\n", "x: int | t.Any | None = f()\n"),
    ("a.py", _PY, "x: dict[str, int | Any] = f()\ny: Callable[..., Any] | None = g()\n"),
    ("test_a.py", _PY_TEST, _PY_TEST.replace("test_a", "test_one")),
    ("test_a.py", _PY_TEST, _PY_TEST.replace("m.f() == 1", "m.f() == 2")),
    ("test_a.py", _PY_TEST, _PY_TEST.replace("assert m.f() == 1", "check(m.f(), 1)")),
    ("test_a.py", _PY_TEST, _PY_TEST.replace("assert m.g() == 2", "assert m.g( == 2\n  def")),
    ("a.py", _PY_TEST, ""),
    ("a.ts", _TS, 'const x = "// @ts-ignore";\n'),
    ("a.ts", _TS, "const x = `/* eslint-disable */`;\n"),
    ("a.ts", _TS, "// there was an @ts-ignore here\n" + _TS),
    ("a.ts", _TS, "/* eslint-enable */\n/* istanbul ignore next */\n" + _TS),
    ("a.ts", _TS, "const x = f() as T; const y: Map<string, any> = z!;\n"),
    ("a.ts", _TS, "const any = 1; fit(any); model.only();\n"),
    ("a.ts", "// @ts-ignore\n" + _TS, "// @ts-expect-error\n" + _TS),
    ("a.test.ts", _TS_TEST, _TS_TEST.replace('"adds"', '"adds two"')),
    ("a.go", _GO, _GO + '\nvar s = "//nolint"\n// nobody uses nolint here\n'),
    ("a.go", _GO, "package a\n\nfunc f(x any) interface{} { _ = x; return g() }\n"),
    ("a.rs", _RS, '// #[allow(dead_code)]\nconst S: &str = "#[ignore]";\n' + _RS),
    ("a.rs", _RS, "#[deny(unused)]\nfn f() -> i32 { unsafe { g().unwrap() } }\n"),
    ("a.rs", "#[allow(clippy::stutter)]\n" + _RS,
     "#[allow(clippy::module_name_repetitions)]\n" + _RS),
    ("a_test.go", "package a\n\nfunc TestPanicIfErr(t *testing.T) {\n\tcheck(t, a, b, c)\n}\n",
     "package a\n\nfunc TestPanicErr(t *testing.T) {\n\tcheck(t, d, e, f)\n}\n"),
    ("a.cpp", _CPP, 'const char *s = "NOLINT";\nint f() { (void)s; return (int)g(); }\n'),
    ("a.c", _CPP, "#pragma once\n#pragma GCC diagnostic push\n" + _CPP),
    ("a.sh", "echo $x\n", "# run shellcheck first\necho '# shellcheck disable=SC2086'\n"),
    ("pyproject.toml", '[tool.ruff]\nignore = ["E1"]\n',
     '[tool.ruff.lint]\nignore = [\n  "E1",\n]\n'),
    ("pyproject.toml", '[tool.ruff]\nignore = ["E1", "E2"]\n', '[tool.ruff]\nignore = ["E2"]\n'),
    ("pyproject.toml", '[tool.ruff]\nselect = ["E", "F"]\n', '[tool.ruff]\nselect = ["ALL"]\n'),
    ("pyproject.toml", "", "[tool.other]\nignore = ['E1']\nstrict = false\n"),
    ("pyproject.toml", "[tool.ruff]\n", "[tool.ruff\nignore = ['E1']\n"),
    ("tsconfig.json", "{}", '{"compilerOptions": {"strict": true}}'),
    ("tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"compilerOptions": {"strict": true,}}'),
    ("Cargo.toml", "", '[lints.rust]\nunused = "deny"\n'),
    (".golangci.yml", "linters:\n  enable: [a, b]\n",
     "linters:\n  enable: [a]\nformatters:\n  enable: [b]\n"),
    ("a_test.go", "// +build linux\n\n" + _GO_TEST, "//go:build linux\n// +build linux\n\n"
     + _GO_TEST),
    ("conftest.py", "", "def pytest_collection_modifyitems(items):\n    items.sort()\n"),
    ("setup.cfg", "[tool:pytest]\nfilterwarnings =\n    error\n    ignore:a b:X\n",
     "[tool:pytest]\nfilterwarnings =\n    ignore:a b:X\n    error\n    default:c\n"),
    ("a_test.rs", "", "#[cfg(unix)]\n" + _RS_TEST),
    (".golangci.yml", "linters:\n  enable: [errcheck, gas, megacheck, varcheck]\n",
     ("version: '2'\nlinters:\n  enable: [gosec]\n  exclusions:\n    presets: [comments]\n"
     "    paths: [builtin$]\n")),
    (".golangci.yml", "linters:\n  disable-all: true\n  enable: [gas]\n",
     "linters:\n  disable-all: true\n  enable: [gas, unused]\n"),
    (".golangci.yml", "linters:\n  disable-all: true\n  enable: [gas, unused]\n",
     "linters:\n  default: none\n  enable: [gosec, unused]\n"),
    (".golangci.yml", "issues:\n  exclude-rules:\n  - {path: a, linters: [b]}\n",
     "linters:\n  exclusions:\n    rules:\n    - {linters: [b], path: a}\n"),
    ("pyproject.toml", "[tool.mypy]\nstrict_equality = true\n", "[tool.mypy]\nstrict = true\n"),
    ("tsconfig.json", '{"compilerOptions": {"strict": true, "strictNullChecks": true}}',
     '{"compilerOptions": {"strict": true}}'),
    ("a.test.ts", _TS_TEST, "test('all', async t => {\n" + _TS_TEST.replace("it(", "await t.test(")
     + "});\n"),
    (".clang-tidy", "Checks: '-a'\n", "Checks: '-a,bugprone-*'\n"),
]  # fmt: skip
