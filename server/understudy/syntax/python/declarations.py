"""What a Python text declares, and what others can see of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from understudy.syntax.model import ALL, NO_IMPORTS, FileDeclarations, FileImports, Mentions
from understudy.syntax.python import statements
from understudy.syntax.python.collected import Collected, Seen, StatementPlace
from understudy.syntax.python.functions import Function
from understudy.syntax.python.imports import imports_in
from understudy.syntax.python.listed import ALL_NAMES, ListedNames, listed_in
from understudy.syntax.python.source import NOTHING, PythonSource, union
from understudy.syntax.python.targets import names_of_head, names_of_statement
from understudy.syntax.python.trees import Parsed, parse, text_of, tokens_from

if TYPE_CHECKING:
    import tree_sitter

UNREAD: Final = FileDeclarations((), "", is_sound=False)

_IMPORTS = frozenset({"import_statement", "import_from_statement"})
_ENDS = frozenset(
    {"raise_statement", "assert_statement", "exec_statement"}
    # Out of place in a module, as where a line is at the wrong depth; checkers read no further.
    | {"return_statement", "break_statement", "continue_statement"}
)
_COMPOUND = frozenset(
    {"if_statement", "for_statement", "while_statement", "with_statement", "try_statement"}
    | {"match_statement"}
)
_CLAUSES = frozenset(
    {"elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause"}
    | {"case_clause"}
)
_LISTED = "listed in __all__"
_INFERRED = re.compile(rb"\b(?:Final|TypeAlias|ClassVar)\b")
_MAKES_TYPES = re.compile(
    r"\b(?:NewType|ParamSpec|TypeVar|TypeVarTuple|TypeAliasType|namedtuple|NamedTuple|TypedDict|Enum)\b"
)
_PLAIN_DECORATORS = re.compile(r"(?:@ (?:typing \. |typing_extensions \. )?final\s*)*")
_ALIAS = re.compile(rb"\bas\s+(\w+)|^[ \t]*(\w+)[ \t]*(?::[^=\n]*)?=", re.MULTILINE)
_PLAIN_BASES = frozenset(
    {"object", "Exception", "BaseException", "ValueError", "TypeError", "RuntimeError", "KeyError"}
    | {"LookupError", "AttributeError", "OSError", "AssertionError", "NotImplementedError"}
)


def read(path: str, text: bytes) -> FileDeclarations:
    """The declarations of a text: classes with their members, functions, variables, imports.

    All definitions of a name are one declaration. Names that an import binds are declared, too:
    what they show is that statement. A name in `__all__` is declared as listed. Whatever gives
    names that are written elsewhere is declared as ALL: a star import, a module's `__getattr__`.
    """
    parsed = parse(text)
    return UNREAD if parsed is None else _declarations_in(path, parsed)


def read_with_imports(path: str, text: bytes) -> tuple[FileImports, FileDeclarations]:
    """All that a text imports and declares, from one tree."""
    parsed = parse(text)
    if parsed is None:
        return NO_IMPORTS, UNREAD
    return imports_in(path, parsed), _declarations_in(path, parsed)


def _declarations_in(path: str, parsed: Parsed) -> FileDeclarations:
    source = PythonSource(parsed)
    reader = _Reader(path, source)
    reader.read(parsed.root)
    found = reader.found
    is_sound = source.is_laid_out and not parsed.root.has_error
    return FileDeclarations(found.declarations(), found.frame(), is_sound, found.loose())


class _Reader:
    def __init__(self, path: str, source: PythonSource) -> None:
        self._path = path
        self.found = Collected()
        self._source = source
        self._plain_classes = set(_PLAIN_BASES)
        self._aliases: set[bytes] | None = None

    def read(self, root: tree_sitter.Node) -> None:
        for pragma in self._source.pragmas:
            self.found.add_to_frame(StatementPlace(), pragma.decode(errors="replace"))
        self._block(root, StatementPlace())
        for node in self._source.parsed.words(b"global"):
            self._global(node)

    def _block(self, block: tree_sitter.Node, place: StatementPlace) -> None:
        for statement in block.named_children:
            self._statement(statement, place)

    def _statement(self, node: tree_sitter.Node, place: StatementPlace) -> None:
        kind = node.type
        if kind == "function_definition":
            self._function(node, node.start_byte, place)
        elif kind == "class_definition":
            self._class(node, node.start_byte, place)
        elif kind == "decorated_definition":
            self._decorated(node, place)
        elif kind in _IMPORTS:
            self._import(node, place)
        elif kind in _COMPOUND:
            self._compound(node, place)
        elif kind == "ERROR":
            self.found.add_loose(self._mentions(node))
            self._block(node, place)
        elif kind == "future_import_statement" or kind in _ENDS:
            self.found.add_to_frame(place, self._tokens(node))
            self.found.add_loose(self._mentions(node))
        elif kind != "comment":
            self._simple(node, place)

    def _decorated(self, node: tree_sitter.Node, place: StatementPlace) -> None:
        definition = node.child_by_field_name("definition")
        if definition is None:
            self.found.add_loose(self._mentions(node))
        elif definition.type == "class_definition":
            self._class(definition, node.start_byte, place)
        else:
            self._function(definition, node.start_byte, place)

    def _function(self, node: tree_sitter.Node, start: int, place: StatementPlace) -> None:
        name = _name_of(node)
        function = Function(self._source, node, start)
        seen = function.seen()
        if place.owner:
            of_class = _of_class(function.head(), (name,))
            seen = seen._replace(shown=union(seen.shown, of_class))
            if seen.signature is not None:
                shown = union(seen.signature.shown, of_class)
                seen = seen._replace(signature=seen.signature._replace(shown=shown))
        if name == "__getattr__" and not place.owner:
            seen = seen._replace(exported=ALL)
        self.found.add(place, (name,), seen)
        if place.owner:
            for attribute in function.attributes():
                self.found.add(place, (attribute.name,), attribute.seen)

    def _class(self, node: tree_sitter.Node, start: int, place: StatementPlace) -> None:
        name, body = _name_of(node), node.child_by_field_name("body")
        end = node.end_byte if body is None else body.start_byte
        shown = self._source.mentions(start, end)
        self.found.add(place, (name,), Seen(self._source.tokens(start, end), shown))
        if body is None:
            return
        bases = node.child_by_field_name("superclasses")
        decorators = self._source.tokens(start, node.start_byte)
        is_plain = _PLAIN_DECORATORS.fullmatch(decorators) is not None and self._are_plain(bases)
        if is_plain and not place.owner:
            self._plain_classes.add(name)
        has_bases = bases is not None and bases.named_child_count > 0
        is_protocol = bases is not None and any(map(self._may_be_protocol, bases.named_children))
        self._block(
            body,
            StatementPlace(place.path(name), "", NOTHING, not is_plain, has_bases, is_protocol),
        )

    def _may_be_protocol(self, base: tree_sitter.Node) -> bool:
        """Whether a base may be `Protocol` itself: it makes a protocol of no class but its own."""
        written = text_of(base)
        if self._aliases is None:
            found = _ALIAS.findall(self._source.parsed.text)
            self._aliases = {name for names in found for name in names}
        return "Protocol" in written or written.partition("[")[0].encode() in self._aliases

    def _are_plain(self, bases: tree_sitter.Node | None) -> bool:
        """Whether members mean nothing to the bases of a class, as far as the text tells."""
        for base in () if bases is None else bases.named_children:
            value = base.child_by_field_name("value") if base.type == "subscript" else base
            is_generic = base.type == "subscript" and value is not None and value.text == b"Generic"
            if not is_generic and (value is None or text_of(value) not in self._plain_classes):
                return False
        return True

    def _import(self, node: tree_sitter.Node, place: StatementPlace) -> None:
        one = statements.read(tokens_from(self._source.parsed.text, node.start_byte))
        for name, alias in one.names:
            local = alias or (name if one.is_from else name.partition(".")[0])
            exported = ALL if name == ALL else None
            shown = Mentions(frozenset((local,) if place.owner else ()))
            tokens = f"{one.target}\0{name}\0{alias}"
            self.found.add(place, (local,), Seen(tokens, shown, exported=exported))
        if one.is_whole and not place.owner:
            for target in (one.target,) if one.is_from else [name for name, _ in one.names]:
                submodule = statements.submodule_of(self._path, target)
                if submodule is not None:
                    self.found.add(place, (submodule.name,), Seen(submodule.target))

    def _compound(self, node: tree_sitter.Node, place: StatementPlace) -> None:
        """What stands in each branch, with all conditions that have to hold or to fail for it."""
        if node.type == "while_statement":
            self.found.add_call(place, self._tokens(node), self._mentions(node))
        condition, shown = "", NOTHING
        branches = [node]
        for branch in branches:
            blocks = [child for child in branch.named_children if child.type == "block"]
            clauses = [child for child in branch.named_children if child.type in _CLAUSES]
            end = min((child.start_byte for child in (*blocks, *clauses)), default=branch.end_byte)
            condition += "\n" + self._source.tokens(branch.start_byte, end)
            shown = union(shown, self._source.mentions(branch.start_byte, end))
            self.found.add_loose(shown)
            inside = place.under(condition, shown)
            head = self._source.parsed.text[branch.start_byte : end]
            seen = Seen(self._source.tokens(branch.start_byte, end))
            self.found.add(inside, names_of_head(branch, head), seen)
            for block in blocks:
                if branch.type == "match_statement":
                    clauses += block.named_children
                else:
                    self._block(block, inside)
            branches += clauses

    def _simple(self, node: tree_sitter.Node, place: StatementPlace) -> None:
        end = self._source.end_with_type(node)
        tokens = self._source.tokens(node.start_byte, end)
        shown = self._source.mentions(node.start_byte, end)
        names = names_of_statement(node)
        listed = listed_in(node) if ALL_NAMES in shown.names and not place.owner else None
        if listed is not None:
            self._list(listed, place, tokens)
            return
        if not names:
            self._effect(node, place, tokens, shown)
            return
        shown = _of_class(shown, names) if place.owner else shown
        if place.is_special or self._is_inferred(node, tokens):
            of_owner = bool(place.owner) and node.child_by_field_name("type") is not None
            self.found.add(place, names, Seen(tokens, shown, of_owner=of_owner))
            return
        value = node.child_by_field_name("right")
        value_start = end if value is None else value.start_byte
        tokens = self._source.tokens(node.start_byte, value_start)
        seen = Seen(tokens, shown, of_owner=bool(place.owner))
        if value is not None:
            shown = self._source.mentions(node.start_byte, value_start)
            shown = _of_class(shown, names) if place.owner else shown
            inner = self._mentions(value)
            self.found.add_store(place, names, self._tokens(value), inner)
            seen = seen._replace(shown=shown, inner=inner)
        self.found.add(place, names, seen)

    def _is_inferred(self, node: tree_sitter.Node, tokens: str) -> bool:
        """Whether what a variable is depends on its value, and not on a declared type alone."""
        kind = node.child_by_field_name("type")
        if kind is None or _INFERRED.search(kind.text or b""):
            return True
        return _MAKES_TYPES.search(tokens) is not None

    def _list(self, listed: ListedNames, place: StatementPlace, tokens: str) -> None:
        """Names in `__all__`; that there is one hides all names that it does not list."""
        self.found.add(place, listed.names, Seen(_LISTED))
        self.found.add(place, (ALL_NAMES,), Seen(tokens))
        self.found.add_to_frame(StatementPlace(), _LISTED if listed.is_whole else tokens)

    def _effect(
        self, node: tree_sitter.Node, place: StatementPlace, tokens: str, shown: Mentions
    ) -> None:
        """A statement that binds no name of the module."""
        self.found.add_loose(shown)
        if place.owner:
            owner, _, name = place.owner.rpartition(".")
            self.found.add(StatementPlace(owner), (name,), Seen(tokens, shown))
        elif "(" in tokens:
            function = node.child_by_field_name("function") if node.type == "call" else None
            if function is not None:  # with the bracket that shows that it is called
                shown = self._source.mentions(function.start_byte, function.end_byte + 1)
            self.found.add_call(place, tokens, shown)

    def _global(self, node: tree_sitter.Node) -> None:
        """The names of the module that a function binds: by all that it does."""
        statement, function = node.parent, node.parent
        while function is not None and function.type != "function_definition":
            function = function.parent
        if statement is None or function is None:
            return
        seen = Seen(self._tokens(function), self._mentions(function))
        self.found.add(StatementPlace(), map(text_of, statement.named_children), seen)

    def _tokens(self, node: tree_sitter.Node) -> str:
        return self._source.tokens(node.start_byte, node.end_byte)

    def _mentions(self, node: tree_sitter.Node) -> Mentions:
        return self._source.mentions(node.start_byte, node.end_byte)


def _name_of(definition: tree_sitter.Node) -> str:
    name = definition.child_by_field_name("name")
    return "" if name is None else text_of(name)


def _of_class(mentions: Mentions, own: Iterable[str]) -> Mentions:
    """What a declaration in a class mentions: a free name may be a member, but for its own."""
    members = mentions.members | mentions.names.difference(own)
    return Mentions(mentions.names, members, mentions.bare)
