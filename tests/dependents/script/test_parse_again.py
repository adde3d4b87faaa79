"""A text that is parsed with the help of the one before it has the tree that it has alone."""

from __future__ import annotations

from random import Random

import pytest
from tree_sitter import Tree

from tests.support.script_forms import USUAL
from understudy.syntax.script.declarations import read, read_with_imports
from understudy.syntax.script.grammar import parse, parse_again
from understudy.syntax.script.imports import read as read_imports

PIECES = (
    *("{", "}", "(", ")", "`", "${", "'", '"', "\n", ";", "//", "/*", "*/", "<", ">", "x.y", "=>"),
    *("async ", "function f() {}", "class A {}", "return ", "/a/g", "export ", "type T = 1;", "\\"),
    *("`a${b}c`", "<a>b</a>", "enum E {}", "let x = 1\n", "import 'x'\n", "// note\n", "\n\n"),
)


def nodes(tree: Tree | None) -> list[tuple[object, ...]]:
    assert tree is not None
    found: list[tuple[object, ...]] = []
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        found.append((node.type, node.start_byte, node.end_byte, node.start_point, node.end_point))
        pending.extend(node.children)
    return found


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.js"])
def test_a_text_after_many_edits(path: str):
    random = Random(17)
    texts = [text for form in USUAL for name, text in form.files.items() if name.endswith(".ts")]
    n_whole = 0
    for _ in range(40):
        text = "\n".join(random.choices(texts, k=4)).encode()
        for _ in range(12):
            start = random.randrange(len(text) + 1)
            end = min(len(text), start + random.choice((0, 0, 3, 20)))
            edited = text[:start] + random.choice(PIECES).encode() + text[end:]
            again, alone = parse_again(path, edited), parse(path, edited)
            assert nodes(again) == nodes(alone), edited
            if again is not None and not again.root_node.has_error:
                text, n_whole = edited, n_whole + 1
    assert n_whole > 50


def test_one_tree_says_what_two_say():
    for form in USUAL:
        for path, text in form.files.items():
            data = text.encode()
            assert read_with_imports(path, data) == (read_imports(path, data), read(path, data))
