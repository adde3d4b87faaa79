"""The languages an outline knows: their grammar, their queries, and what the text needs beside.

A language of the bundled grammars that is not in the table has no query of ours (`columns.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from understudy.outline.bridges.gaps import Gap, blank
from understudy.outline.bridges.globs import SHELL_GLOBS
from understudy.outline.bridges.macros import C_DECLARING, C_MACROS, CPP_MACROS
from understudy.values.frozen import frozen

_STATEMENTS = frozenset((b"if", b"switch", b"while"))
_RESERVED = _STATEMENTS.union(
    b"break case catch continue default delete do else for goto".split(),
    b"return sizeof throw try void".split(),
)


@frozen
class Language:
    """What the engine has to know about a language.

    `comment` starts a comment that runs to the end of the line. `wrap` are the texts put around a
    piece from inside a type's body, so that it can be parsed alone, `opening` that in front of
    any other piece. `attribute` begins a line above a declaration that belongs to it, though the
    grammar holds them apart. `containers` are the nodes whose children count like those of the
    root when errors are located. `not_names` are words that no declaration has for a name: found
    as one, the parser was confused. `functions_anywhere`: any statement may hold a function.
    `gaps` are bridged in every text, `rare_gaps` where that was not enough; what the first groups
    of `declaring` match may declare something, and is an error where a bridge took it away.
    """

    name: str
    grammar: str
    queries: tuple[str, ...]
    comment: tuple[bytes, ...] = (b"//",)
    docstrings: bool = False
    wrap: tuple[bytes, bytes] | None = None
    opening: bytes = b""
    attribute: bytes = b""
    containers: frozenset[str] = frozenset()
    not_names: frozenset[bytes] = _STATEMENTS
    gaps: tuple[Gap, ...] = ()
    rare_gaps: tuple[Gap, ...] = ()
    declaring: tuple[re.Pattern[bytes], ...] = ()
    has_arms: bool = False
    is_flat: bool = False
    indented: bool = False
    functions_anywhere: bool = False

    @cached_property
    def with_rare_gaps(self) -> Language:
        """The language for a text that was not understood without."""
        return replace(self, gaps=self.gaps + self.rare_gaps, rare_gaps=())

    @cached_property
    def comment_marks(self) -> tuple[str, ...]:
        """What begins a comment to the end of the line."""
        return tuple(mark.decode("ascii") for mark in self.comment)

    @cached_property
    def comments(self) -> re.Pattern[str]:
        """Comments as they stand between the parts of a signature."""
        marks = map(re.escape, self.comment_marks)
        to_the_end = [rf"{mark}(?<!\S{mark})[^\n]*" for mark in marks]  # behind white space
        return re.compile("|".join((r"/\*[\s\S]*?\*/", *to_the_end)))

    def without_comments(self, part: str) -> str:
        """A part of a text without them; most have none, and looking for the marks is cheap."""
        for mark in ("/*", *self.comment_marks):
            if mark in part:
                return self.comments.sub("", part)
        return part


def _separated(match: re.Match[bytes]) -> bytes:
    return b";" + match[1]


_COMMENT = rb"(?:/\*(?:[^*]|\*(?!/)){0,5000}\*/|//[^\n]*\n)"
_BETWEEN = rb"\s*(?:" + _COMMENT + rb"\s*){0,4}"
_VARIANCE = re.compile(
    rb"([<,]" + _BETWEEN + rb")(in\s+out|in|out)(?=\s+[A-Z]\w*\s*(?:[,>=]|extends\b))"
)
_CALL_SIGNATURE = re.compile(
    rb"\n(?<=[\w>)\]}]\n)(?<!=>\n)(" + _BETWEEN + rb"<(?:\n|[A-Z]|(?:in|out|const)\s))"
)
_ESCAPED_BACKTICK = re.compile(rb"()(\\`)")
_TYPESCRIPT_GAPS: tuple[Gap, ...] = (
    (_VARIANCE, blank),
    (_ESCAPED_BACKTICK, blank),
    (_CALL_SIGNATURE, _separated),
)
"""tree-sitter-typescript 0.23: variance (its issue 370), template literal types with backticks,
call signatures without separators."""

_EXPORT_MACRO = re.compile(
    rb"(\b(?:class|struct)\s+)([A-Z][A-Z0-9_]*(?:\([^()\n]{0,80}\))?)(?=\s+[A-Za-z_]\w*(?:\s+final)?\s*[:{<])"
)
_LEADING_MACRO = re.compile(
    rb"(\n[ \t]*)([A-Z][A-Z0-9_]{2,}(?:[ \t]+[A-Z][A-Z0-9_]{2,})?)"
    rb"(?=[ \t]+(?:[A-Za-z_]\w*[ \t*&]+){1,6}[A-Za-z_]\w*[ \t]*[(;=\[])"
)
_MACRO_BETWEEN = re.compile(
    rb"(\n(?!typedef\b)(?:[A-Za-z_]\w*[ \t*&]+){1,4}?)"
    rb"([A-Z][A-Z0-9]*_[A-Z0-9_]+|WINAPI|CALLBACK|APIENTRY)"
    rb"(?=[ \t]+(?:[A-Za-z_]\w*[ \t*&]+){0,4}[A-Za-z_]\w*[ \t]*[(;=\[])"
)
_LONE_MACRO = re.compile(
    rb"(\n[ \t]*)([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\((?:[^()\n]|\([^()\n]*\)){0,200}\))?)"
    rb"(?=[ \t]*(?://[^\n]*)?\r?\n\s*[A-Za-z_][\w:]*[ \t<*&])"
)
_C_GAPS: tuple[Gap, ...] = (
    (_LEADING_MACRO, blank),
    (_MACRO_BETWEEN, blank),
    (_LONE_MACRO, blank),
    (_LONE_MACRO, blank),  # one may stand above another
)
"""`API int name(` is no C: the parser does not know what a preprocessor takes away."""

_TEMPLATE_FRIEND = re.compile(
    rb"(\n[ \t]*)(template\s*<[^;{}()]{0,200}>\s*friend\s+(?:struct|class)\s[^;{}\n]*;)"
)

_CPP_GAPS: tuple[Gap, ...] = (*_C_GAPS, (_EXPORT_MACRO, blank), (_TEMPLATE_FRIEND, blank))
"""Nor is `class API Name : Base` C++; it is read as a function. A template may be a friend."""

_SCRIPT_CONTAINERS = frozenset(("export_statement", "ambient_declaration", "internal_module"))
_PREPROCESSOR = frozenset(
    ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification")
)
_BRACES = (b"class A {\n", b"\n}\n")

_JAVASCRIPT = Language(
    "javascript", "javascript", ("javascript", "javascript_fields"), wrap=_BRACES,
    containers=_SCRIPT_CONTAINERS,
)  # fmt: skip
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    name="typescript", grammar="typescript", queries=("javascript", "typescript"),
    gaps=_TYPESCRIPT_GAPS,
)  # fmt: skip
_C = Language(
    "c",
    "c",
    ("c",),
    containers=_PREPROCESSOR,
    not_names=_RESERVED,
    gaps=_C_GAPS,
    rare_gaps=C_MACROS,
    declaring=C_DECLARING,
    has_arms=True,
    is_flat=True,
)

_ALL = (
    Language(
        "python", "python", ("python",), comment=(b"#",), docstrings=True,
        wrap=(b"class A:\n", b"\n"), indented=True,
    ),
    _JAVASCRIPT,
    _TYPESCRIPT,
    replace(_TYPESCRIPT, name="tsx", grammar="tsx", gaps=_TYPESCRIPT_GAPS[:2]),
    _C,
    replace(
        _C, name="cpp", grammar="cpp", queries=("c", "cpp"), wrap=(b"class A {\n", b"\n};\n"),
        containers=_PREPROCESSOR | {"namespace_definition", "declaration_list"}, gaps=_CPP_GAPS,
        rare_gaps=CPP_MACROS,
    ),
    Language("java", "java", ("java",), wrap=_BRACES, not_names=_RESERVED),
    Language("go", "go", ("go",), not_names=_RESERVED),
    Language("rust", "rust", ("rust",), wrap=(b"trait A {\n", b"\n}\n"), attribute=b"#["),
    Language(
        "csharp", "csharp", ("csharp",), wrap=_BRACES, not_names=_RESERVED,
        containers=frozenset(("namespace_declaration", "declaration_list")),
    ),
    Language("ruby", "ruby", ("ruby",), comment=(b"#",), wrap=(b"class A\n", b"\nend\n")),
    Language("php", "php", ("php",), comment=(b"//", b"#"), wrap=(b"<?php class A {\n", b"\n}\n"),
        opening=b"<?php ", attribute=b"#[",),
    Language(
        "bash", "bash", ("bash",), comment=(b"#",), functions_anywhere=True,
        rare_gaps=SHELL_GLOBS,
    ),
    Language("json", "json", ("json",), comment=()),
    Language("yaml", "yaml", ("yaml",), comment=(b"#",)),
    Language("toml", "toml", ("toml",), comment=(b"#",)),
    Language("html", "html", ("html",), comment=()),
    Language("css", "css", ("css",), comment=()),
)  # fmt: skip

LANGUAGES: Mapping[str, Language] = {language.name: language for language in _ALL}
"""Name -> language, those with queries of ours."""

MARKDOWN = "markdown"
"""Has neither grammar nor query here: its headings are read from the lines."""

_ALIASES = {
    "c++": "cpp",
    "c#": "csharp",
    "c_sharp": "csharp",
    "javascriptreact": "javascript",
    "js": "javascript",
    "json5": "json",
    "jsonc": "json",
    "jsx": "javascript",
    "py": "python",
    "sh": "bash",
    "shellscript": "bash",
    "ts": "typescript",
    "typescriptreact": "tsx",
    "zsh": "bash",
}


def canonical(language: str) -> str:
    """The name used here for an editor's language id or a common other name."""
    name = language.lower()
    return _ALIASES.get(name, name)
