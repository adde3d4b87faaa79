"""What a preprocessor takes away in C and C++, and a grammar stumbles over.

Macros that stand where an attribute, a label or a whole declaration may stand, conditionals within
a declaration, and what hides no declaration. They are looked for only in what was not understood
without; each is blanked where it is sure that nothing is lost, and left alone otherwise.
"""

from __future__ import annotations

import re

from understudy.outline.bridges.gaps import Gap, blank

_CLOSING = (b";", b"{", b"}", b":")
_BLANKS = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
_QUALIFIERS = frozenset(
    b"const constexpr explicit extern friend inline mutable register signed static thread_local"
    b" typedef typename unsigned virtual volatile struct class union enum __extension__ __inline"
    b" __inline__ return else case goto new delete throw using namespace sizeof".split()
)
_SPECIFIERS = frozenset(b"__attribute__ __declspec alignas decltype __typeof__ typeof".split())
_MOST_BEHIND = 600


def _blanked(text: bytes) -> bytes:
    return text.translate(_BLANKS)


def _ends_before(text: bytes, at: int) -> bool:
    """Whether what stands before this place is over: a declaration, a directive, the text."""
    before = text[max(0, at - 1000) : at].rstrip()
    last = before[before.rfind(b"\n") + 1 :]
    code = last.partition(b"//")[0].rstrip() if b"//" in last else last
    if not code:
        cut = before[: len(before) - len(last)].rstrip()
        return not cut or cut.endswith((*_CLOSING, b"*/"))
    return code.endswith((*_CLOSING, b"*/")) or last.lstrip().startswith(b"#")


_NAME = rb"_{0,2}[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_GIVEN = rb"(?:[ \t]*\((?:[^()\n;{}]|\((?:[^()\n;{}]|\([^()\n;{}]*\)){0,100}\)){0,200}\))?"
_FEW_GIVEN = rb"(?:\([^()\n]{0,80}\))?"
_WORD = rb"[A-Za-z_][\w:]*(?:<[^;{}()\n]{0,100}>)?[ \t*&]+"
_DECLARED = rb"(?:\(\s*\*+\s*)?~?[A-Za-z_]\w*\s*"

_APART = re.compile(
    rb"(\n[ \t]*)((?:" + _NAME + rb"|__[A-Z]+_DECLS|_?_[Pp]ragma)" + _GIVEN + rb")"
    rb"(?=[ \t]*(?:/[*/][^\n]*)?\r?(?:\n|\Z))"
)
_CALL = re.compile(rb"(?:\s|//[^\n]*\n|/\*[^*]*\*/)*[*&]*\s*~?[A-Za-z_][\w:]*\s*\(")
_TEMPLATED = re.compile(rb"\btemplate\s*<[^;{}]*>\Z")


def _apart(match: re.Match[bytes]) -> bytes:
    """A macro with its lines for itself; what could be the only member of an enum stays."""
    text = match.string
    if _CALL.match(text, match.end()) is not None:
        return match[0]  # what it is in front of has no type but what it stands for
    follows = text[match.end() : match.end() + 200].lstrip()[:1]
    before = text[max(0, match.start() - 400) : match.start()].rstrip()
    if follows in (b"=", b",", b"(", b".") or (follows in (b"}", b"#") and before.endswith(b"{")):
        return match[0]
    is_free = _ends_before(text, match.start()) or _TEMPLATED.search(before) is not None
    return blank(match) if is_free else match[0]


_LEADING = re.compile(
    rb"(\n[ \t]*)(" + _NAME + _FEW_GIVEN + rb")"
    rb"(?=[ \t]+(?:" + _WORD + rb"\s*){1,6}" + _DECLARED + rb"[(;=\[])"
)
_BETWEEN = re.compile(
    rb"(\n[ \t]*(?!typedef\b|return\b|else\b|case\b)(?:" + _WORD + rb"){1,5}?)"
    rb"((?:" + _NAME + rb"|__[A-Za-z]\w*|WINAPI|CALLBACK|APIENTRY|JNICALL)" + _FEW_GIVEN + rb")"
    rb"(?=[ \t\r\n*&]+((?:" + _WORD + rb"){0,4})" + _DECLARED + rb"[(;=\[{])"
)
_TAGGED = re.compile(rb"\s*(?:struct|union|enum|class)\b")


def _between(match: re.Match[bytes]) -> bytes:
    """A macro in the head of a declaration that has its type besides."""
    words = re.findall(rb"[A-Za-z_]\w*", match[1] + b" " + match[3])
    is_typed = any(word not in _QUALIFIERS for word in words)
    return blank(match) if is_typed or _TAGGED.match(match[3]) else match[0]


_MACRO = rb"(?:" + _NAME + rb"|__\w+)\b" + _GIVEN
_BEHIND = re.compile(
    rb"(\)\s*(?:(?:const|noexcept|override|final)\b\s*)*)(" + _MACRO + rb")"
    rb"(?=\s*(?:" + _MACRO + rb"\s*)?(?:[;{]|const\b|noexcept\b|override\b|final\b"
    rb"|=\s*(?:0|default|delete)\b))"
)
_LAST_WORD = re.compile(rb"(\w+)\s*\Z")


def _behind(match: re.Match[bytes]) -> bytes:
    """A macro behind the parameters of a function; behind a cast it is a value."""
    text = match.string
    low = max(0, match.start() - _MOST_BEHIND)
    depth = 0
    for at in range(match.start(), low, -1):
        byte = text[at]
        depth += (byte == _CLOSE) - (byte == _OPEN)
        if not depth:
            word = _LAST_WORD.search(text[low:at])
            is_head = word is not None and word[1] not in _QUALIFIERS | _SPECIFIERS
            return blank(match) if is_head else match[0]
    return match[0]


_OPEN, _CLOSE = b"()"
_TYPED = re.compile(
    rb"(\n(?:(?:extern|static)[ \t]+)?)([A-Z]\w*_[A-Z]+[ \t]*\()"
    rb"([ \t]*[A-Za-z_][\w \t*:]*)\)(\s*[*&]*[ \t]*)(?=[A-Za-z_]\w*\s*[(;=\[])"
)


def _typed(match: re.Match[bytes]) -> bytes:
    """`API(int) name(` without the macro around the type."""
    return match[1] + b" " * len(match[2]) + match[3] + b" " + match[4]


_SPACE = re.compile(rb"(namespace[ \t]+[\w:]+[ \t]+)([A-Z_]\w*" + _FEW_GIVEN + rb")(?=\s*\{)")
_LABEL = re.compile(
    rb"(\n[ \t]*)((?:" + _NAME + rb"|signals|Q_SIGNALS)[ \t]*:)(?!:)(?=[ \t]*(?://[^\n]*)?\r?\n)"
)
_SLOTS = re.compile(rb"(\n[ \t]*(?:public|protected|private))([ \t]+(?:slots|Q_SLOTS)[ \t]*)(?=:)")
_EXTENSION = re.compile(rb"()(__extension__)(?=\s)")
_LINKAGE = re.compile(
    rb"(\n[ \t]*\#[ \t]*if[^\n]*\n\s*)(extern[ \t]+\"C(?:\+\+)?\"\s*\{|\})"
    rb"(?=(?:[ \t]*(?:/\*[^\n]*?\*/|//[^\n]*)?\r?\n)+[ \t]*\#[ \t]*endif)"
)

_DIRECTIVE = rb"\n[ \t]*\#[ \t]*"
_OTHERS = rb"(?![ \t]*\#[ \t]*(?:if|endif|define|include|undef|pragma))"
_ARMS = re.compile(
    _DIRECTIVE + rb"if[^\n]*((?:\n" + _OTHERS + rb"[^\n]*)*?)" + _DIRECTIVE + rb"endif[^\n]*"
)
_ELSE = re.compile(_DIRECTIVE + rb"(?:else|elif)[^\n]*")
_DECLARING = re.compile(rb"[{};]|\w\s*\(")
_COMMENTS = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)


def _arms(match: re.Match[bytes]) -> bytes:
    """A conditional within a declaration, without its directives.

    Of several arms all stay in a list, and the first one elsewhere if the others declare nothing.
    """
    whole, inner = match[0], match[1]
    arms = [_COMMENTS.sub(b"", arm).strip() for arm in _ELSE.split(inner)]
    if b"\\\n" in whole or not any(arms):
        return whole
    if arms[0].endswith((*_CLOSING, b")")) and _ends_before(match.string, match.start()):
        return whole
    start = match.start(1) - match.start()
    head, tail = _blanked(whole[:start]), _blanked(whole[start + len(inner) :])
    other = _ELSE.search(inner)
    if other is None:
        return head + inner + tail
    if all(arm.endswith(b",") for arm in arms):
        return head + _ELSE.sub(lambda found: _blanked(found[0]), inner) + tail
    if any(_DECLARING.search(arm) for arm in arms):
        return whole
    return head + inner[: other.start()] + _blanked(inner[other.start() :]) + tail


_INITIALIZER = re.compile(
    rb"\n([ \t]*)([^\s#/][^\n]*=[ \t]*(?:\\?\n[ \t]*)?\{)"
    rb"((?:\n(?!\1[^\s#/{\"'\d.])(?![^\s#/{\"'\d.])[^\n]*){1,6000}?)(?=\n\1\})"
)
_DEFINE = re.compile(_DIRECTIVE + rb"define\b")


def _initializer(match: re.Match[bytes]) -> bytes:
    """`{ values }` without the values."""
    inner = match[3]
    if b"#" in inner and _DEFINE.search(inner) is not None:
        return match[0]
    if inner.count(b"{") != inner.count(b"}") or inner.count(b"/*") != inner.count(b"*/"):
        return match[0]
    return match[0][: match.end(2) - match.start()] + _blanked(inner)


_CONTINUED = re.compile(
    rb"(\n[ \t]*\#[ \t]*define[ \t]+\w+(?:\([^()\n]*\))?[ \t]+)((?:[^\n]*\\\r?\n)+[^\n]*)"
)
_NOT_CONTINUING = re.compile(rb"[^\\\r\n]|\\(?!\r?\n)")


def _continued(match: re.Match[bytes]) -> bytes:
    """A macro of several lines, without what it stands for."""
    body = match[2]
    if body.count(b"/*") != body.count(b"*/"):
        return match[0]
    kept = _NOT_CONTINUING.sub(b" ", body)
    end = len(body.rstrip())
    return match[1] + kept[: end - 1] + b"0" + kept[end:]


_DEFAULT = re.compile(rb"()(=(?:(?<=[*&] =)[ \t]*[\w:]+(?:\{\}|\(\))?|[ \t]*\{\}))(?=[ \t]*[,)>])")
_BARE_BASE = re.compile(rb"(enum\s+)(:\s*[A-Za-z_][\w: \t]*)(?=\{)")


def _nested(depth: int) -> bytes:
    """What may stand between angle brackets: text without a statement, and more of them."""
    deeper = rb"|<" + _nested(depth - 1) + rb"*>" if depth else b""
    return rb"(?:->|[^<>;{}]" + deeper + rb")"


_TEMPLATE = re.compile(rb"(template\s*<)(" + _nested(5) + rb"*)(?=>)")
_PARAMETER = b"class A"


def _template(match: re.Match[bytes]) -> bytes:
    """A template without conditions on its parameters, which may be taken for comparisons."""
    inner = match[2]
    if b"<" not in inner or len(inner) < len(_PARAMETER):
        return match[0]
    return match[1] + _PARAMETER + _blanked(inner[len(_PARAMETER) :])


C_MACROS: tuple[Gap, ...] = (
    (_CONTINUED, _continued),
    (_INITIALIZER, _initializer),
    (_LINKAGE, blank),
    (_EXTENSION, blank),
    (_TYPED, _typed),
    (_APART, _apart),
    (_APART, _apart),  # one may stand above another
    (_ARMS, _arms),
    (_ARMS, _arms),  # and one conditional within another
    (_LEADING, blank),
    (_BETWEEN, _between),
    (_BEHIND, _behind),
    (_BEHIND, _behind),
)
CPP_MACROS: tuple[Gap, ...] = (
    *C_MACROS,
    (_BARE_BASE, blank),
    (_LABEL, blank),
    (_SLOTS, blank),
    (_SPACE, blank),
    (_DEFAULT, blank),
    (_TEMPLATE, _template),
)

_CALLED = re.compile(
    rb"\n[ \t]*(" + _NAME + rb"[ \t]*\([^\n;{}]*\))[ \t]*(?:/[/*][^\n]*)?\r?"
    rb"(?:\n(?!\s*[A-Za-z_][\w:]*[ \t<*&])|\Z)"
)
_OTHER_ARM = re.compile(_DIRECTIVE + rb"(?:else|elif)[^\n]*((?:\n(?![ \t]*\#)[^\n]*)+)")
C_DECLARING = (_CALLED, _OTHER_ARM)
"""A macro alone that is no attribute of what follows may stand for declarations, and so may what
another arm of a conditional has."""
