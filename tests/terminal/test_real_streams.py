"""Programs on a real pty: our text of what they write is the editor's, at every chunking."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import servers, terminals, xterm
from tests.support.terminals import COLUMNS, ROWS, OnPty

Recording = Callable[[Path], bytes]

PYTEST_FILE = """
import pytest
@pytest.mark.parametrize("n", range(300))
def test_number(n):
    assert n % 97 != 96, "wrong " * 60
"""

VITEST_FILE = """
import { test, expect } from "vitest";
for (let n = 0; n < 60; n++) {
  test(`number ${n}`, async () => {
    await new Promise((done) => setTimeout(done, 5));
    expect(n % 40).not.toBe(39);
  });
}
"""


def pip(folder: Path) -> bytes:
    wheel = folder / "tiny_package-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        info = "tiny_package-1.0.dist-info"
        archive.writestr("tiny_package.py", "")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-package\nVersion: 1.0"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any"
        )
        archive.writestr(f"{info}/RECORD", "")
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--target", "into", wheel]
    return terminals.record([*command, "-v"], folder)


def npm(folder: Path) -> bytes:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "package.json").write_text(f'{{"name": "{name}", "version": "1.0.0"}}')
    (folder / "package.json").write_text('{"name": "whole", "version": "1.0.0"}')
    shell = "npm install --offline --no-audit --no-fund ./one ./two; npm ls --all; npm run nothing"
    return terminals.record(["sh", "-c", shell], folder, {"npm_config_cache": str(folder / ".npm")})


def pytest_run(folder: Path) -> bytes:
    (folder / "test_sample.py").write_text(PYTEST_FILE)
    command = [sys.executable, "-m", "pytest", "-v", "--color=yes", "-p", "no:cacheprovider"]
    return terminals.record([*command, "test_sample.py"], folder)


def vitest(folder: Path) -> bytes:
    program = servers.program("vitest")
    (folder / "node_modules").symlink_to(program.resolve().parent.parent)
    for name in ("a", "b", "c"):
        (folder / f"{name}.test.js").write_text(VITEST_FILE)
    (folder / "package.json").write_text('{"type": "module"}')
    return terminals.record([program, "run"], folder)


def cargo(folder: Path) -> bytes:
    names = [f"part{number}" for number in range(6)]
    needs = "".join(f'{name} = {{ path = "{name}" }}\n' for name in names)
    _crate(folder, "whole", needs, "fn unused() {}\npub fn f() { let x = 1; }")
    for name in names:
        _crate(folder / name, name, "", "pub fn f() -> u32 { 1 }")
    return terminals.record(["cargo", "build", "--offline"], folder)


def _crate(folder: Path, name: str, needs: str, source: str) -> None:
    (folder / "src").mkdir(parents=True)
    head = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
    (folder / "Cargo.toml").write_text(head + needs)
    (folder / "src" / "lib.rs").write_text(source)


def docker_like(folder: Path) -> bytes:
    toy = Path(__file__).resolve().parent.parent / "toys" / "layers.py"
    return terminals.record([sys.executable, toy], folder)


def vim(folder: Path) -> bytes:
    (folder / "text.txt").write_text("".join(f"line {n} \t日本 e\u0301\n" for n in range(200)))
    in_place = "vim -u NONE -N --cmd 'set t_ti= t_te=' -c 'normal 50jdd' -c ':q!' text.txt"
    script = f"echo before; vim -u NONE -N text.txt; echo after; {in_place}"
    program = OnPty(["sh", "-c", script], folder)
    program.wait_for(b"line 20")
    program.type("Gohello\x1b:set number\r")
    at = program.wait_for(b"201")
    program.type("gg:2,5d\r:wq\r")
    program.wait_for(b"written", at)
    return program.finish()


def top(folder: Path) -> bytes:
    return terminals.record(["top", "-d", "0.2", "-n", "4"], folder, {"HOME": str(folder)})


def less(folder: Path) -> bytes:
    (folder / "text.txt").write_text("".join(f"line {n} {'word ' * 30}\n" for n in range(200)))
    script = "echo before; less text.txt; echo after; less -X +50 -E text.txt < /dev/tty"
    program = OnPty(["sh", "-c", script], folder, {"LESSHISTFILE": "-", "LESS": ""})
    at = program.wait_for(b"text.txt")
    program.type(" ")
    at = program.wait_for(b":", at)
    program.type("/line 99\r")
    at = program.wait_for(b"99", at)
    program.type("q")
    at = program.wait_for(b"after", at)
    at = program.wait_for(b"text.txt", at)
    program.type("q")
    return program.finish()


def shell(folder: Path) -> bytes:
    program = OnPty(
        ["bash", "--norc", "--noprofile", "-i"], folder, {"PS1": "\\[\x1b[1m\\]> \\[\x1b[0m\\]"}
    )
    program.wait_for(b"> ")
    program.type(
        "echo " + "long " * 40 + "\x01\x05\b\b\b\x15echo ready && ls -la / --color=always\r"
    )
    program.wait_for(b"usr")
    program.type("clear; printf 'a\\tb\\rc'; seq 100; exit\r")
    return program.finish()


RECORDINGS: list[Recording] = [
    pip, npm, pytest_run, vitest, cargo, docker_like, vim, top, less, shell,
]  # fmt: skip


@pytest.mark.real
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.__name__)
def test_stream_of(recording: Recording, tmp_path: Path) -> None:
    data = recording(tmp_path)
    assert data.count(b"\x1b") > 0 or recording in (pip,)
    expected = xterm.shown([(data.decode("utf-8", "replace"), COLUMNS, ROWS)])[0]
    assert expected
    for name, next_size in xterm.chunkings(1).items():
        assert xterm.ours(data, COLUMNS, ROWS, next_size) == expected, name
