"""The broken projects behind `failing_outputs`: what fails lies amid a lot that does not."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A project, a command that fails in it, and a pattern for the line that says why."""

    name: str
    argv: Sequence[str]
    failing: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    env: Mapping[str, str] = field(default_factory=dict[str, str])


PYTHON = sys.executable
_NOISE_PY = "for n in range(400):\n    print(f'step {n}: everything is fine here so far')\n"
_NOISE_SH = 'for n in $(seq 400); do echo "step $n: everything is fine here so far"; done\n'
_NOISE_JS = "for (let n = 0; n < 400; n++) console.log(`step ${n}: all is well so far`);\n"


def _python_tests(body: str, n_before: int = 150, n_after: int = 150) -> str:
    fine = "def test_fine_{n}():\n    print('checked {n}')\n    assert {n} == {n}\n\n\n"
    before = "".join(fine.format(n=n) for n in range(n_before))
    after = "".join(fine.format(n=n) for n in range(n_before, n_before + n_after))
    return before + body + "\n\n" + after


def _pytest_cases() -> list[Case]:
    pytest = [PYTHON, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:randomly"]
    failing = "def test_total():\n    items = [1, 2, 3]\n    assert sum(items) == 7, 'bad total'\n"
    raising = "def test_reads():\n    data = {'a': 1}\n    assert data['missing_key'] == 1\n"
    fixture = (
        "import pytest\n\n@pytest.fixture\ndef broken():\n    raise RuntimeError('no database')\n\n"
        "def test_uses(broken):\n    pass\n"
    )
    noisy = "def test_noisy():\n" + "".join(f"    {line}\n" for line in _NOISE_PY.splitlines())
    return [
        Case("pytest-assert", pytest, r"E +(AssertionError: bad total|assert 6 == 7)",
             {"test_a.py": _python_tests(failing)}),
        Case("pytest-error", pytest, r"KeyError: 'missing_key'",
             {"test_a.py": _python_tests(raising)}),
        Case("pytest-fixture", pytest, r"RuntimeError: no database",
             {"test_a.py": _python_tests(fixture)}),
        Case("pytest-noisy", pytest, r"E +assert 1 == 2",
             {"test_a.py": noisy + "    assert 1 == 2\n"}),
        Case("pytest-import", pytest, r"ModuleNotFoundError: No module named 'not_there'",
             {f"test_{n}.py": "import not_there\n" if n == 7 else "def test_a(): pass\n"
              for n in range(40)}),
        Case("pytest-collect", pytest, r"SyntaxError: ", {"test_a.py": "def test_a(:\n    pass\n"}),
    ]  # fmt: skip


def _python_cases() -> list[Case]:
    units = (
        "import unittest\n\nclass Sums(unittest.TestCase):\n"
        + "".join(
            f"    def test_{n}(self):\n        self.assertTrue({n} + 1)\n" for n in range(200)
        )
        + "    def test_wrong(self):\n        self.assertEqual(2 + 2, 5)\n"
    )
    many = "".join(f"value_{n}: int = {n}\n" for n in range(300))
    return [
        Case("unittest", [PYTHON, "-m", "unittest", "-v", "test_u"],
             r"AssertionError: 4 != 5", {"test_u.py": units}),
        Case("traceback", [PYTHON, "-u", "run.py"], r"ZeroDivisionError: ",
             {"run.py": _NOISE_PY + "print(1 / 0)\n"}),
        Case("traceback-chain", [PYTHON, "-u", "run.py"], r"ValueError: cannot start the shop",
             {"run.py": _NOISE_PY + "try:\n    open('/nonexistent/shop.cfg')\nexcept OSError "
              "as e:\n"
              "    raise ValueError('cannot start the shop') from e\n"}),
        Case("traceback-then-noise", [PYTHON, "-u", "run.py"], r"RuntimeError: worker is lost",
             {"run.py": "import traceback\n" + _NOISE_PY
              + "try:\n    raise RuntimeError('worker is lost')\nexcept RuntimeError:\n"
              "    traceback.print_exc()\n" + _NOISE_PY + "raise SystemExit(3)\n"}),
        Case("recursion", [PYTHON, "-u", "run.py"], r"RecursionError: ",
             {"run.py": "def f(n):\n    return f(n + 1)\nf(0)\n"}),
        Case("python-syntax", [PYTHON, "run.py"], r"SyntaxError: ", {"run.py": "if True\n"}),
        Case("python-module", [PYTHON, "-m", "no_such_module"], r"No module named no_such_module"),
        Case("compileall", [PYTHON, "-m", "compileall", "."], r"SyntaxError: ",
             {f"pkg/m{n}.py": "x = (\n" if n == 55 else "x = 1\n" for n in range(120)}),
        Case("ruff", [PYTHON, "-m", "ruff", "check", "--isolated", "--no-cache", "."],
             r"F821.*missing_name",
             {"a.py": many + "import os\n" * 30 + "print(missing_name)\n" + many}),
        Case("ruff-concise",
             [PYTHON, "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format",
              "concise", "."],
             r"m60\.py:1:7: F821",
             {f"m{n}.py": "print(gone)\n" if n == 60 else "import os\n" for n in range(120)}),
        Case("ruff-format", [PYTHON, "-m", "ruff", "format", "--isolated", "--no-cache", "."],
             r"(?i)failed to parse|error:", {"a.py": "def f(:\n"}),
        Case("mypy", [PYTHON, "-m", "mypy", "--cache-dir", "/dev/null", "."],
             r"a\.py:301: error: Incompatible types",
             {"a.py": many + "wrong: int = 'text'\n" + many}),
        Case("mypy-many", [PYTHON, "-m", "mypy", "--cache-dir", "/dev/null", "."],
             r"^(\d+\| )?m\d+\.py:2: error: ",
             {f"m{n}.py": "def f(x: int) -> str: ...\nf('a').nope\n" for n in range(60)}),
        Case("pyright", ["pyright", "."], r"a\.py:301:14 - error: ",
             {"a.py": many + "wrong: int = 'text'\n" + many}),
        Case("pip", [PYTHON, "-m", "pip", "install", "--no-index", "no-such-distribution-xyz"],
             r"No matching distribution found"),
    ]  # fmt: skip


def _script_cases() -> list[Case]:
    ts = "".join(f"export const v{n}: number = {n};\n" for n in range(200))
    config = '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2020"}}'
    tests = "import test from 'node:test';\nimport assert from 'node:assert';\n" + "".join(
        f"test('fine {n}', () => {{ assert.ok({n} + 1); }});\n" for n in range(200)
    )
    package = '{"name": "shop", "version": "1.0.0", "scripts": {"build": "node build.mjs"}}'
    rules = (
        "export default [{rules: {'no-undef': 'error', 'no-unused-vars': 'warn', "
        "'prefer-const': 'error'}}];\n"
    )
    return [
        Case("tsc5", ["tsc5", "-p", "."], r"a\.ts\(201,7\): error TS2322",
             {"a.ts": ts + "const wrong: number = 'text';\n" + ts, "tsconfig.json": config}),
        Case("tsc7", ["tsc", "-p", "."], r"error TS2322",
             {"a.ts": ts + "const wrong: number = 'text';\n", "tsconfig.json": config}),
        Case("tsc-many", ["tsc5", "-p", "."], r"error TS2304: Cannot find name 'missing",
             {**{f"m{n}.ts": f"export const a = missing{n};\n" for n in range(80)},
              "tsconfig.json": config}),
        Case("tsc-module", ["tsc5", "-p", "."], r"error TS(2307|2792): Cannot find module",
             {"a.ts": "import x from './gone';\nexport default x;\n", "tsconfig.json": config}),
        Case("node-throw", ["node", "run.mjs"], r"TypeError: ",
             {"run.mjs": _NOISE_JS + "undefined.name;\n"}),
        Case("node-syntax", ["node", "run.mjs"], r"SyntaxError: ",
             {"run.mjs": "const = 1;\n"}),
        Case("node-module", ["node", "run.mjs"], r"ERR_MODULE_NOT_FOUND|Cannot find package",
             {"run.mjs": "import 'not-installed';\n"}),
        Case("node-test", ["node", "--test", "--test-reporter=spec", "a.test.mjs"],
             r"Expected values to be strictly equal|2 !== 3",
             {"a.test.mjs": tests + "test('sums', () => { assert.strictEqual(1 + 1, 3); });\n"}),
        Case("node-tap", ["node", "--test", "--test-reporter=tap", "a.test.mjs"],
             r"not ok \d+ - sums",
             {"a.test.mjs": tests + "test('sums', () => { assert.strictEqual(1 + 1, 3); });\n"
              + tests.partition("assert';\n")[2]}),
        Case("npm-run", ["npm", "run", "build"], r"Error: the bundle is broken",
             {"package.json": package,
              "build.mjs": _NOISE_JS + "throw new Error('the bundle is broken');\n"}),
        Case("npm-script", ["npm", "run", "deploy"], r'Missing script: "deploy"',
             {"package.json": package}),
        Case("npm-ci", ["npm", "ci", "--offline"], r"npm error.*(npm ci|package-lock)",
             {"package.json": package}),
        Case("npm-json", ["npm", "install", "--offline"], r"(?i)EJSONPARSE|JSON",
             {"package.json": '{"name": "shop",, }'}),
        Case("eslint", ["eslint", "."], r"401:\d+ +error +'missing' is not defined",
             {"eslint.config.mjs": rules,
              "a.js": "".join(f"const unused{n} = {n};\n" for n in range(400)) + "missing();\n"
              + "".join(f"const later{n} = {n};\n" for n in range(400))}),
        Case("eslint-parse", ["eslint", "."], r"Parsing error: ",
             {"eslint.config.mjs": rules, "a.js": "function (\n"}),
    ]  # fmt: skip


def _compiled_cases() -> list[Case]:
    crate = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
    rust_tests = "".join(f"#[test]\nfn fine_{n}() {{ assert!({n} < 1000); }}\n" for n in range(200))
    unused = "".join(f"fn unused_{n}() {{}}\n" for n in range(60))
    module = "module shop\n\ngo 1.20\n"
    go_tests = 'package shop\n\nimport "testing"\n\n' + "".join(
        f'func TestFine{n}(t *testing.T) {{ t.Log("fine {n}") }}\n' for n in range(200)
    )
    return [
        Case("cargo-check", ["cargo", "check"], r"error\[E0308\]: mismatched types",
             {"Cargo.toml": crate, "src/lib.rs": unused + 'pub fn f() -> i32 { "text" }\n'}),
        Case("cargo-borrow", ["cargo", "check"], r"error\[E0382\]: ",
             {"Cargo.toml": crate, "src/lib.rs": unused + "pub fn f() { let s = String::new(); "
              'let t = s; println!("{s}{t}"); }\n'}),
        Case("cargo-test", ["cargo", "test"], r"panicked at src/lib\.rs",
             {"Cargo.toml": crate, "src/lib.rs": rust_tests
              + "#[test]\nfn sums() { assert_eq!(1 + 1, 3); }\n"}),
        Case("cargo-run", ["cargo", "run"], r"index out of bounds|panicked at",
             {"Cargo.toml": crate, "src/main.rs": "fn main() { for n in 0..400 { "
              'println!("step {n}"); } let v: Vec<i32> = Vec::new(); let i = v.len() + 7; '
              'println!("{}", v[i]); }\n'}),
        Case("cargo-toml", ["cargo", "check"], r"(?i)error: .*(pars|invalid|expected|key)",
             {"Cargo.toml": "[package\n", "src/lib.rs": ""}),
        Case("go-build", ["go", "build", "./..."], r"main\.go:\d+:\d+: undefined: missing",
             {"go.mod": module, "main.go": "package main\n\nfunc main() { missing() }\n"}),
        Case("go-vet", ["go", "vet", "./..."], r"main\.go:\d+:\d+: .*Printf",
             {"go.mod": module, "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { '
              'fmt.Printf("%d\\n", "text") }\n'}),
        Case("go-test", ["go", "test", "-v", "./..."], r"a_test\.go:\d+: got 2, want 3",
             {"go.mod": module, "a_test.go": go_tests
              + 'func TestSums(t *testing.T) { t.Errorf("got %d, want %d", 1+1, 3) }\n'
              + "".join(f'func TestLater{n}(t *testing.T) {{ t.Log("fine") }}\n'
                        for n in range(200))}),
        Case("go-panic", ["go", "run", "."], r"panic: runtime error: index out of range",
             {"go.mod": module, "main.go": 'package main\n\nimport "os"\n\nfunc main() { '
              "a := []int{}; println(a[len(os.Args)]) }\n"}),
        Case("go-import", ["go", "build", "./..."], r"package shop/missing is not in",
             {"go.mod": module, "main.go": 'package main\n\nimport _ "shop/missing"\n\n'
              "func main() {}\n"}),
    ]  # fmt: skip


def _shell_cases() -> list[Case]:
    makefile = "all: one two three\none:\n\t@" + _NOISE_SH.strip().replace("$", "$$") + "\n"
    return [
        Case("bash-command", ["bash", "run.sh"], r"command not found",
             {"run.sh": "set -e\n" + _NOISE_SH + "no_such_command --now\n"}),
        Case("bash-midway", ["bash", "run.sh"], r"No such file or directory",
             {"run.sh": _NOISE_SH + "cat /nonexistent/settings.cfg\n" + _NOISE_SH + "exit 3\n"}),
        Case("bash-unbound", ["bash", "run.sh"], r"unbound variable",
             {"run.sh": "set -u\n" + _NOISE_SH + 'echo "$NOT_SET_ANYWHERE"\n'}),
        Case("bash-syntax", ["bash", "run.sh"], r"syntax error",
             {"run.sh": "if true; then\necho a\n"}),
        Case("shellcheck", ["shellcheck", "run.sh"], r"SC2164 \(warning\)",
             {"run.sh": "#!/bin/sh\ncd /somewhere\necho done\n"}),
        Case("make", ["make"], r"make(?:\[\d+\])?: \*\*\* \[Makefile:\d+: two\] Error 7",
             {"Makefile": makefile + "two: one\n\t@exit 7\nthree:\n\t@true\n"}),
        Case("make-rule", ["make"], r"No rule to make target 'gone\.c'",
             {"Makefile": "all: gone.o\ngone.o: gone.c\n"}),
        Case("make-keep-going", ["make", "-k"], r"cannot open the archive",
             {"Makefile": makefile + "two:\n\t@echo 'error: cannot open the archive' >&2; exit 1\n"
              "three:\n\t@" + _NOISE_SH.strip().replace("$", "$$") + "\n"}),
        Case("git-apply", ["git", "apply", "bad.patch"], r"(error|fatal): .*patch",
             {"bad.patch": "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n-gone\n+new\n"}),
        Case("git-revision", ["git", "log", "no-such-revision"], r"fatal: "),
    ]  # fmt: skip


CASES: Sequence[Case] = (
    *_pytest_cases(), *_python_cases(), *_script_cases(), *_compiled_cases(), *_shell_cases()
)  # fmt: skip
