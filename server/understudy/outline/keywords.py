"""The words of a line that are the language's own, as its grammar has them: no names."""

from __future__ import annotations

from understudy.outline.detection import PROSE, language_of
from understudy.outline.languages import LANGUAGES
from understudy.syntax.grammars import language_of as grammar_of
from understudy.values.positions import LineIndex
from understudy.values.texts import PackedText


def keywords_on(text: PackedText, path: str, line: int) -> frozenset[int]:
    """The columns at which keywords begin, line and columns from 0 (code points); for workers.

    None of a language without a grammar.
    """
    content = text.unpack().sendable
    data = content.encode()
    name = language_of(path, data[:65536])
    if name is None or name in PROSE:
        return frozenset()
    ours = LANGUAGES.get(name)
    grammar = grammar_of(name if ours is None else ours.grammar)
    if grammar is None:
        return frozenset()
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    index = LineIndex(content)
    first = len(content[: index.starts[line]].encode())
    last = first + len(index.line(line).encode())
    found: set[int] = set()
    waiting = [Parser(grammar).parse(data).root_node]
    while waiting:
        node = waiting.pop()
        if node.start_byte >= last or node.end_byte <= first:
            continue
        waiting += node.children
        if not (node.is_named or node.child_count or node.start_byte < first):
            found.add(len(data[first : node.start_byte].decode()))
    return frozenset(found)
