"""The types of LSP that are made late are those that lsprotocol makes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

_LATE = "import understudy.faces.lsp"
_AT_ONCE = "import lsprotocol.types"

_CLASSES = """
import json, re, attrs
from lsprotocol import converters, types
converters.get_converter()
kinds = {n: k for n, k in types.ALL_TYPES_MAP.items() if isinstance(k, type)}
made = sum(isinstance(vars(k).get("__attrs_attrs__"), tuple) for k in kinds.values())
told = {
    name: [
        [a.name, repr(a.type), repr(a.default), a.init, a.kw_only, a.eq, a.repr,
         re.sub(" at 0x[0-9a-f]+", "", repr(a.validator))]
        for a in attrs.fields(kind)
    ]
    for name, kind in kinds.items() if attrs.has(kind)
}
ways = {
    name: [kind.__init__.__annotations__.keys().__repr__(), repr(kind.__match_args__),
           kind.__hash__ is None, "__lt__" in vars(kind), repr(kind.__doc__)]
    for name, kind in kinds.items() if attrs.has(kind)
}
print(json.dumps([made, told, ways]))
"""

_MESSAGES = """
import json
from lsprotocol import types
from pygls.protocol import default_converter
converter = default_converter()
capabilities = {"workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {"hover": {"contentFormat": ["markdown"]}}, "experimental": {"a": [1]}}
raw = {"processId": 1, "rootUri": None, "capabilities": capabilities,
    "workspaceFolders": [{"uri": "file:///a", "name": "a"}]}
first, second = (converter.structure(raw, types.InitializeParams) for _ in range(2))
told = [repr(first), first == second, first != second, first == 1, converter.unstructure(first)]
first.locale = "de"
told.append(first == second)
for wrong in ({"locale": 1}, {"nothing": 1}):
    try:
        types.InitializeParams(capabilities=first.capabilities, **wrong)
    except TypeError as error:
        told.append(type(error).__name__)
try:
    first.locale = 1
except TypeError as error:
    told.append(str(error)[:40])
try:
    hash(first)
except TypeError as error:
    told.append(str(error))
here = types.Range(types.Position(1, 2), types.Position(1, 3))
told += [repr(here), here == types.Range(types.Position(1, 2), types.Position(1, 3)),
    types.Position(1, 2) < types.Position(2, 0), repr(types.TextEdit(here, "x")),
    converter.unstructure(types.TextEdit(here, "x"))]
match types.TextDocumentItem("file:///a", "python", 1, "x"):
    case types.TextDocumentItem(uri, language): told.append([uri, language])
print(json.dumps(told))
"""


def test_each_class_is_what_it_would_be() -> None:
    late_made, *late = _told(_LATE, _CLASSES)
    made, *at_once = _told(_AT_ONCE, _CLASSES)
    assert late == at_once
    assert late_made < made / 20, "most are made when they are asked for"


def test_messages_are_read_compared_and_written_the_same_way() -> None:
    assert _told(_LATE, _MESSAGES) == _told(_AT_ONCE, _MESSAGES)


@pytest.mark.parametrize("before", ["", "from pygls.protocol import default_converter as c; c()"])
def test_types_that_a_process_has_already_stay(before: str) -> None:
    code = f"""
import json, lsprotocol.types
{before}
import attrs
define, kind = attrs.define, lsprotocol.types.InitializeParams
import understudy.faces.lsp
assert lsprotocol.types.InitializeParams is kind and attrs.define is define
from pygls.protocol import default_converter
capabilities = default_converter().structure({{"capabilities": {{}}}}, kind).capabilities
print(json.dumps(type(capabilities).__name__))
"""
    assert _told("", code) == "ClientCapabilities"


def test_a_class_that_another_thread_defines_meanwhile_is_made_at_once() -> None:
    code = """
import json, sys, attrs
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "lsprotocol.validators":
            @attrs.define
            class Other:
                number: int
            made.append("__slots__" in vars(Other) and Other(1) == Other(1))
made = []
sys.meta_path.insert(0, Finder())
import understudy.faces.lsp
print(json.dumps(made))
"""
    assert _told("", code) == [True]


def _told(*code: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
