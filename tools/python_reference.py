"""The reference of the Python API, from the API itself."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from collections.abc import Iterator

import understudy as u
from understudy.faces.python import public

_OBJECTS = (u.Workspace, u.Branch, u.Context, u.Terminals)
_VERDICTS = (u.Verdict, u.Clean, u.Findings, u.Unknown)


def python_reference() -> str:
    """A section for each class: methods of those that are asked, fields of those that answer."""
    lines: list[str] = []
    for kind in (*_OBJECTS, *_VERDICTS, *_others()):
        lines += [f"### `{kind.__name__}`", "", *_doc(kind), *_members(kind)]
    return "\n".join(lines)


def _others() -> Iterator[type]:
    """The rest, but for the asynchronous half and errors, by name."""
    for name in sorted(public.__all__):
        kind = getattr(u, name)
        is_class = isinstance(kind, type) and not issubclass(kind, BaseException)
        if is_class and kind not in (*_OBJECTS, *_VERDICTS) and not name.startswith("Async"):
            yield kind


def _doc(member: object) -> list[str]:
    return [inspect.getdoc(member) or "", ""]


def _members(kind: type) -> Iterator[str]:
    if dataclasses.is_dataclass(kind):
        inherited = () if kind is u.Verdict else (f.name for f in dataclasses.fields(u.Verdict))
        left_out = frozenset(inherited) if issubclass(kind, u.Verdict) else frozenset[str]()
        fields = [item for item in dataclasses.fields(kind) if item.name not in left_out]
        if fields:
            yield "| field | type |\n|---|---|"
            for item in fields:
                yield f"| `{item.name}` | `{_type(item.type)}` |".replace(" | None", " \\| None")
            yield ""
        return
    members = [("", kind.__init__)] if kind is u.Workspace else []
    members += [
        (name, member)
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and kind in _OBJECTS
    ]
    for name, member in members:
        if isinstance(member, property):
            shown = f"{name}: {_type(inspect.signature(member.fget).return_annotation)}"
        else:
            shown = f"{name or kind.__name__}{_signature(member)}"
        text = " ".join((inspect.getdoc(member) or "").split())
        yield f"- `{shown}`: {text}"
    if members:
        yield ""


def _signature(member: typing.Callable[..., object]) -> str:
    signature = inspect.signature(member)
    given = [*signature.parameters.values()][1:]
    text = str(signature.replace(parameters=given))
    return _type(re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)).removesuffix(" -> None")


def _type(annotation: object) -> str:
    """An annotation as it is written, without the modules."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:kept_)?results\.|\btyping\.|\bunderstudy\.\S+\.", "", text)
