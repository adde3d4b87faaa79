"""What a hostile language server says, by name: parts for `tests/toys/plays.py`."""

from __future__ import annotations

import json
from typing import Any

Part = dict[str, Any]


def asks(method: str, params: object, **how: Any) -> Part:
    """A request of the server's to us."""
    message = {"jsonrpc": "2.0", "id": "s{n}", "method": method, "params": params}
    return {"says": [json.dumps(message)], **how}


def tells(method: str, params: object, **how: Any) -> Part:
    return {"says": [json.dumps({"jsonrpc": "2.0", "method": method, "params": params})], **how}


def begins(title: str) -> Part:
    """Progress that begins, with this text behind `"title":`."""
    value = '{"kind":"begin","title":' + title + "}"
    return {"says": ['{"method":"$/progress","params":{"token":1,"value":' + value + "}}"]}


def answers(result: str) -> Part:
    """This text as the result of a question for findings."""
    return {"answer": '{"jsonrpc":"2.0","id":{id},"result":' + result + "}"}


def finds(item: str) -> Part:
    return answers('{"kind":"full","items":[' + item + "]}")


def _in(line: str, character: str = "0", message: str = '"BAD one"', more: str = "") -> str:
    place = f'{{"line":{line},"character":{character}}}'
    return f'{{"range":{{"start":{place},"end":{place}}},"message":{message},"severity":1{more}}}'


DEEP = 700
NESTED = "[" * DEEP + "]" * DEEP
EDIT = {"changes": {"file:///etc/passwd": [], "{uri}/../../x": []}}
PUBLISH = '{"method":"textDocument/publishDiagnostics","params":'
OUTSIDE = '"relatedInformation":[{"location":{"uri":"file:///etc/passwd","range":1},"message":1}]'

SERVER_SAYS: dict[str, Part] = {
    "a length of 5000 digits": {"says": [f"Content-Length: {'9' * 5000}\r\n\r\n"], "bare": True},
    "a length below zero": {"says": ["Content-Length: -5\r\n\r\n"], "bare": True},
    "a length of other digits": {"says": ["Content-Length: \xb2\r\n\r\n"], "bare": True},
    "a length that is too long": {"says": ["Content-Length: 99999999999\r\n\r\n"], "bare": True},
    "two lengths": {"says": ["Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"], "bare": True},
    "a header without an end": {"says": ["x" * 1000], "bare": True, "times": 5000},
    "a message of no length": {"says": [""]},
    "no UTF-8": {"says": ['{"method":"\xff\xfe"}']},
    "a list": {"says": ["[]"]},
    "a number": {"says": ["1" * 5000]},
    "depth": {"says": ["[" * 100_000 + "]" * 100_000]},
    "some depth": {"says": [f'{{"method":"x","params":{NESTED}}}']},
    "some depth that is to be applied": {
        "says": [f'{{"id":1,"method":"workspace/applyEdit","params":{{"edit":{NESTED}}}}}'],
    },
    "an id that is a list": {"says": ['{"id":[1],"result":null}']},
    "an id that is true": {"says": ['{"id":true,"result":null}']},
    "an id that is no text": {"says": ['{"id":"\\ud800","method":"window/x","params":{}}']},
    "an id of some depth": {"says": [f'{{"id":{NESTED},"method":"window/x"}}']},
    "a method that is a list": {"says": ['{"id":1,"method":["x"]}']},
    "a method that is nothing": {"says": ['{"id":1,"method":null}']},
    "an answer that is none": {"says": ['{"id":2}'], "at": "open"},
    "answers to what was not asked": {"says": ['{"id":{n},"result":{}}'], "times": 50},
    "an error that is a list": answers('null,"error":[1]'),
    "progress of no number": begins('"t","percentage":NaN'),
    "progress without an end": begins('"t","percentage":1e999'),
    "progress that is no text": begins('"\\ud800\\u001b[2J","message":"\\ud800"'),
    "progress of many tokens": tells(
        "$/progress", {"token": "t{n}", "value": {"kind": "begin", "title": "x" * 500}},
        times=5_000,
    ),
    "registrations of many": asks(
        "client/registerCapability",
        {"registrations": [{"id": "r{n}", "method": "x", "registerOptions": {"a": "x" * 500}}]},
        times=5_000,
    ),
    "a registration without an id": asks("client/registerCapability", {"registrations": [{}]}),
    "a registration that is a text": asks("client/registerCapability", {"registrations": ["x"]}),
    "registrations that are none": asks("client/registerCapability", {"registrations": 5}),
    "a registration of options": asks(
        "client/registerCapability",
        {"registrations": [{"id": 1, "method": "textDocument/diagnostic", "registerOptions": 1}]},
    ),
    "settings of nothing": asks("workspace/configuration", {"items": [None]}),
    "settings of a list": asks("workspace/configuration", {"items": [{"section": ["x"]}]}),
    "settings of a path": asks("workspace/configuration", {"items": [{"scopeUri": "file://["}]}),
    "settings of many": asks("workspace/configuration", {"items": [{"section": "x"}] * 5_000}),
    "an edit": asks("workspace/applyEdit", {"edit": EDIT}),
    "an edit of nothing": asks("workspace/applyEdit", None),
    "a page to open": asks("window/showDocument", {"uri": "http://a.invalid", "external": True}),
    "a file to open": asks("window/showDocument", {"uri": "file:///etc/passwd"}),
    "a question to the user": asks("window/showMessageRequest", {"message": "\x1b[2J", "type": 1}),
    "a command": asks("workspace/executeCommand", {"command": "understudy.accept"}),
    "a refresh, many times": asks("workspace/diagnostic/refresh", {}, times=2_000),
    "a schema of a file": asks("vscode/content", ["file:///etc/passwd"]),
    "a schema of no text": asks("vscode/content", [["x"]]),
    "findings of another folder": tells(
        "textDocument/publishDiagnostics", {"uri": "file:///etc/passwd", "diagnostics": [1]}
    ),
    "findings of many files": tells(
        "textDocument/publishDiagnostics",
        {"uri": "file:///outside/{n}" + "x" * 500, "diagnostics": ["x" * 500]}, times=5_000,
    ),
    "findings of no file": tells("textDocument/publishDiagnostics", {"uri": ["x"]}),
    "findings of a broken name": tells("textDocument/publishDiagnostics", {"uri": "file://[::"}),
    "findings of a name of no text": {"says": [PUBLISH + '{"uri":"file:///%ff\\ud800"}}']},
    "a name with a NUL": tells("textDocument/publishDiagnostics", {"uri": "file:///a%00b"}),
    "log messages without an end": tells(
        "window/logMessage", {"type": 1, "message": "\x1b[2J\r\n::error::x" + "x" * 500},
        times=5_000,
    ),
    "a message that is a list": tells("window/showMessage", {"type": 1, "message": [["x"]]}),
    "line ends alone": tells("window/showMessage", {"type": 1, "message": "\n\r\x0b\u2028"}),
    "telemetry": tells("telemetry/event", {"secret": 1}, times=100),
    "a cancel of what is not": tells("$/cancelRequest", {"id": [1]}),
    "a notice to end": tells("exit", None),
    "no result": answers("null"),
    "a result of a number": answers("7"),
    "items of a number": answers('{"kind":"full","items":7}'),
    "items of numbers": finds("7"),
    "a kind of its own": answers('{"kind":["full"],"items":[]}'),
    "a line below zero": finds(_in("-5")),
    "a line that is huge": finds(_in("9" * 400)),
    "a line that is half": finds(_in("0.5")),
    "a line that is no number": finds(_in("NaN")),
    "a line without an end": finds(_in("1e999")),
    "a line that is true": finds(_in("true")),
    "a column that is huge": finds(_in("1", "9" * 400)),
    "a column that is a text": finds(_in("1", '"1"')),
    "a range that is none": finds('{"range":null,"message":"BAD one"}'),
    "a message of no text": finds(_in("1", message='"BAD \\ud800"')),
    "a message of a megabyte": finds(_in("1", message=f'"{"BAD" * 300_000}"')),
    "a finding's message that is a list": finds(_in("1", message='["BAD"]')),
    "a severity that is none": finds(_in("1", more=',"severity":{"a":1}')),
    "a code that is a list": finds(_in("1", more=',"code":[1]')),
    "a code of some depth": finds(_in("1", more=f',"code":{NESTED}')),
    "data of some depth": finds(_in("1", more=f',"data":{NESTED}')),
    "tags that are none": finds(_in("1", more=',"tags":{"1":1}')),
    "a link to a program": finds(_in("1", more=',"codeDescription":{"href":"command:x"}')),
    "a place outside": finds(_in("1", more=f",{OUTSIDE}")),
    "thousands of findings": finds(",".join([_in("1")] * 3_000)),
}  # fmt: skip
