"""What a Go text imports and embeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from understudy.syntax.go.tokens import (
    COMMENT,
    MARK,
    STRING,
    WORD,
    GoToken,
    landmarks,
    tokens,
    unquoted,
)
from understudy.syntax.model import ALL, WHOLE, Binding, FileImports, Import
from understudy.syntax.native import imports as native_imports

SUFFIXES: Final = (".go",)

CGO: Final = "cgo"
"""The kind of an include in the C text above `import "C"`; one of `C` itself has no target."""


def read(path: str, text: bytes) -> FileImports:
    """All that a text imports: packages, files that it embeds, headers and linked names.

    The kinds are `import`, `embed` (its target is a pattern as it stands in the directive), CGO and
    `linkname`. A package without a name of its own in the importer is bound as ALL: its clause
    alone knows what it is called, and Go refuses an import that is not mentioned anyway.
    """
    text = text.removeprefix(b"\xef\xbb\xbf")
    found: dict[Import, None] = {}
    comments: list[GoToken] = []
    package, constraints = "", list[str]()
    imports_c = False
    for token in landmarks(text):
        if token.kind == COMMENT:
            found.update(dict.fromkeys(_directive(token, text)))
            if not package:
                constraints += _constraint(token.text)
            comments.append(token)
        elif token.text == b"package":
            package = package or _package(text, token)
        else:
            for one, above in _declared(text, token, comments):
                found[one] = None
                if one.target == "C":
                    imports_c = True
                    found.update(dict.fromkeys(_preamble(path, above)))
    if imports_c:
        found[Import("", CGO, (Binding(ALL, ALL),))] = None
    return FileImports(tuple(found), package, " && ".join((*constraints, *_in_name(path))))


_SYSTEMS: Final = frozenset(
    (
        *("aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js"),
        *("linux", "nacl", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"),
    )
)
_PROCESSORS: Final = frozenset(
    (
        *("386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips"),
        *("mipsle", "mips64", "mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le"),
        *("riscv", "riscv64", "s390", "s390x", "sparc", "sparc64", "wasm"),
    )
)
_LEAVES_GROUP: Final = frozenset((b"func", b"type", b"var", b"const", b"import", b"package"))
_PATTERN: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|`[^`]*`?|\S+")


def _package(text: bytes, token: GoToken) -> str:
    for following in tokens(text, token.start + len(token.text)):
        if following.kind == WORD:
            return following.text.decode("utf-8", "replace")
        if following.kind != COMMENT:
            break
    return ""


def _declared(
    text: bytes, token: GoToken, comments: list[GoToken]
) -> Iterator[tuple[Import, list[GoToken]]]:
    """What a declaration imports, with the comments right above."""
    alias, above = b"", _above(text, comments, token.start)
    is_group = False
    for one in tokens(text, token.start + len(token.text)):
        if one.kind == STRING:
            doc = above + _above(text, comments, one.start) if is_group else above
            yield _package_import(alias, one.text), doc
            alias = b""
            if not is_group:
                return
        elif one.kind == COMMENT:
            if is_group:
                comments.append(one)
        elif one.text == b"(" and not is_group:
            is_group = True
        elif one.text in _LEAVES_GROUP or (one.kind == MARK and one.text not in b".;"):
            return  # the group's end, or what it lacks one before
        elif one.text != b";":
            alias = one.text


def _package_import(alias: bytes, literal: bytes) -> Import:
    if alias == b".":
        binding = Binding(ALL, ALL)
    elif alias == b"_":
        binding = Binding(WHOLE)
    else:
        binding = Binding(WHOLE, alias.decode("utf-8", "replace") if alias else ALL)
    return Import(unquoted(literal), "import", (binding,))


def _above(text: bytes, comments: list[GoToken], start: int) -> list[GoToken]:
    """The comments that end right above a place, with no empty line in between."""
    found: list[GoToken] = []
    for comment in reversed(comments):
        between = text[comment.start + len(comment.text) : start]
        if between.count(b"\n") > 1 or not _is_blank(between):
            break
        found.insert(0, comment)
        start = comment.start
    return found


def _is_blank(between: bytes) -> bool:
    words = between.split()
    return not words or words in ([b"import"], [b"import", b"("], [b"import("], [b"("])


def _preamble(path: str, comments: list[GoToken]) -> Iterator[Import]:
    """What the C text in the comments above `import "C"` includes."""
    lines = (
        one.text[2:] if one.text[:2] == b"//" else one.text[2:].removesuffix(b"*/")
        for one in comments
    )
    code = b"\n".join(line for part in lines for line in part.split(b"\n") if not _is_flag(line))
    for one in native_imports.read(f"{path}.c", code).imports:
        yield Import(one.target, CGO, (Binding(ALL, ALL),))


def _is_flag(line: bytes) -> bool:
    return line.strip().startswith(b"#cgo")


def _directive(token: GoToken, text: bytes) -> Iterator[Import]:
    """What a comment for the tool chain embeds or links to."""
    is_first = text[token.start - 1 : token.start] in (b"\n", b"") or not text[
        text.rfind(b"\n", 0, token.start) + 1 : token.start
    ].strip(b" \t\r")
    if not is_first or not token.text.startswith((b"//go:embed", b"//go:linkname")):
        return
    name, _, rest = token.text.decode("utf-8", "surrogateescape").replace("\t", " ").partition(" ")
    if name == "//go:embed":
        for pattern in _PATTERN.findall(rest.rstrip()):
            is_quoted = pattern[0] in '"`'
            plain = unquoted(pattern.encode("utf-8", "surrogateescape")) if is_quoted else pattern
            yield Import(plain, "embed", (Binding(WHOLE),))
    elif name == "//go:linkname":
        words = rest.split()
        folder, slash, last = words[1].rpartition("/") if len(words) > 1 else ("", "", "")
        package, dot, linked = last.partition(".")
        if dot:
            # The name of a symbol has the dots of a package's last segment escaped.
            target = f"{folder}{slash}{package}".replace("%2e", ".")
            bindings = (Binding(linked.rpartition(".")[2], words[0]),)
            yield Import(target, "linkname", bindings)


def _constraint(comment: bytes) -> list[str]:
    line = comment.decode("utf-8", "replace").strip()
    if line.startswith("//go:build "):
        return [f"({line.removeprefix('//go:build ').strip()})"]
    bare = line.removeprefix("//").strip()
    return [f"({bare})"] if line.startswith("//") and bare.startswith("+build ") else []


def _in_name(path: str) -> list[str]:
    """The system and the processor that a file is for by its name."""
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    words = stem.split("_")[1:]
    if len(words) > 1 and words[-2] in _SYSTEMS and words[-1] in _PROCESSORS:
        return words[-2:]
    return words[-1:] if words and words[-1] in _SYSTEMS | _PROCESSORS else []
