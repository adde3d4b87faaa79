"""Formats of secrets, and values of these formats that are made up when a test runs.

No value stands in the repository, so nothing here is, or looks like, a secret.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from understudy.values import toml

LIST = Path(__file__).resolve().parent.parent / "data" / "secret_formats.toml"
_PART = re.compile(r"<(\w+):(\d+)>")
_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "digit": string.digits,
    "b32": string.ascii_uppercase + "234567",
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "-_",
    "letters": string.ascii_letters,
    "age": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


@dataclass(frozen=True)
class Format:
    """One kind of secret: the variable that holds it, its shape, whether its look alone tells."""

    name: str
    variable: str
    shape: str
    is_prefixed: bool

    def value(self, chance: random.Random) -> str:
        """A value of this format."""
        return _PART.sub(lambda part: _random(chance, part[1], int(part[2])), self.shape)


def formats() -> list[Format]:
    """Every format of the list."""
    found = toml.loads(LIST.read_text("utf-8"))
    return [
        Format(name, *str(text).split(" ", 1), is_prefixed=kind == "prefixed")
        for kind, table in found.items()
        for name, text in table.items()
    ]


def lines(kind: Format, value: str) -> Iterator[tuple[str, str]]:
    """The ways in which such a value is shown: the way's name, and the line."""
    name = kind.variable
    camel = "".join(word.title() for word in name.lower().split("_"))
    yield "env", f"{name}={value}"
    yield "export", f'export {name}="{value}"'
    yield "json", f'{{"name": "x", "{name.lower()}": "{value}", "n": 1}}'
    yield "camel", f'"{camel[0].lower() + camel[1:]}":"{value}"'
    yield "yaml", f"  {name.lower()}: {value}"
    yield "flag", f"$ deploy --{name.lower().replace('_', '-')} {value} --verbose"
    yield "flag=", f"+ deploy --{name.lower().replace('_', '-')}={value}"
    yield "header", f"> X-{name.title().replace('_', '-')}: {value}"
    yield "query", f"GET https://example.com/v1?{name.lower()}={value}&page=2 200"
    yield "repr", f"{{'{name}': '{value}', 'SHLVL': '1'}}"
    yield "escaped", f'body="{{\\"{name.lower()}\\":\\"{value}\\"}}"'
    yield "bearer", f"< Authorization: Bearer {value}"
    if kind.is_prefixed:
        yield "bare", value
        yield "in words", f"error: {value} was refused (401)."
        yield "in brackets", f"using <{value}>, ({value})"
        if "/" not in value:
            yield "url", f"fatal: unable to access 'https://{value}@example.com/o/r.git/': 403"
            yield "url user", f"remote https://oauth2:{value}@example.com/o/r.git (fetch)"


def _random(chance: random.Random, kind: str, length: int) -> str:
    """Characters of a class; of long ones each kind of character is there, as in any real value."""
    letters = _CLASSES[kind]
    while True:
        text = "".join(chance.choices(letters, k=length))
        if length < 12 or kind in ("letters", "digit") or re.search(r"\d", text):
            return text
