"""JSON with schemas beside the documents; the oracle is a server for one question only."""

from __future__ import annotations

from tests.support import data_projects, file_edits_data
from tests.support.kit import CrossFile, Kit, Oracle, Pairing, Sample
from tests.support.oracle_fresh import Fresh, by_fresh


def _schema(kind: str, i: int) -> str:
    return (
        f'{{"title": "{i}", "type": "object", "additionalProperties": false, "properties": '
        f'{{"$schema": {{}}, "é😀": {{}}, "n": {{"type": "{kind}"}}}}}}\n'
    )


_SAMPLE = Sample(
    "json",
    data_projects.make_json,
    file_edits_data.json_scenarios,
    lambda text, marker: text.replace("{\n", f'{{\n  "{marker}": 1,\n', 1),
)
_SERVER = Fresh(
    ("vscode-json-language-server", "--stdio"),
    {".json": "json"},
    {"handledSchemaProtocols": ["file"]},
)
PAIRINGS = (
    Pairing("vscode-json", Oracle("json", by_fresh(_SERVER), 20, _SERVER.command[0]), _SAMPLE),
)
KITS = (
    Kit(
        name="vscode-json",
        path="app.json",
        files={
            "app.json": '{"$schema": "./lib.schema.json", "n": 1}\n',
            "user.json": '{"$schema": "./lib.schema.json", "n": 1}\n',
            "lib.schema.json": _schema("number", 0),
        },
        marked=lambda m: f'{{"$schema": "./lib.schema.json",\r\n "é😀": 1, "{m}": 1}}\r\n',
        broken='{"$schema": "./lib.schema.json", "n": \n',
        cross=CrossFile(
            importer="user.json",
            dependency="lib.schema.json",
            good=lambda i: _schema("number", i),
            bad=lambda i: _schema("string", i),
        ),
    ),
)
