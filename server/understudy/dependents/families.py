"""The families of files that can import one another, by their names alone.

What reads them is in `readers.py`, which is loaded with the first check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import translate
from types import MappingProxyType

from understudy.dependents.onlookers import kind_of
from understudy.values.frozen import frozen


@frozen
class LanguageFamily:
    """One family: the suffixes of its files, after the last dot.

    `configuration` are patterns of the names of the files whose text its resolver needs.
    """

    name: str
    suffixes: tuple[str, ...]
    configuration: tuple[str, ...] = ()


_PYTHON = LanguageFamily(
    "python",
    (".py", ".pyi"),
    (
        *("pyproject.toml", "pyrightconfig.json", "mypy.ini", ".mypy.ini", "setup.cfg"),
        *("pytest.ini", "tox.ini", "ty.toml", "pyrefly.toml"),
    ),
)
_SCRIPT = LanguageFamily(
    "script",
    (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
    ("tsconfig*.json", "jsconfig*.json", "*.tsconfig.json", "package.json"),
)
_GO = LanguageFamily("go", (".go",), ("go.mod", "go.work", "modules.txt"))
_NATIVE = LanguageFamily(
    "native",
    (
        *(".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".mm", ".cu", ".cl"),
        *(".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh", ".inc", ".inl", ".ipp", ".tcc"),
        *(".tpp", ".txx", ".def", ".pch", ".cppm", ".ixx", ".mpp", ".ccm", ".cxxm", ".c++m"),
    ),
    (
        *("compile_commands.json", "compile_flags.txt", ".clangd", "*.rsp", "*.modulemap"),
        *("*.cppm", "*.ixx", "*.mpp", "*.ccm", "*.cxxm", "*.c++m"),
    ),
)
_RUST = LanguageFamily("rust", (".rs",), ("Cargo.toml", "config.toml", "config"))
_JSON = LanguageFamily("json", (".json", ".jsonc", ".code-workspace", ".toml"))

FAMILIES: Mapping[str, LanguageFamily] = MappingProxyType(
    {family.name: family for family in (_PYTHON, _SCRIPT, _GO, _NATIVE, _RUST, _JSON)}
)

CONFIGURATION_PATTERNS = tuple(
    dict.fromkeys(pattern for family in FAMILIES.values() for pattern in family.configuration)
)
"""Patterns of the names of all files that resolvers read."""

_BY_SUFFIX = {suffix: family.name for family in FAMILIES.values() for suffix in family.suffixes}
_CONFIGURATION = re.compile("|".join(map(translate, CONFIGURATION_PATTERNS)))


def family_of(path: str) -> str | None:
    """The family whose files can import this one; None where we know of none."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return None if dot < 0 else _BY_SUFFIX.get(name[dot:])


def importing_family(path: str) -> str | None:
    """The family by whose rules a file imports: an onlooker has one, and is in none."""
    kind = kind_of(path)
    return family_of(path) if kind is None else kind.families[0]


def reads_as_configuration(path: str) -> bool:
    """Whether a resolver needs the text of a file."""
    return _CONFIGURATION.match(path.rpartition("/")[2]) is not None
