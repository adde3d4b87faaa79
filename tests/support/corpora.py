"""Makes edits possible over real sources: finds which definitions other files import."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support import python_project, typescript_project
from tests.support.sample import Change, Language, Project

_SUFFIXES: Mapping[Language, tuple[str, ...]] = {
    "python": (".py",),
    "typescript": (".ts",),
    "go": (".go",),
    "javascript": (".js", ".cjs", ".mjs"),
    "rust": (".rs",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".h", ".hpp", ".inl", ".ipp"),
}
_SNIPPETS = {"python": python_project.SNIPPETS, "typescript": typescript_project.SNIPPETS}
_SETTINGS = ("pyproject.toml", "tsconfig.json", "package.json", "go.mod", "go.sum", "Cargo.toml")
_DEFINITION = {
    "python": re.compile(r"^(?:async )?def ([a-zA-Z]\w+)\(", re.MULTILINE),
    "typescript": re.compile(r"^export (?:async )?function (\w+)[(<]", re.MULTILINE),
}
_IMPORT = {
    "python": re.compile(r"^from ([.\w]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE),
    "typescript": re.compile(
        r"^import (?:type )?(\{[^}]*\}) from [\"']([^\"']+)[\"']", re.MULTILINE
    ),
}
_NO_TEXT = re.compile("[\udc80-\udcff]")


def corpus(
    language: Language,
    folder: Path,
    into: str = "",
    max_files: int | None = None,
    *,
    is_ascii: bool = True,
) -> Project:
    """A project of the sources below a folder, put into a folder `into` of the project.

    Links and files that are not plain ASCII with line feeds are left out; with `is_ascii` False
    any text in UTF-8 will do.
    """
    files: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        wanted = path.suffix in _SUFFIXES[language] or path.name in _SETTINGS
        if not wanted or path.is_symlink() or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        is_plain = text.isascii() if is_ascii else not _NO_TEXT.search(text)
        if is_plain and "\r" not in text and "\f" not in text:
            files[(Path(into) / path.relative_to(folder)).as_posix()] = text
        if max_files is not None and len(files) >= max_files:
            break
    sources = tuple(path for path in files if path.endswith(_SUFFIXES[language]))
    if language not in _DEFINITION:  # only what releases differ in, and what tests write down
        return Project(language, files, sources)
    cross = tuple(_cross_changes(language, {path: files[path] for path in sources}))
    return Project(language, files, sources, _SNIPPETS[language], cross)


def _cross_changes(language: Language, sources: Mapping[str, str]) -> Iterator[Change]:
    """Renames and new parameters of functions that another file imports by name."""
    importers = _importers(language, sources)
    for path, text in sources.items():
        module = _module_name(path)
        for match in _DEFINITION[language].finditer(text):
            name, head = match[1], match[0]
            if text.count(head) != 1 or not importers.get((module, name), set()) - {path}:
                continue
            renamed = head.replace(f" {name}", f" renamed_{name}")
            label = f"{name}, imported elsewhere"
            yield Change(path, ((head, renamed),), f"renamed {label}", (name, f"renamed_{name}"))


def _importers(
    language: Language, sources: Mapping[str, str]
) -> Mapping[tuple[str, str], set[str]]:
    """(last part of the module's name, imported name) -> the files that import it."""
    found: dict[tuple[str, str], set[str]] = {}
    for path, text in sources.items():
        for match in _IMPORT[language].finditer(text):
            names, module = (match[2], match[1]) if language == "python" else (match[1], match[2])
            stem = re.sub(r"\.[jt]s$", "", module).replace("/", ".").rpartition(".")[2]
            names = re.sub(r"#[^\n]*", "", names)
            for name in re.findall(r"\w+(?: as \w+)?", names):
                found.setdefault((stem, name.partition(" ")[0]), set()).add(path)
    return found


def _module_name(path: str) -> str:
    pure = Path(path)
    return pure.parent.name if pure.stem in ("__init__", "index") else pure.stem
