"""What a C or C++ text declares, and how much of it others can see.

Names are found by their places in a declaration, in doubt one too many. Text that is no plain
declaration (a call of a macro that may declare anything, a pragma, Objective-C) is in the frame.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from understudy.syntax.code_spans import NO_MENTIONS, all_mentions, digest_of, mentions_in
from understudy.syntax.model import Declaration, FileDeclarations, Mentions
from understudy.syntax.native.chunks import Chunk, chunks, tag_of
from understudy.syntax.native.code import code_of, lines_of

SOURCES: Final = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".m", ".mm", ".cl")
"""Of files that nobody includes as a rule: what is static in them is theirs alone."""


def read(path: str, text: bytes) -> FileDeclarations:
    """All that a text declares, macros, members and enumerators among it.

    A body counts as seen where others compile it, too: in a header, and where it is a template,
    a constant expression or gives a function its type.
    """
    is_source = path.endswith(SOURCES)
    found: list[Declaration] = []
    frame: list[bytes] = [b"objective-c", text] if _OBJECTIVE.search(text) else []
    loose: list[Mentions] = [mentions_in(text)] if frame else []
    all_chunks, is_sound = chunks(text)
    code, lines = code_of(text), lines_of(text)
    for chunk in all_chunks:
        declared = list(_declared(chunk, is_source=is_source))
        found += declared
        if not (declared or chunk.name or _NO_MACRO.match(chunk.whole)):
            code += lines  # it may declare anything, by the number of its line, too
        if not declared and chunk.name not in ("error", "warning", "line"):
            frame += [*chunk.conditions, chunk.name.encode(), chunk.whole]
            loose.append(mentions_in(chunk.whole))
    return FileDeclarations(
        tuple(found),
        digest_of(*frame),
        is_sound,
        all_mentions(loose),
        _digest(code),
        _digest(lines),
    )


def _digest(code: bytes) -> str:
    return hashlib.blake2b(code, digest_size=16).hexdigest()


_NO_MACRO: Final = re.compile(rb"\s*(?:static_assert|_Static_assert|using)\b")
_OBJECTIVE: Final = re.compile(rb"^\s*@(?:interface|implementation|protocol|class)\b", re.MULTILINE)
_KEYWORDS: Final = frozenset(
    b"alignas alignof asm auto bool break case catch char class concept const consteval constexpr "
    b"constinit continue decltype default delete do double else enum explicit export extern false "
    b"final float for friend goto if inline int long mutable namespace new noexcept nullptr "
    b"override private protected public register requires restrict return short signed sizeof "
    b"static static_assert struct switch template this throw true try typedef typename union "
    b"unsigned using virtual void volatile while _Static_assert _Alignas _Atomic _Bool _Complex "
    b"__attribute__ __declspec __asm__ __asm __extension__ __inline __inline__ __restrict "
    b"__restrict__ __typeof__ typeof _Noreturn thread_local _Thread_local".split()
)
_SEEN_BODY: Final = re.compile(rb"\b(?:template|constexpr|consteval|auto|decltype|concept)\b")
_STATIC: Final = re.compile(rb"\bstatic\b")
_LINE: Final = re.compile(rb"^[ \t]*(?:\#|%:)(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE)
_CALL: Final = re.compile(rb"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)")
_TEMPLATE: Final = re.compile(rb"<[^<>;{}()]*>")
_BRACES: Final = re.compile(rb"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_POINTED: Final = re.compile(rb"\(\s*(?:[\w:]+\s*::\s*)?[*&^]+\s*(?:const\s+)?(\w+)")
_CALLED: Final = re.compile(rb"((?:[A-Za-z_]\w*\s*::\s*){0,9})~?([A-Za-z_]\w*)\s*\(")
_DECLARATOR: Final = re.compile(
    rb"((?:[A-Za-z_]\w*\s*::\s*){0,9})([A-Za-z_]\w*)\s*(?=[,=\[{]|:(?!:)|\Z)"
)
_ALIAS: Final = re.compile(
    rb"\s*(?:export\s+)?(?:template\b.*>\s*)?(?:using|namespace)\s+([A-Za-z_]\w*)\s*"
    rb"(?:\[\[.*?\]\]\s*)?=",
    re.DOTALL,
)
_USING: Final = re.compile(rb"\s*(?:export\s+)?using\s+(?!namespace\b)[^=]*?(\w+)\s*\Z")
_USING_NAMESPACE: Final = re.compile(rb"\s*using\s+namespace\b")
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_MACRO: Final = re.compile(rb"\s*([A-Za-z_]\w*)")
_POINTER: Final = re.compile(rb"[^\w\s]\s*\(\)|\b\w+\s+\(\)\s*\(|\(\)\s*\(\)|\(\)\s*\[")
_INITIAL: Final = re.compile(rb"\(\)\s*(?:noexcept\s*(?:\(\)\s*)?)?:(?!:).*", re.DOTALL)
_STRING: Final = re.compile(
    rb"R\"(?P<d>[^ ()\\\n\"]{0,16})\(.*?\)(?P=d)\"|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(
    rb"\b(?:__attribute__|__attribute|__declspec|__asm__|__asm|asm|alignas|_Alignas)\s*\(\)"
)
_OPERATOR: Final = re.compile(rb"\boperator\s*[^\s\w(]+")
_VALUE: Final = re.compile(rb"=[^,]*")
_TYPE_KEY: Final = re.compile(rb"\b(?:class|struct|union|enum)\b")


def _declared(chunk: Chunk, *, is_source: bool) -> Iterator[Declaration]:
    if chunk.name:
        macro = _MACRO.match(chunk.whole) if chunk.name == "define" else None
        if macro is not None:
            yield from _declarations(chunk, [("", _text(macro[1]))], chunk.whole)
        return
    if chunk.scope == "enum":
        yield from _declarations(chunk, [("", _text(chunk.head))], chunk.whole)
        return
    head = _close(_LINE.sub(b"", chunk.head))
    is_static = is_source and chunk.scope != "class" and _STATIC.search(head) is not None
    is_seen = not is_source or _SEEN_BODY.search(head) is not None or not _is_function(head)
    shown, inner = (chunk.whole, b"") if is_seen else (chunk.head, chunk.whole[len(chunk.head) :])
    names = list(dict.fromkeys(_names(chunk, head)))
    is_hidden = chunk.is_hidden or is_static or chunk.scope == "class"
    yield from _declarations(chunk, names, shown, inner, is_hidden=is_hidden)


def _declarations(
    chunk: Chunk,
    names: list[tuple[str, str]],
    shown: bytes,
    inner: bytes = b"",
    *,
    is_hidden: bool = False,
) -> Iterator[Declaration]:
    """One for each name that a chunk gives, all with the same outside."""
    if not names:
        return
    is_member = chunk.scope == "class"
    owners = () if chunk.name else chunk.owner
    outside = digest_of(*chunk.conditions, *(one.encode() for one in owners), shown)
    members = [name for _, name in names] if is_member else []
    mentioned = mentions_in(*chunk.conditions, shown, members=members)
    within = mentions_in(inner) if inner else NO_MENTIONS
    for qualifier, name in names:
        owner = ".".join(filter(None, (*owners, qualifier)))
        exported = () if is_hidden or qualifier else (name,)
        of_owner = (is_member or chunk.scope == "enum") and not chunk.name
        yield Declaration(name, owner, exported, outside, mentioned, within, of_owner)


def _names(chunk: Chunk, head: bytes) -> Iterator[tuple[str, str]]:
    """The names that a declaration gives, each with the types it is qualified by."""
    if alias := _ALIAS.match(head) or _USING.match(head):
        yield "", _text(alias[1])
        return
    flat = _flat(head)
    has_body = len(chunk.head) < len(chunk.whole)
    is_constructor = (
        chunk.scope == "class" and _text(flat.partition(b"(")[0].strip()) in chunk.owner[-1:]
    )
    if _USING_NAMESPACE.match(head) or (_is_call(flat) and not has_body and not is_constructor):
        return
    if b"operator" in head or re.search(rb"\btemplate\s*<\s*>", head):
        # Code uses these without their names, by those of the types that they are for.
        yield from (("", _text(word)) for word in _WORD.findall(head) if word not in _KEYWORDS)
        return
    key = _TYPE_KEY.search(flat)
    if key and (has_body or _WORD.fullmatch(flat[key.end() :].strip())) and b"()" not in flat:
        if tag := tag_of(flat):
            yield "", tag
        behind = chunk.whole[len(chunk.head) :] if has_body else b""
        flat = _flat(_BRACES.sub(b"", _close(_LINE.sub(b"", behind))))
    elif has_body and not _is_function(head):
        flat = _flat(_BRACES.sub(b"", _close(_LINE.sub(b"", chunk.whole))))
    flat = _VALUE.sub(b"", _INITIAL.sub(b"()", flat))
    if _POINTER.search(flat):
        yield from (("", _text(word)) for word in _POINTED.findall(head))
    called = [found for found in _CALLED.findall(flat) if found[1] not in _KEYWORDS]
    yield from ((_path(one), _text(word)) for one, word in called)
    if all(word.isupper() and len(word) > 2 for _, word in called):
        for one, word in _DECLARATOR.findall(_BRACES.sub(b"", flat.replace(b"()", b" "))):
            if word not in _KEYWORDS:
                yield _path(one), _text(word)


def _flat(head: bytes) -> bytes:
    """A piece of code with nothing in its parentheses, and no arguments of templates."""
    plain = _ATTRIBUTE.sub(b" ", _CALL.sub(b"()", _STRING.sub(b'""', head)))
    return _TEMPLATE.sub(b" ", _TEMPLATE.sub(b" ", plain))


def _is_function(head: bytes) -> bool:
    """Whether what stands in braces behind a head is the body of a function."""
    bare = _OPERATOR.sub(b"", _CALL.sub(b"()", head))
    return b"()" in bare and b"=" not in bare


def _is_call(flat: bytes) -> bool:
    """Whether it is nothing but a macro that is called."""
    return re.fullmatch(rb"\s*[A-Za-z_]\w*\s*\(\)\s*", flat) is not None


def _close(code: bytes) -> bytes:
    """Code with one blank wherever there were more: comments leave long gaps."""
    return b" ".join(code.split())


def _path(qualifier: bytes) -> str:
    return ".".join(_text(word) for word in _WORD.findall(qualifier))


def _text(word: bytes) -> str:
    return word.decode("utf-8", "replace")
