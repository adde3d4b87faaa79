"""Positions of whatever a server sends, between its encoding and UTF-16."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.langserver.worlds import World
from understudy.langserver.recode import Recoder

TEXTS = {"a.py": "é😀x\n", "b.py": "😀😀x\n"}


@dataclass
class Speaker:
    """As much of a client as counts here: an encoding and the paths of URIs."""

    world: World
    encoding: str

    def path_of(self, uri: str) -> str | None:
        return self.world.root.relative_of_uri(uri)


@pytest.mark.parametrize(
    ("encoding", "in_a", "in_b"), [("utf-8", 6, 8), ("utf-16", 3, 4), ("utf-32", 2, 2)]
)
def test_every_position_is_found(tmp_path: Path, encoding: str, in_a: int, in_b: int) -> None:
    world = World.make(tmp_path, TEXTS)
    recoder = Recoder(Speaker(world, encoding), world.snapshot(), "a.py")  # type: ignore[arg-type]
    a, b = world.root.uri("a.py"), world.root.uri("b.py")

    def values(at_a: int, at_b: int) -> list[Any]:
        def place(column: int) -> Any:
            return {"line": 0, "character": column}

        def span(column: int) -> Any:
            return {"start": place(0), "end": place(column)}

        return [
            place(at_a),
            {"contents": "hover", "range": span(at_a)},
            [{"uri": b, "range": span(at_b)}, {"uri": a, "range": span(at_a)}],
            {"originSelectionRange": span(at_a), "targetUri": b, "targetRange": span(at_b)},
            {"changes": {b: [{"range": span(at_b), "newText": "y"}], a: [{"range": span(at_a)}]}},
            {"documentChanges": [{"textDocument": {"uri": b}, "edits": [{"range": span(at_b)}]}]},
            {"from": {"uri": b, "range": span(at_b)}, "fromRanges": [span(at_b)]},
            {"startLine": 0, "startCharacter": at_a, "endLine": 0, "endCharacter": at_a},
            {"textDocument": {"uri": a}, "position": place(at_a), "context": {"x": None}},
        ]

    assert recoder.incoming(values(in_a, in_b)) == values(3, 4)
    assert recoder.outgoing(values(3, 4)) == values(in_a, in_b)


def test_what_belongs_to_the_server_or_others_is_left_alone(tmp_path: Path) -> None:
    world = World.make(tmp_path, TEXTS)
    recoder = Recoder(Speaker(world, "utf-8"), world.snapshot(), "a.py")  # type: ignore[arg-type]
    place = {"line": 0, "character": 6}
    for value in (
        {"data": {"position": place}},
        {"uri": "file:///elsewhere/x.py", "range": {"start": place, "end": place}},
        None,
        "text",
    ):
        assert recoder.incoming(value) == value
