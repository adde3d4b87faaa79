"""Onlookers: files that import code of judged languages, and that no server of ours judges.

Single-file components, pages, notebooks, grammars: an edit can break them, and nobody says so. What
they import is indexed as of any file, and the names in their code are kept, so that an edit that
one of them names is not called clean.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import cast

from understudy.values.frozen import frozen

_TAG = re.compile(r"(<[A-Za-z/][^<>]*>)[^<>{}]+(?=[<{])")
_SOURCE = re.compile(
    r"<(?:script|template)\b[^<>]{0,2000}?\bsrc\s*=\s*([\"'][^\"'\n<>]+[\"'])", re.IGNORECASE
)
_SCRIPT = (re.compile(r"<script\b[^<>]*>", re.I), re.compile(r"</script\b", re.I))
_STYLE = (re.compile(r"<style\b[^<>]*>", re.I), re.compile(r"</style\b", re.I))
_NOTE = (re.compile(r"<!--"), re.compile(r"-->"))
_FRONT = (re.compile(r"\A---"), re.compile(r"^---", re.M))
_CHUNK = (re.compile(r"^[ \t]*```+[ \t]*\{python\b.*", re.M), re.compile(r"^[ \t]*```", re.M))
_CODE = re.compile(r"[{<]|^(?:import|export)\b", re.M)
_RUNS = re.compile(
    r"^[ \t]*%(?:run|load)[ \t]+(?:-\w+[ \t]+)*([\w./-]+?)(?:\.py)?(?:[ \t].*)?$", re.M
)
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]+")


def _markup(content: str) -> str:
    """Scripts, attributes and expressions; not the prose between tags, nor style sheets.

    A script that stands in another file is imported.
    """
    front, content = _split(content, _FRONT)
    scripts, content = _split(content, _SCRIPT)
    for dropped in (_STYLE, _NOTE):
        content = _split(content, dropped)[1]
    sources = [f"import {source}" for source in _SOURCE.findall(content)]
    return "\n".join([*front, *scripts, *sources, _TAG.sub(r"\1 ", content)])


def _scripts(content: str) -> str:
    """What stands in the scripts of a page; a script of another file is no import."""
    return "\n".join(_split(content, _SCRIPT)[0])


def _mdx(content: str) -> str:
    """The paragraphs that hold a statement, an expression or a tag; the rest is prose."""
    return "\n\n".join(part for part in content.split("\n\n") if _CODE.search(part))


def _chunks(content: str) -> str:
    return "\n".join(_split(content, _CHUNK)[0])


def _split(content: str, marks: tuple[re.Pattern[str], re.Pattern[str]]) -> tuple[list[str], str]:
    """What stands between each pair of marks, and all the rest; an open one ends with the text.

    In time that grows as the text does, whatever it holds.
    """
    opening, closing = marks
    inside: list[str] = []
    outside: list[str] = []
    at = 0
    while (start := opening.search(content, at)) is not None:
        end = closing.search(content, start.end())
        stop = len(content) if end is None else end.start()
        inside.append(content[start.end() : stop])
        outside.append(content[at : start.end()])
        at = stop
    return inside, "".join([*outside, content[at:]])


def _cells(content: str) -> str:
    """The code cells of a Jupyter notebook; of one that is no JSON, all of its text."""
    cells = code_cells(content)
    if cells is None:
        return content.replace("\\n", "\n").replace('"', "\n")
    text = "\n".join(cells.values())
    # A script that is run stands in for an import of it.
    return text + "".join(f"\nimport {_dotted(name)}" for name in _RUNS.findall(text))


def code_cells(content: str) -> dict[int, str] | None:
    """The code of a Jupyter notebook by its cells, which are counted from 1, prose as well.

    None for a text that is no JSON.
    """
    try:
        notebook: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    # The sheets are those of nbformat 3 and older.
    holders = [notebook, *_listed(_field(notebook, "worksheets"))]
    cells = [cell for holder in holders for cell in _listed(_field(holder, "cells"))]
    found: dict[int, str] = {}
    for number, cell in enumerate(cells, 1):
        if _field(cell, "cell_type") == "code":
            source = _field(cell, "source") or _field(cell, "input")
            found[number] = (
                source if isinstance(source, str) else "".join(map(str, _listed(source)))
            )
    return found


def cells_with(content: str, word: str) -> tuple[int, ...]:
    """The code cells of a Jupyter notebook that have the word as a whole, from 1."""
    cells = code_cells(content) or {}
    return tuple(number for number, code in cells.items() if word in _NAME.findall(code))


def _cython(content: str) -> str:
    return re.sub(r"\bcimport\b", "import", content)


def _coffee(content: str) -> str:
    return re.sub(r"\brequire[ \t]+(?=['\"])", "require(", content)


def _whole(content: str) -> str:
    return content


@frozen(slots=True)
class OnlookerKind:
    """A kind of onlooker.

    `families` are those of the files that it can import (`imports.family_of`), the first the one
    whose statements it has; `code` finds the code in a text; `judge` is who could judge it.
    """

    suffixes: tuple[str, ...]
    families: tuple[str, ...]
    code: Callable[[str], str]
    judge: str


_SCRIPTS = ("script", "json")
KINDS = (
    OnlookerKind((".vue",), _SCRIPTS, _markup, "vue-tsc --noEmit"),
    OnlookerKind((".svelte",), _SCRIPTS, _markup, "svelte-check"),
    OnlookerKind((".astro",), _SCRIPTS, _markup, "astro check"),
    OnlookerKind((".mdx",), _SCRIPTS, _mdx, "the project's build"),
    OnlookerKind((".gts", ".gjs"), _SCRIPTS, _whole, "glint"),
    OnlookerKind((".marko", ".riot"), _SCRIPTS, _whole, "the project's build"),
    OnlookerKind((".html", ".htm"), ("script",), _scripts, "the project's tests"),
    OnlookerKind((".coffee", ".litcoffee"), _SCRIPTS, _coffee, "the project's build"),
    OnlookerKind((".ipynb",), ("python",), _cells, "nbqa mypy"),
    OnlookerKind((".qmd", ".Rmd", ".rmd"), ("python",), _chunks, "the project's build"),
    OnlookerKind((".pyx", ".pxd", ".pxi"), ("python",), _cython, "cython"),
    OnlookerKind(
        (".y", ".yy", ".ypp", ".l", ".ll", ".lpp"), ("native",), _whole, "the project's build"
    ),
    OnlookerKind(
        (".S", ".sx", ".rc", ".ino", ".i", ".swg"), ("native",), _whole, "the project's build"
    ),
)
"""What imports judged languages. Templates that are handed their values (Jinja, Handlebars, Razor)
import nothing, and what makes files of a judged language (templ, protobuf) is judged in those."""

PATTERNS = tuple(f"*{suffix}" for kind in KINDS for suffix in kind.suffixes)
"""Patterns of the names of all onlookers."""

_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}


def kind_of(path: str) -> OnlookerKind | None:
    """The kind of onlooker that a file is by its name, if any."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return None if dot < 0 else _BY_SUFFIX.get(name[dot:])


def names_in(code: str) -> frozenset[str]:
    """The names that code mentions, in comments and strings, too."""
    return frozenset(map(sys.intern, _NAME.findall(code)))


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _listed(value: object) -> Iterable[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()


def _dotted(name: str) -> str:
    return ".".join(part for part in name.split("/") if part.strip("."))
