"""What language servers, Python's own parser and ctags say a file declares."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.servers import environment, program

_ANSWER_S = 120
_SYMBOL_KINDS = frozenset((5, 6, 9, 10, 11, 12, 23))
"""LSP 3.17 SymbolKind: class, method, constructor, enum, interface, function, struct."""

_CTAGS_KINDS = {
    "C": "f", "C#": "cgims", "C++": "fcgsu", "Go": "fnsi", "Java": "cegim", "PHP": "fcit",
    "Ruby": "cfmS", "Rust": "fPsgit", "Sh": "f",
}  # fmt: skip

_SHELL_NAME = re.compile(r"[\w:.-]+")
_HERE_DOCUMENT = re.compile(r"(?<!<)<<[-~]?\s*[\\'\"]?([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Symbol:
    """A class, function or method: name, line of the name, first and last line (0: unknown).

    `word` is what a server's own symbol must have on the line of its name.
    """

    name: str
    name_line: int
    start: int = 0
    end: int = 0
    word: str = ""


def by_python(text: bytes) -> list[Symbol]:
    """Classes and functions that Python's own parser finds; decorators belong to the range."""
    found: list[Symbol] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            assert node.end_lineno is not None
            found.append(Symbol(node.name, node.lineno, start, node.end_lineno))
    return found


def by_server(name: str, language_id: str, path: Path) -> list[Symbol]:
    """What a language server answers to `textDocument/documentSymbol`, as far as it is written.

    tsserver makes a class with a constructor of a function whose prototype is set: left out.
    """
    with subprocess.Popen(
        [str(program(name)), "--stdio"],
        cwd=path.parent,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            symbols = _asked(_Wire(server), language_id, path)
        finally:
            server.terminate()
    lines = path.read_text(encoding="utf-8").splitlines()
    return [symbol for symbol in _flat(symbols) if symbol.word in lines[symbol.name_line - 1]]


def by_ctags(language: str, path: Path) -> list[Symbol]:
    """What universal-ctags finds; it gives no last line for some kinds."""
    ctags = shutil.which("ctags")
    assert ctags is not None, "universal-ctags is needed"
    done = subprocess.run(
        [
            *(ctags, "--output-format=json", "--fields=+neK", f"--language-force={language}"),
            *("-I", "JSON_HEDLEY_DEPRECATED_FOR+"),  # its arguments are no declarations
            *(f"--kinds-{language}={_CTAGS_KINDS[language]}", "-o", "-", str(path)),
        ],
        capture_output=True,
        check=True,
        timeout=_ANSWER_S,
    )
    quoted = _here_documents(path) if language == "Sh" else frozenset[int]()
    found: list[Symbol] = []
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        name = tag["name"]
        if language == "Sh" and not _SHELL_NAME.fullmatch(name):  # an array, or a brace
            continue
        if not name.startswith("__anon") and tag["line"] not in quoted:
            found.append(Symbol(name, tag["line"], end=tag.get("end", 0)))
    return found


def _here_documents(path: Path) -> frozenset[int]:
    """The lines inside of here documents: what stands there is text, though ctags reads it."""
    lines: set[int] = set()
    closing = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if closing:
            lines.add(number)
            closing = "" if line.strip() == closing else closing
        elif opened := _HERE_DOCUMENT.search(line):
            closing = opened[1]
    return frozenset(lines)


class _Wire:
    """Messages to and from a server, one after the other."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        self._out, self._in = server.stdin, server.stdout

    def send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._out.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._out.flush()

    def answer(self, number: int) -> Any:
        """The result of our request; what the server asks meanwhile gets an empty answer."""
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            if "id" in message and "method" in message:
                asked = message.get("params") or {}
                self.send({"id": message["id"], "result": [None] * len(asked.get("items", ()))})

    def _receive(self) -> dict[str, Any]:
        length = 0
        while line := self._in.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        assert length, "the server ended"
        return json.loads(self._in.read(length))


def _asked(wire: _Wire, language_id: str, path: Path) -> Sequence[Mapping[str, Any]]:
    hierarchical = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    root = path.parent.as_uri()
    start = {"processId": None, "rootUri": root, "capabilities": {"textDocument": hierarchical}}
    wire.send({"id": 1, "method": "initialize", "params": start})
    wire.answer(1)
    wire.send({"method": "initialized", "params": {}})
    text = path.read_text(encoding="utf-8")
    document = {"uri": path.as_uri(), "languageId": language_id, "version": 1, "text": text}
    wire.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    asked = {"textDocument": {"uri": path.as_uri()}}
    wire.send({"id": 2, "method": "textDocument/documentSymbol", "params": asked})
    return wire.answer(2) or []


def _flat(symbols: Sequence[Mapping[str, Any]]) -> Iterator[Symbol]:
    for symbol in symbols:
        is_named = not symbol["name"].endswith(" callback") and symbol["name"][:1] not in "<("
        if symbol["kind"] in _SYMBOL_KINDS and is_named:
            whole, name = symbol["range"], symbol["selectionRange"]
            last = whole["end"]["line"] + (1 if whole["end"]["character"] else 0)
            word = {5: "class", 9: "constructor"}.get(symbol["kind"], "")
            first = whole["start"]["line"] + 1
            yield Symbol(symbol["name"], name["start"]["line"] + 1, first, last, word)
        yield from _flat(symbol.get("children") or ())
