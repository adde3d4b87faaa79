"""What somebody could write to get to green without mending anything: (path, before, after), how.

Collected from the references of languages, checkers and test runners, without a look at the rules.
"""

from __future__ import annotations

Edit = tuple[str, str, str]

_PY = "import os\n\n\ndef f(a: int) -> str:\n    return a\n"
_PY_TEST = "def test_a():\n    x = f()\n    assert x == 1\n\n\ndef test_b():\n    assert f() == 2\n"
_TS = "export function f(a: number): string {\n  return a;\n}\n"
_JS_TEST = """\
describe('x', () => {
  it('a', () => {
    expect(f()).toBe(1);
  });
  test('b', () => {
    expect(f()).toBe(2);
  });
});
"""
_GO = "package m\n\nfunc F(a int) string {\n\treturn a\n}\n"
_GO_TEST = """\
package m

func TestA(t *testing.T) {
\tif F(1) != "1" {
\t\tt.Fatal("bad")
\t}
}

func TestB(t *testing.T) {
\trequire.Equal(t, 1, G())
}
"""
_RS = "pub fn f(a: i32) -> String {\n    a\n}\n"
_RS_TEST = """\
#[test]
fn a() {
    assert_eq!(f(1), "1");
}

#[test]
fn b() {
    let x = f(2);
    assert!(x == "2");
}
"""
_C = "#include <stdio.h>\nint f(int a) {\n  return a;\n}\n"
_GTEST = "TEST(A, B) {\n  EXPECT_EQ(f(1), 1);\n}\n\nTEST(A, C) {\n  EXPECT_EQ(f(2), 2);\n}\n"
_CATCH = 'TEST_CASE("a") {\n  REQUIRE(f(1) == 1);\n}\n'


def _py(old: str, new: str) -> Edit:
    return "m.py", _PY, _PY.replace(old, new, 1)


def _py_test(old: str, new: str) -> Edit:
    return "tests/test_m.py", _PY_TEST, _PY_TEST.replace(old, new, 1)


def _ts(old: str, new: str) -> Edit:
    return "m.ts", _TS, _TS.replace(old, new, 1)


def _js_test(old: str, new: str) -> Edit:
    return "src/m.test.ts", _JS_TEST, _JS_TEST.replace(old, new, 1)


def _go_test(old: str, new: str) -> Edit:
    return "m_test.go", _GO_TEST, _GO_TEST.replace(old, new, 1)


def _rs_test(old: str, new: str) -> Edit:
    return "tests/m.rs", _RS_TEST, _RS_TEST.replace(old, new, 1)


def _c(old: str, new: str) -> Edit:
    return "m.cpp", _C, _C.replace(old, new, 1)


def _gtest(old: str, new: str) -> Edit:
    return "tests/m_test.cpp", _GTEST, _GTEST.replace(old, new, 1)


def _catch(old: str, new: str) -> Edit:
    return "tests/m_test.cpp", _CATCH, _CATCH.replace(old, new, 1)


DODGES: list[tuple[Edit, str]] = [
    # Python
    (_py("import", "# pyright: reportReturnType=none, reportCallIssue=none\nimport"), "comment"),
    (_py("import", "# flake8: noqa\nimport"), "comment"),
    (_py("import", "# pylint: skip-file\nimport"), "comment"),
    (_py("import", "# type: ignore\nimport"), "comment"),
    (_py("return a", "return a  # pyrefly: ignore"), "comment"),
    (_py("def f", "@no_type_check\ndef f"), "comment"),
    (_py("def f", "@typing.no_type_check\ndef f"), "comment"),
    (_py("    return a", "    if not TYPE_CHECKING:\n        return a"), "comment"),
    (("m.py", "# pyright: strict\n" + _PY, _PY), "setting"),
    (("m.py", "# mypy: strict\n" + _PY, _PY), "setting"),
    (("m.py", "# mypy: disallow-untyped-defs\n" + _PY, _PY), "setting"),
    (_py("return a", "return cast('Any', a)"), "cast"),
    (_py("a: int", "a: int | Any"), "cast"),
    (_py("a: int", "a: Union[int, Any]"), "cast"),
    (_py("-> str", "-> 'str | typing.Any'"), "cast"),
    (_py("def f", "Thing = Any\n\n\ndef f"), "cast"),
    (_py("def f", "class Thing(Any):\n    pass\n\n\ndef f"), "cast"),
    (("m.pyi", "def f(a: int) -> str: ...\n", "def f(a: int) -> Any: ...\n"), "cast"),
    (_py_test("def test_a", "@pytest.mark.skipif(True, reason='x')\ndef test_a"), "skipped-test"),
    (_py_test("def test_a", "pytestmark = pytest.mark.skip('x')\n\ndef test_a"), "skipped-test"),
    (_py_test("def test_a", "pytest.importorskip('nope')\n\ndef test_a"), "skipped-test"),
    (_py_test("def test_a", "@unittest.expectedFailure\ndef test_a"), "skipped-test"),
    (_py_test("x = f", "raise unittest.SkipTest('x')\n    x = f"), "skipped-test"),
    (_py_test("x = f", "pytest.xfail('later')\n    x = f"), "skipped-test"),
    (_py_test("def test_a", "__test__ = False\n\ndef test_a"), "skipped-test"),
    (_py_test("def test_a", "@pytest.mark.parametrize('q', [])\ndef test_a"), "skipped-test"),
    (_py_test("    assert x == 1", "    if False:\n        assert x == 1"), "skipped-test"),
    (_py_test("assert x == 1", "assert True"), "emptied-test"),
    (_py_test("assert x == 1", "assert x == 1 or True"), "emptied-test"),
    (_py_test("assert x == 1", "# assert x == 1"), "emptied-test"),
    (_py_test("assert x == 1", "print(x == 1)"), "emptied-test"),
    (_py_test("x = f()", "return\n    x = f()"), "emptied-test"),
    (_py_test("    assert x == 1",
              "    try:\n        assert x == 1\n    except AssertionError:\n        pass"),
     "emptied-test"),
    (_py_test("    assert x == 1",
              "    with contextlib.suppress(AssertionError):\n        assert x == 1"),
     "emptied-test"),
    (_py_test("def test_a", "def _test_a"), "deleted-test"),
    (("conftest.py", "import pytest\n", "import pytest\n\ncollect_ignore = ['test_m.py']\n"),
     "setting"),
    (("tests/conftest.py", "import pytest\n", "import pytest\ncollect_ignore_glob = ['*_a.py']\n"),
     "setting"),
    (("conftest.py", "import pytest\n",
      "import pytest\n\ndef pytest_ignore_collect(path):\n    return True\n"), "setting"),
    # TypeScript and JavaScript
    (_ts("export", "/* @ts-nocheck */\nexport"), "comment"),
    (_ts("export", "/* tslint:disable */\nexport"), "comment"),
    (_ts("export", "/* oxlint-disable */\nexport"), "comment"),
    (_ts("export", "// biome-ignore-all lint: x\nexport"), "comment"),
    (_ts("export", "// deno-lint-ignore-file\nexport"), "comment"),
    (_ts("export", "/* jshint ignore:start */\nexport"), "comment"),
    (("m.js", _TS, "// $FlowFixMe[x]\n" + _TS), "comment"),
    (("m.js", _TS, "// @noflow\n" + _TS), "comment"),
    (("m.js", "// @ts-check\nlet a = 1;\n", "let a = 1;\n"), "setting"),
    (("m.jsx", "/* @flow */\nlet a = 1;\n", "let a = 1;\n"), "setting"),
    (_ts("return a", "return a as never"), "cast"),
    (_ts("return a", "return a as any[]"), "cast"),
    (_ts("return a", "return a as Promise<any>"), "cast"),
    (_ts("export", "export type Thing = any;\nexport"), "cast"),
    (("m.d.ts", "", "declare module 'other';\n"), "cast"),
    (("m.js", "let a = b;\n", "let a = /** @type {any} */ (b);\n"), "cast"),
    (_js_test("describe('x'", "describe.skip('x'"), "skipped-test"),
    (_js_test("describe('x'", "fdescribe('x'"), "skipped-test"),
    (_js_test("it('a'", "it.fails('a'"), "skipped-test"),
    (_js_test("test('b'", "test.failing('b'"), "skipped-test"),
    (_js_test("test('b'", "test.fixme('b'"), "skipped-test"),
    (_js_test("it('a'", "it.skipIf(true)('a'"), "skipped-test"),
    (_js_test("it('a'", "it.runIf(false)('a'"), "skipped-test"),
    (_js_test("it('a', () =>", "it('a', { skip: true }, () =>"), "skipped-test"),
    (_js_test("it('a', () => {", "it('a', (ctx) => {\n    ctx.skip();"), "skipped-test"),
    (_js_test("it('a', () => {", "it('a', function () {\n    this.skip();"), "skipped-test"),
    (_js_test("it('a', () => {", "it('a', () => {\n    pending();"), "skipped-test"),
    (_js_test("    expect(f()).toBe(1);", "    if (false) { expect(f()).toBe(1); }"),
     "skipped-test"),
    (_js_test("expect(f()).toBe(1)", "expect(true).toBe(true)"), "emptied-test"),
    (_js_test("expect(f()).toBe(1)", "console.log(f())"), "emptied-test"),
    (_js_test("expect(f()).toBe(1);", "// expect(f()).toBe(1);"), "emptied-test"),
    (_js_test("it('a', () => {", "it('a', () => {\n    return;"), "emptied-test"),
    (_js_test("expect(f()).toBe(1);", "try { expect(f()).toBe(1); } catch {}"), "emptied-test"),
    (_js_test("  it('a', () => {\n    expect(f()).toBe(1);\n  });",
              "  // it('a', () => {\n  //   expect(f()).toBe(1);\n  // });"), "deleted-test"),
    (("jest.config.js", "module.exports = {};\n",
      "module.exports = { testPathIgnorePatterns: ['src/m'] };\n"), "setting"),
    (("vitest.config.ts", "export default defineConfig({ test: {} });\n",
      "export default defineConfig({ test: { exclude: ['src/m.test.ts'] } });\n"), "setting"),
    (("vitest.config.ts", "export default defineConfig({ test: {} });\n",
      "export default defineConfig({ test: { passWithNoTests: true } });\n"), "setting"),
    (("eslint.config.js", "export default [];\n",
      "export default [globalIgnores(['src/m.js'])];\n"), "setting"),
    (("eslint.config.mjs", "export default [{}];\n",
      "export default [{ ignores: ['src/m.js'] }];\n"), "setting"),
    ((".eslintrc.js", "module.exports = { rules: { a: 2 } };\n",
      "module.exports = { rules: { a: 0 } };\n"), "setting"),
    # Go
    (("m.go", _GO, "//go:build ignore\n\n" + _GO), "comment"),
    (("m.go", _GO, "// +build ignore\n\n" + _GO), "comment"),
    (("m.go", _GO, "//nolint:all\n" + _GO), "comment"),
    (("m.go", _GO, "//lint:file-ignore SA1 x\n" + _GO), "comment"),
    (("m.go", _GO, "//revive:disable\n" + _GO), "comment"),
    (("m.go", _GO, _GO.replace("\treturn", "\t//exhaustive:ignore\n\treturn")), "comment"),
    (("m.go", _GO, _GO.replace("return a", "return a // #nosec G101")), "comment"),
    (("m_test.go", _GO_TEST, "//go:build integration\n\n" + _GO_TEST), "skipped-test"),
    (_go_test("\tif F", '\tt.Skipf("x %d", 1)\n\tif F'), "skipped-test"),
    (_go_test("\tif F", "\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tif F"), "skipped-test"),
    (_go_test("\trequire.Equal(t, 1, G())", "\tif false {\n\t\trequire.Equal(t, 1, G())\n\t}"),
     "skipped-test"),
    (_go_test("func TestA", "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n\n"
              "func TestA"), "skipped-test"),
    (_go_test("t.Fatal(", "t.Log("), "emptied-test"),
    (_go_test("require.Equal(t, 1, G())", "_ = G()"), "emptied-test"),
    (_go_test("require.Equal(t, 1, G())", "require.True(t, true)"), "emptied-test"),
    (_go_test("\tif F", "\treturn\n\tif F"), "emptied-test"),
    (_go_test("TestA", "Testa"), "deleted-test"),
    (_go_test("TestA", "xTestA"), "deleted-test"),
    # Rust
    (("src/lib.rs", _RS, "#![allow(warnings)]\n" + _RS), "comment"),
    (("src/lib.rs", _RS, "#![cfg_attr(test, allow(unused))]\n" + _RS), "comment"),
    (("src/lib.rs", _RS, "#[cfg(any())]\n" + _RS), "comment"),
    (("src/lib.rs", _RS, "#[cfg(false)]\n" + _RS), "comment"),
    (("src/lib.rs", "#![deny(missing_docs)]\n" + _RS, _RS), "setting"),
    (("src/lib.rs", "#![forbid(unsafe_code)]\n" + _RS, _RS), "setting"),
    (("src/lib.rs", "#![deny(missing_docs)]\n" + _RS, "#![warn(missing_docs)]\n" + _RS), "setting"),
    (_rs_test("#[test]", '#[test]\n#[ignore = "later"]'), "skipped-test"),
    (_rs_test("#[test]", "#[test]\n#[cfg_attr(miri, ignore)]"), "skipped-test"),
    (_rs_test("#[test]", "#[test]\n#[should_panic]"), "skipped-test"),
    (_rs_test("#[test]", '#[cfg(feature = "slow")]\n#[test]'), "skipped-test"),
    (_rs_test('assert_eq!(f(1), "1")', "assert!(true)"), "emptied-test"),
    (_rs_test('    assert!(x == "2");\n', ""), "emptied-test"),
    (_rs_test("    assert_eq", "    return;\n    assert_eq"), "emptied-test"),
    (_rs_test("#[test]\n", ""), "deleted-test"),
    # C and C++
    (_c("int f", '_Pragma("GCC diagnostic ignored \\"-Wall\\"")\nint f'), "comment"),
    (_c("int f", '#pragma clang diagnostic ignored "-Wunused"\nint f'), "comment"),
    (_c("int f", "#pragma warning(push, 0)\nint f"), "comment"),
    (_c("int f", "#pragma GCC system_header\nint f"), "comment"),
    (_c("int f", '[[gsl::suppress("type.1")]] int f'), "comment"),
    (_c("int f", '__attribute__((no_sanitize("undefined"))) int f'), "comment"),
    (_c("return a;", "return a; // NOLINTBEGIN"), "comment"),
    (_c("  return", "  // cppcheck-suppress x\n  return"), "comment"),
    (_c("  return", "  // coverity[dead_error_line]\n  return"), "comment"),
    (_c("  return", "  /*lint -e534 */\n  return"), "comment"),
    (_c("return a;", "return a; //-V501"), "comment"),
    (_c("<stdio.h>", "<stdio.h>  // IWYU pragma: keep"), "comment"),
    (_gtest("TEST(A, B)", "TEST(A, DISABLED_B)"), "skipped-test"),
    (_gtest("  EXPECT", "  GTEST_SKIP();\n  EXPECT"), "skipped-test"),
    (_gtest("TEST(A, B) {\n  EXPECT_EQ(f(1), 1);\n}\n",
            "#if 0\nTEST(A, B) {\n  EXPECT_EQ(f(1), 1);\n}\n#endif\n"), "skipped-test"),
    (_gtest("EXPECT_EQ(f(1), 1)", "EXPECT_TRUE(true)"), "emptied-test"),
    (_gtest("EXPECT_EQ(f(1), 1)", "SUCCEED()"), "emptied-test"),
    (_gtest("  EXPECT_EQ(f(1)", "  return;\n  EXPECT_EQ(f(1)"), "emptied-test"),
    (_gtest("TEST(A, B) {\n  EXPECT_EQ(f(1), 1);\n}\n\n", ""), "deleted-test"),
    (_catch('"a"', '"a", "[!mayfail]"'), "skipped-test"),
    (_catch('"a"', '"a", "[.]"'), "skipped-test"),
    (_catch("  REQUIRE", "  SKIP();\n  REQUIRE"), "skipped-test"),
    (_catch("REQUIRE", "CHECK_NOFAIL"), "skipped-test"),
    (_catch('"a"', '"a" * doctest::skip()'), "skipped-test"),
    (_catch("REQUIRE(f(1) == 1)", "REQUIRE(true)"), "emptied-test"),
]  # fmt: skip
