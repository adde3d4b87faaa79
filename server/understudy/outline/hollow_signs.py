"""What bodies of functions look like, language by language, and what in them may be an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

Sign = tuple[tuple[bytes, ...], re.Pattern[bytes]]
"""A pattern of what begins a declaration, and the words of which one is in all that it matches:
looking for a word is a hundred times as fast."""

Stop = tuple[bytes, Callable[[bytes, int], bool]]
"""A word, and whether it is more than letters where it stands in a text."""


@dataclass(frozen=True)
class Braces:
    """How functions look in a language with braces.

    `before` is what stands before the brace of a body if that is no round bracket; `holders` are
    words in that text if it holds declarations instead, `not_head` is what it begins with then,
    `head` a word that it must have. `stops` are words that no plain body has, `signs` what else
    declares something, with braces of its own if `signs_have_braces`; `risky` are tokens that must
    be there in even numbers, `never` those that must not be there at all; `arrow` begins what
    stands behind an arrow if that is a body, not a type; `has_members` where members of types may
    be told by their lines.
    """

    holders: tuple[Sign, ...]
    before: re.Pattern[bytes] | None = None
    not_head: re.Pattern[bytes] | None = None
    head: bytes = b""
    signs: tuple[Sign, ...] = ()
    signs_have_braces: bool = False
    stops: tuple[Stop, ...] = ()
    risky: tuple[bytes, ...] = (b'"',)
    never: tuple[bytes, ...] = ()
    has_arms: bool = False
    arrow: re.Pattern[bytes] | None = None
    has_members: bool = False


_CONTROL = (
    rb"(?!(?:if|for|foreach|while|switch|catch|with|return|function|do|else|lock|using|try|when|new"
    rb"|throw|case|await|yield|synchronized|fixed)\b)"
)
_LIKE_METHOD = re.compile(
    rb"\n[ \t]*(?=[\w$<>\[\],.?])"
    + _CONTROL
    + rb"[\w$<>\[\],.?]+[ \t]+"
    + _CONTROL
    + rb"[\w$]+[ \t]*\([^;{}\n]*(?:\{|\n)"
)
_LIKE_MEMBER = re.compile(
    rb"\n[ \t]*(?=[\w$#*)][^\n]*\{)(?:(?:(?:async|static|get|set)[ \t]+|\*[ \t]*)*"
    + _CONTROL
    + rb"[\w$#]+[ \t]*\([^\n]*\)[^\n;(=]*\{|\)[^\n;=]*\{)"
)
_LIKE_SHORT_MEMBER = re.compile(
    rb"[,{][ \t]*(?=[\w$])(?:(?:async|get|set)[ \t]+)?"
    + _CONTROL
    + rb"[\w$]+[ \t]*\([^()\n]*\)[ \t]*\{"
)
_LIKE_SIGNATURE = re.compile(
    rb"[\n;{][ \t]*(?=[\w$])" + _CONTROL + rb"[\w$]+\??[ \t]*(?:<[^>\n]*>)?\([^\n]*\)[ \t]*:"
)


def _words(*words: bytes, then: bytes = rb"\b") -> tuple[Sign, ...]:
    """Each of these words, with that behind it.

    The pattern begins with the word itself, as one that begins with its edge is slow to look for.
    """
    return tuple([((word,), re.compile(rb"%b(?<!\w%b)%b" % (word, word, then))) for word in words])


def _stop(word: bytes) -> Stop:
    """A word that stands for itself everywhere."""
    return word, lambda _text, _at: True


_ARGUMENT = re.compile(rb"([(,])\s*(?:async\s+)?(?:function\s*\*?\s*|[\w$]+\s*|\([^()=]*\)\s*)?\Z")
_LONGEST_ARGUMENT, _LONGEST_LINE = 160, 400
_GOES_ON = (b"", b".", b"?", b")", b"]", b"}")
_FUNCTION = re.compile(rb"function\b[\s*]*([\w$]*)\s*[(</]")


def _has_name(text: bytes, at: int) -> bool:
    """Whether the function expression with this arrow, or this word, is no mere argument.

    A variable has the name of a function that is the first argument of what is called for it.
    """
    argument = _ARGUMENT.search(text, max(0, at - _LONGEST_ARGUMENT), at)
    if argument is None:
        return True
    if argument[1] == b",":
        return False
    low = max(0, argument.start() - _LONGEST_LINE)
    line = text.rfind(b"\n", low, argument.start()) + 1
    before = text[line : argument.start()].lstrip()
    if (low and not line) or b"=" in before.replace(b"=>", b"") or before[:1] in _GOES_ON:
        return True
    return text[max(0, line - _LONGEST_ARGUMENT) : line].rstrip().endswith(b"=")


def _is_function(text: bytes, at: int) -> bool:
    function = _FUNCTION.match(text, at)
    return function is not None and (bool(function[1]) or _has_name(text, at))


_C_SIGNS = (
    *_words(b"struct", b"union", b"enum", b"class", then=rb"\b[^;(){}]*\{"),
    *_words(b"typedef"),
)
_C = Braces(
    _words(b"struct", b"union", b"enum", b"class", b"namespace", b"extern"),
    signs=_C_SIGNS,
    never=(b'R"',),
    has_arms=True,
)
_CPP = replace(
    _C,
    before=re.compile(rb"\)(?:\s*(?:const|noexcept|override|final))+\Z"),
    signs=(*_C_SIGNS, *_words(b"using", then=rb"\b[^;]*=")),
)
_JAVASCRIPT = Braces(
    _words(b"class", b"interface", b"enum", b"namespace", b"module"),
    before=re.compile(rb"=>\Z"),
    signs=(
        *_words(b"class", then=rb"\s+[\w$]"),
        ((b"{",), _LIKE_MEMBER),
        ((b") {", b"){"), _LIKE_SHORT_MEMBER),
    ),
    signs_have_braces=True,
    stops=((b"function", _is_function), (b"=>", _has_name)),
    risky=(b'"', b"`"),
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    has_members=True,
    arrow=re.compile(rb"(?:const|let|var|return|if|for|while|switch|throw|try|await|yield)\b"),
    before=re.compile(rb"(?:=>|\)[ \t]*:[ \t]*[\w$.<>\[\], |]+)\Z"),
    signs_have_braces=False,
    signs=(
        *_JAVASCRIPT.signs,
        *_words(b"interface", b"enum", b"type", b"namespace", b"module", then=rb"\s+[\w$]"),
        ((b"):", b") :"), _LIKE_SIGNATURE),
    ),
)
_PARAMETER = rb"\s*(?:final\s+)?[\w$.]+(?:<[^()]*>)?(?:\[\])*(?:\.\.\.)?\s+[\w$]+\s*[,)]"
"""Constants of enums have none, and nothing else in front of the bracket but their name."""

_JAVA = Braces(
    _words(b"class", b"interface", b"enum", b"record", b"new"),
    before=re.compile(rb"\)\s*throws\s[\w.,\s]+\Z"),
    not_head=re.compile(rb"\s*" + _CONTROL + rb"\w+\s*\((?!" + _PARAMETER + rb")"),
    signs_have_braces=True,
    signs=(
        *_words(b"class", b"interface", b"enum", b"record", b"public", then=rb"\s"),
        *_words(b"new", then=rb"\b[^;{}]*\)\s*\{"),
        *_words(b"@Override"),
    ),
    never=(b'"""',),
)
_GO = Braces(
    _words(b"type", b"struct", b"interface"),
    before=re.compile(rb"\)[^\n{}]*\Z"),
    signs=(
        *_words(b"type", then=rb"[ \t]+[\w(]"),
        *_words(b"interface", then=rb"[ \t]*\{(?:[ \t]*[^\s}]|\s*\n)"),
    ),
    risky=(b'"', b"`"),
)
_RUST = Braces(
    _words(
        *(b"struct", b"enum", b"impl", b"trait", b"mod", b"union", b"extern"),
        *(b"macro_rules", b"match"),
    ),
    before=re.compile(rb"[\w>\],&]\Z"),
    head=b"fn ",
    signs=(
        (
            (b"struct", b"enum", b"impl", b"trait", b"mod", b"union", b"type"),
            re.compile(
                rb"\n[ \t]*(?:(?:pub(?:\([^)\n]*\))?|unsafe)[ \t]+)*"
                rb"(?:struct|enum|impl|trait|mod|union|type)\b|[{;][ \t]*(?:struct|enum|impl|mod)\b"
            ),
        ),
    ),
    stops=(_stop(b"fn "),),
    never=(b'r#"',),
)
_PHP = Braces(
    _words(b"class", b"interface", b"trait", b"enum"),
    before=re.compile(rb"\)\s*:\s*\??[\w\\|]+\Z"),
    signs=_words(b"class", b"interface", b"trait", b"enum"),
    stops=(_stop(b"function"),),
    never=(b"<<<", b"?>"),
)
_BASH = Braces(
    (),
    signs=(((b"(",), re.compile(rb"\n[ \t]*[\w:.-]+[ \t]*\([ \t]*\)")),),
    stops=(_stop(b"function "),),
    risky=(b'"', b"'", b"`"),
    never=(b"<<",),
)

_PYTHON = re.compile(
    rb"\n[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+\s*[(\[]"
    rb"|class[ \t]+\w+\s*[(:\[]|type[ \t]+\w+\s*[=\[])"
)
PYTHON: Sign = (b"def ", b"class ", b"type "), _PYTHON
PYTHON_WITH_TABS: Sign = (*PYTHON[0], b"def\t", b"class\t", b"type\t"), _PYTHON

RUBY: tuple[Sign, ...] = (
    (
        (b"def", b"class", b"module", b"alias", b"attr_", b"<<", b"=begin"),
        re.compile(rb"\n[ \t]*(?:def|class|module|alias|attr_\w+)\b|<<[-~A-Z\"']|\n=begin"),
    ),
)

BRACES: Mapping[str, Braces] = {
    "c": _C,
    "cpp": _CPP,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": _JAVA,
    "csharp": replace(
        _JAVA,
        signs=(*_JAVA.signs, ((b"{",), _LIKE_METHOD)),
        has_arms=True,
        signs_have_braces=False,
        never=(b'"""', b'@"', b'$@"'),
    ),
    "go": _GO,
    "rust": _RUST,
    "php": _PHP,
    "bash": _BASH,
}
"""By the name of the language."""


def shows(text: bytes, signs: tuple[Sign, ...]) -> bool:
    """Whether one of the signs is in the text."""
    for words, pattern in signs:
        for word in words:
            if word in text:
                if pattern.search(text) is not None:
                    return True
                break
    return False


def is_balanced(text: bytes) -> bool:
    """Whether there are as many closing brackets of each kind as opening ones."""
    return (
        text.count(b"(") == text.count(b")")
        and text.count(b"{") == text.count(b"}")
        and text.count(b"[") == text.count(b"]")
    )
