"""What a sample project is: its files, and edits whose effect its author knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Language = str
"""The name of a sample project; a kit (`tests/kits`) says which there are."""


@dataclass(frozen=True)
class Change:
    """One edit of the file `path`: each swap replaces a text that occurs there exactly once.

    `everywhere` renames a whole word in all other files too, for the form of the edit that keeps
    the project consistent.
    """

    path: str
    swaps: tuple[tuple[str, str], ...]
    label: str
    everywhere: tuple[str, str] | None = None


@dataclass(frozen=True)
class Snippets:
    """Text to put between two top-level items of any source; `@n@` is replaced by a number."""

    wrong: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """A sample project. `sources` are the files that edits may touch."""

    language: Language
    files: Mapping[str, str]
    sources: tuple[str, ...]
    snippets: Snippets = Snippets()
    cross: tuple[Change, ...] = ()
    """Each breaks a file that it does not touch."""
    wrong: tuple[Change, ...] = ()
    """Each breaks the file that it touches."""
    broken: tuple[Change, ...] = ()
    """Each leaves the syntax half-way."""
    harmless: tuple[Change, ...] = ()
    fixes: tuple[Change, ...] = ()
    """Each removes an error that is there from the start."""
    new_files: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write all files below a folder (made if absent) and return the folder."""
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        return folder


NOUNS = (
    "bolt",
    "crate",
    "drill",
    "elbow",
    "flange",
    "gasket",
    "hinge",
    "lever",
    "magnet",
    "nozzle",
)
"""What the sample projects are about: each noun gives a module on every layer."""


def filled(template: str, noun: str, **words: str) -> str:
    """Put words in place of `@word@` (braces belong to the language here)."""
    for name, word in {**words, "noun": noun, "Cls": noun.title(), "UPPER": noun.upper()}.items():
        template = template.replace(f"@{name}@", word)
    return template
