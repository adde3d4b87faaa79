"""Takes the items of a Rust text one by one, with what of each others can see."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import NO_MENTIONS, all_mentions, digest_of, mentions_in
from understudy.syntax.model import Declaration, Mentions
from understudy.syntax.rust.made import (
    gives_macros,
    implements,
    made_around,
    made_in_bodies,
    writes_macros,
)
from understudy.syntax.rust.unseen import IN_SCOPE, PATH, Unseen, has_wildcard, is_own, wildcards_in
from understudy.syntax.rust.uses import uses_in

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_SHOWN_BODY: Final = re.compile(rb"\b(?:const|async)\b[^(]*\bfn\b|->[^{]*\bimpl\b")
_COMPUTED: Final = re.compile(rb"\bas\b|[;{!]")
"""In a type: another one, or a macro, decides which it is (`<S as Tr>::Out`, `[u8; S::N]`)."""
_KEYWORDS: Final = frozenset(b"impl for where dyn unsafe const mut crate self super".split())
_MOST_OF_USES: Final = 1_000_000
"""Bytes of the paths of all `use`s, each written out."""
_MOST_DECLARED: Final = 50_000
_MOST_BY_USES: Final = 500_000
"""Declarations that depend on the `use`s of their text, times the names in those."""
_BY_VALUE: Final = re.compile(rb"\[[^\[\];]*;\s*[^\d\s]|<[^<>{]*\{")
"""In a type: a value decides which it is (`[u8; S::N]`, `A<{ S::N }>`)."""
_VALUES: Final = ("const_item", "static_item", "enum_variant")
_BY_TRAIT: Final = re.compile(rb"::|!|\.\s*[A-Za-z_\x80-\xff]")
"""In a value: it may be taken by a trait that is in scope."""
_BY_USES: Final = "*uses"
"""Marks what depends on the traits that are in scope around it."""
_VISIBILITY: Final = "visibility_modifier"
_MAKES_NOTHING: Final = ("inner_attribute_item", "empty_statement")

Owner = tuple[str, ...]


class ItemReader:
    """Takes the items of one list after the other; attributes belong to the item below them."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self.found: list[Declaration] = []
        self.frame: list[bytes] = []
        self.loose: list[Mentions] = []
        self.around: list[Mentions] = []
        self._unseen = Unseen()
        self._in_heads: list[Mentions] = []
        """What decides which traits are in scope, and of which types."""
        self._modules = b""
        """Stands for those above in the same list, which see no macro that is made below."""
        self._own: set[int] = set()
        """Where wildcards end that take what stands in this text."""
        self._n_left = _MOST_OF_USES
        self._conditions = b""
        """Those of the modules around, by which all inside comes or goes."""
        self._levels = b""
        """All attributes of the modules around, which hold in the files of those inside, too."""
        self._uses: list[str] = []
        self._used: list[Mentions] = []
        self._by_type: dict[str, Callable[[Node, bytes, Owner], None]] = {
            "function_item": self._function,
            "function_signature_item": self._function,
            "struct_item": self._type,
            "union_item": self._type,
            "enum_item": self._type,
            "trait_item": self._trait,
            "impl_item": self._implementation,
            "mod_item": self._module,
            "foreign_mod_item": self._foreign,
            "use_declaration": self._use,
            "field_declaration": self._item,
            "enum_variant": self._variant,
            "macro_definition": self._macro,
            **dict.fromkeys(
                ("type_item", "const_item", "extern_crate_declaration"), self._other_name
            ),
            **dict.fromkeys(("static_item", "associated_type"), self._item),
        }

    def items(self, node: Node, owner: Owner, *, of_owner: bool = False) -> None:
        """Take every item of a list; `of_owner` in a type, a trait or an implementation."""
        attributes = b""
        outer, self._modules = self._modules, b""
        for child in node.children:
            if len(self.found) > _MOST_DECLARED:
                self._n_left = -1
                break
            if child.type == "attribute_item":
                attributes += self._span(child)
                continue
            take = self._by_type.get(child.type)
            self._made_around(child, attributes)
            if take is not None:
                n_before = len(self.found)
                take(child, attributes, owner)
                if of_owner:
                    self.found[n_before:] = map(_of_owner, self.found[n_before:])
                if not of_owner or child.type == "enum_variant":
                    self._give(child, attributes, owner)
            elif child.is_named and not child.type.endswith("_comment"):
                self._frame(attributes, self._span(child))
                mentioned = mentions_in(self._span(child))
                if child.type in _MAKES_NOTHING:
                    self.loose.append(mentioned)
                else:
                    self._hand_on_any(mentioned)
            attributes = b""
        self._modules = outer

    @property
    def is_whole(self) -> bool:
        """Whether all was taken, as far as there is time for it."""
        return self._n_left >= 0

    def ended(self, root: Node) -> None:
        """Add what stands for many names, and what the text takes without naming it."""
        for name, digest in self._unseen.digests():
            shown = all_mentions(self._in_heads) if name == IN_SCOPE else NO_MENTIONS
            self.found.append(Declaration(name, "", (name,), digest, shown, NO_MENTIONS))
        seen = frozenset[str]().union(*wildcards_in(root, self._code, self._own))
        self._unseen.sees(seen)
        self.loose.append(self._unseen.seen)
        self._add_uses(seen & {IN_SCOPE})
        self.frame += made_in_bodies(root, self._code)
        if writes_macros(self._code):
            self.frame.append(self._code)

    def _add_uses(self, seen: frozenset[str]) -> None:
        """A value can be another one where a method is another trait's, which is not named."""
        marked = [at for at, one in enumerate(self.found) if _BY_USES in one.shown.names]
        used = all_mentions(self._used).names | seen
        if len(marked) * len(used) > _MOST_BY_USES:
            self._n_left = -1
            return
        uses = "".join(self._uses).encode()
        for at in marked:
            one = self.found[at]
            shown = Mentions((one.shown.names - {_BY_USES}) | used, one.shown.members)
            outside = digest_of(one.outside.encode(), uses)
            self.found[at] = replace(one, outside=outside, shown=shown)

    def _span(self, node: Node, end: int | None = None) -> bytes:
        return self._code[node.start_byte : node.end_byte if end is None else end]

    def _before_body(self, node: Node) -> bytes:
        body = node.child_by_field_name("body")
        return self._span(node, body.start_byte if body is not None else None)

    def _visibility(self, node: Node) -> bytes:
        return b"".join(self._span(one) for one in node.children if one.type == _VISIBILITY)

    def _made_around(self, item: Node, attributes: bytes) -> None:
        """Take what the code inside an item can make outside of it."""
        code = self._span(item)
        made = made_around(item.type, attributes, code)
        if made is not None:
            self._frame(attributes, code)
            self._hand_on_any(made)
        if gives_macros(attributes):
            self._frame(attributes, self._before_body(item), self._modules)

    def _frame(self, *spans: bytes) -> None:
        """Take what all of the file depends on."""
        self.frame += [self._conditions, *spans]

    def _place(self, owner: Owner) -> bytes:
        return b" ".join((".".join(owner).encode(), self._conditions))

    def _hand_on_any(self, decisive: Mentions) -> None:
        """Take that others find what nobody can tell here, and that these names decide it."""
        self.loose.append(decisive)
        self.around.append(decisive)

    def _give(self, node: Node, attributes: bytes, owner: Owner) -> None:
        """Take a name that others may find here; a `use` gives its own."""
        name = self._name(node)
        if not name or node.type == "impl_item":
            return
        seen = self._visibility(node)
        decisive = attributes if b"cfg" in attributes or b"macro" in attributes else b""
        is_seen = bool(seen) or node.type == "enum_variant" or b"macro_export" in attributes
        self._unseen.name(
            (self._place(owner), decisive, seen, node.type.encode(), name.encode()), is_seen=is_seen
        )

    def _item(self, node: Node, attributes: bytes, owner: Owner, *, is_path: bool = False) -> None:
        span = self._span(node)
        is_value = node.type in _VALUES and _BY_TRAIT.search(span) is not None
        by_uses = is_value or _BY_VALUE.search(span) is not None
        self._add(self._name(node), owner, (attributes, span), is_path=is_path, by_uses=by_uses)

    def _other_name(self, node: Node, attributes: bytes, owner: Owner) -> None:
        self._item(node, attributes, owner, is_path=True)

    def _macro(self, node: Node, attributes: bytes, owner: Owner) -> None:
        """A macro, which modules above it do not see; one that makes `impl`s may make any."""
        code = self._span(node)
        wanted = all_mentions((mentions_in(attributes, code), Mentions(has_wildcard(code))))
        spans = attributes, code
        self._add(self._name(node), owner, spans, taken_as=self._modules, shown=wanted)
        if implements(code):
            self._frame(attributes, code)
            self._in_heads.append(wanted)
            self._unseen.scope(code)

    def _function(self, node: Node, attributes: bytes, owner: Owner) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            self._item(node, attributes, owner)
            return
        signature, inner = self._span(node, body.start_byte), self._span(body)
        is_shown = _SHOWN_BODY.search(signature) is not None
        shown = (signature, inner) if is_shown else (signature,)
        by_trait = is_shown and _BY_TRAIT.search(inner) is not None
        by_uses = by_trait or _BY_VALUE.search(signature) is not None
        self._add(self._name(node), owner, (attributes, *shown), inner, by_uses=by_uses)

    def _type(self, node: Node, attributes: bytes, owner: Owner) -> None:
        self._item(node, attributes, owner)
        body = node.child_by_field_name("body")
        if body is not None and body.type != "ordered_field_declaration_list":
            n_before, inner = len(self.found), (*owner, self._name(node))
            self.items(body, inner, of_owner=True)
            if node.type == "enum_item":  # a wildcard takes them without naming it
                around = digest_of(attributes, self._visibility(node)).encode()
                for number, one in enumerate(self.found[n_before:], n_before):
                    if one.owner == ".".join(inner):
                        self.found[number] = replace(_within(around, one), exported=(one.name,))

    def _variant(self, node: Node, attributes: bytes, owner: Owner) -> None:
        self._item(node, attributes, owner)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "field_declaration_list":
            self.items(body, (*owner, self._name(node)), of_owner=True)

    def _trait(self, node: Node, attributes: bytes, owner: Owner) -> None:
        """A trait; who calls a method of it need not name the trait."""
        head = attributes, self._before_body(node)
        self._add(self._name(node), owner, head)
        self._unseen.scope(self._place(owner), *head)
        self._in_heads.append(mentions_in(*head))
        body = node.child_by_field_name("body")
        if body is not None:
            n_before = len(self.found)
            self.items(body, (*owner, self._name(node)), of_owner=True)
            self.found += [
                replace(one, owner=f"*{one.owner}", of_owner=False)
                for one in self.found[n_before:]
                if one.of_owner
            ]

    def _implementation(self, node: Node, attributes: bytes, owner: Owner) -> None:
        """What an implementation adds to its type; that a trait holds for it may matter to all."""
        body = node.child_by_field_name("body")
        head = self._before_body(node)
        stated = node.child_by_field_name("type")
        # Of `a::S<T>` and of `&mut S` it is `S`.
        bare = self._span(stated).partition(b"<")[0] if stated is not None else b""
        words = [_text(word) for word in _WORD.findall(bare) if word not in _KEYWORDS]
        name = words[-1] if words else ""
        if node.child_by_field_name("trait") is not None:
            self._trait_for_type(node, (attributes, head), owner)
        else:
            self._add(name, owner, (attributes, head))
            if b"!" in bare:
                self._hand_on_any(mentions_in(bare))
        if body is not None:
            self.items(body, (*owner, name), of_owner=True)

    def _trait_for_type(self, node: Node, head: tuple[bytes, ...], owner: Owner) -> None:
        """All that it names has a trait, or is one; it is that of a type that stays what it is."""
        body = node.child_by_field_name("body")
        inside = [] if body is None else body.children
        types = b"\n".join(self._span(one) for one in inside if one.type == "type_item")
        trait = node.child_by_field_name("trait")
        bounds = [one for one in node.children if one.type in ("type_parameters", "where_clause")]
        spans = [self._span(one) for one in bounds]
        spans += [self._span(trait).partition(b"<")[0]] if trait is not None else []
        spans += [head[-1]] if _COMPUTED.search(head[-1]) else []
        decisive = all_mentions((mentions_in(*spans), _as_paths(head[-1])))
        shown = all_mentions((decisive, mentions_in(types)))
        for word in dict.fromkeys(_WORD.findall(head[-1])):
            if word not in _KEYWORDS:
                self._add(_text(word), owner, (*head, types), b"\n".join(head), shown=shown)
        self._in_heads.append(decisive)
        self._unseen.scope(self._place(owner), *head, types)

    def _module(self, node: Node, attributes: bytes, owner: Owner) -> None:
        name, body = self._name(node), node.child_by_field_name("body")
        shown = mentions_in(attributes, self._visibility(node))
        spans = attributes, self._before_body(node)
        self._add(name, owner, spans, is_path=True, shown=shown)
        before = self._conditions, self._levels
        if b"cfg" in attributes:
            self._conditions = digest_of(self._conditions, attributes).encode()
        if attributes:
            self._levels = digest_of(self._levels, attributes).encode()
        if body is not None:
            self.items(body, (*owner, name))
        elif self._levels:  # whoever takes the module does not say so
            self._frame(self._levels, name.encode())
        self._conditions, self._levels = before
        self._modules = digest_of(self._modules, name.encode()).encode()

    def _foreign(self, node: Node, attributes: bytes, owner: Owner) -> None:
        body = node.child_by_field_name("body")
        n_before = len(self.found)
        if body is not None:
            self.items(body, owner)
        around = digest_of(attributes, self._before_body(node)).encode()
        self.found[n_before:] = map(partial(_within, around), self.found[n_before:])

    def _use(self, node: Node, attributes: bytes, owner: Owner) -> None:
        """Names that a `use` brings in, each by itself; one that ends in `*` may bring any."""
        head, place = self._visibility(node), self._place(owner)
        for path, name in uses_in(node, self._code):
            self._n_left -= len(path)
            if self._n_left < 0:
                return
            spans = attributes, head, path
            self._unseen.scope(place, *spans, name)
            self._uses.append(digest_of(place, attributes, path, name))
            self._used.append(_as_paths(path))
            if name:
                known = _text(name).removeprefix("r#")
                self._unseen.name((place, *spans, b"as", name), is_seen=bool(head))
                self._add(known, owner, spans, taken_as=name, is_path=True)
                continue
            self._frame(place, *spans)
            self.loose.append(mentions_in(attributes, path))
            self.around.append(_as_paths(path))
            if is_own(path, len(owner)):
                self._own.add(node.end_byte)
            if head:
                self._unseen.wildcard(path)

    def _name(self, node: Node) -> str:
        name = node.child_by_field_name("alias") or node.child_by_field_name("name")
        return _text(self._span(name)).removeprefix("r#") if name is not None else ""

    def _add(
        self,
        name: str,
        owner: Owner,
        spans: tuple[bytes, ...],
        inner: bytes = b"",
        *,
        taken_as: bytes = b"",
        is_path: bool = False,
        by_uses: bool = False,
        shown: Mentions | None = None,
    ) -> None:
        exported = (name, f"{name}{PATH}") if is_path else (name,)
        shown = mentions_in(*spans) if shown is None else shown
        shown = Mentions(shown.names | {_BY_USES}, shown.members) if by_uses else shown
        self.found.append(
            Declaration(
                name,
                ".".join(owner),
                () if name == "_" else exported,
                digest_of(*spans, taken_as, self._conditions),
                shown,
                mentions_in(inner) if inner else NO_MENTIONS,
            )
        )


def _as_paths(code: bytes) -> Mentions:
    """Its words as parts of paths: not what they are, but what they mean."""
    return Mentions(frozenset(f"{_text(word)}{PATH}" for word in _WORD.findall(code)))


def _of_owner(one: Declaration) -> Declaration:
    shown = Mentions(one.shown.names, one.shown.members | {one.name})
    return Declaration(one.name, one.owner, (), one.outside, shown, one.inner, of_owner=True)


def _within(around: bytes, one: Declaration) -> Declaration:
    return replace(one, outside=digest_of(around, one.outside.encode()))


def _text(word: bytes) -> str:
    return word.decode("utf-8", "replace")
