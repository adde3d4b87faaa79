"""Small packages of Rust with an edit each, as `rust_forms*.txt` have them.

Each lies in a folder of its own, so one process of cargo a side looks at all of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_SECTION = re.compile(r"^\n# .*\n", re.MULTILINE)
_MANIFEST, _FIRST = "Cargo.toml", "src/lib.rs"


class RustForm(NamedTuple):
    """An edit of a package, its files before and after.

    `expected` are the others that it may reach, or those in which cargo says something new.
    """

    name: str
    before: dict[str, str]
    after: dict[str, str]
    expected: frozenset[str]

    @classmethod
    def of(cls, name: str, text: str) -> RustForm:
        """The form that a block of a file of forms describes."""
        expected, _, rest = text.replace("ROOT", name).partition("\n")
        before, after = (_files(rest, side) for side in (0, 1))
        if _MANIFEST in before:
            return cls(name, before, after, frozenset(expected.split()))
        package = {_MANIFEST: f'[package]\nname = "{name}"\nedition = "2021"\n'}
        before, after = ({**package, **_with_first(side)} for side in (before, after))
        return cls(name, before, after, frozenset(f"src/{path}" for path in expected.split()))

    def edited(self) -> set[str]:
        """The files that the edit touches."""
        return {path for path, text in self.before.items() if self.after[path] != text}


def _files(text: str, side: int) -> dict[str, str]:
    """The files of a form: as they are before the edit, or after it."""
    one = re.sub("«(.*?)→(.*?)»", lambda match: match[1 + side], text, flags=re.DOTALL)
    parts = re.split(r"^== (\S+)\n", one, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _with_first(files: dict[str, str]) -> dict[str, str]:
    modules = (path.removesuffix(".rs") for path in files if "/" not in path)
    first = {_FIRST: "".join(f"pub mod {name};\n" for name in modules)}
    return {**first, **{f"src/{path}": text for path, text in files.items()}}


def rust_forms() -> list[RustForm]:
    """Edits of which it is known whom they reach, neither more nor fewer."""
    return _read("rust_forms.txt", "form")


def unseen_forms() -> list[RustForm]:
    """Edits that show in files which need not name what has changed."""
    return _read("rust_forms_unseen.txt", "unseen")


def _read(file: str, kind: str) -> list[RustForm]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    blocks = _SECTION.sub("", text).split(">>>")[1:]
    return [RustForm.of(f"{kind}{number}", block) for number, block in enumerate(blocks)]
