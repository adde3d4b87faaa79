"""What configuration takes from other files: what it extends or imports, and what it reads.

Configuration that is a program (`eslint.config.js`) may read any file while it runs. One whose name
stands in it, or in what it imports, configures with it. Where a name is computed, any file of data
may be meant, so such an edit is unknown; source that it does not import stays as it is, as programs
import source and read data.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from understudy.dependents.families import family_of
from understudy.dependents.programs_reading import computes_names, is_data
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.verdicts import Reason
from understudy.workspace.binding_index import BindingIndex

_PLUGINS = re.compile(r"\bplugins\s*=\s*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]*)*)")


async def leading(
    index: BindingIndex,
    snapshots: Sequence[Snapshot],
    configuration: Iterable[str],
    paths: Iterable[str],
) -> Mapping[str, frozenset[str]]:
    """Those of `paths` that the configuration takes or names -> the configuration files."""
    settings = frozenset(configuration)
    programs = [path for path in settings if family_of(path) == "script"]
    found: dict[str, frozenset[str]] = {}
    named = _named_by_plugins(snapshots, settings)
    texts: Mapping[str, list[str]] | None = None
    for path in sorted(paths):
        led: set[str] = {config for config, text in named if _module(path) in text}
        if family_of(path) == "json" or (programs and family_of(path) == "script"):
            led |= settings & await index.dependents_of(snapshots, [path])
        if programs and family_of(path) in (None, "json"):
            texts = await _texts(index, snapshots, programs) if texts is None else texts
            name = path.rpartition("/")[2]
            led.update(one for one, own in texts.items() if any(name in text for text in own))
        if led - {path}:
            found[path] = frozenset(led)
    return found


async def unnamed_reads(
    index: BindingIndex,
    snapshots: Sequence[Snapshot],
    programs: Mapping[str, str],
    paths: Iterable[str],
) -> Mapping[str, Reason]:
    """Files of data that a program may read by a computed name; `programs` -> their servers."""
    data = sorted(filter(is_data, paths))
    if not (data and programs):
        return {}
    texts = await _texts(index, snapshots, programs)
    known = await leading(index, snapshots, programs, data)
    found: dict[str, Reason] = {}
    for program in sorted(programs):
        if any(map(computes_names, texts[program])):
            text = (
                f"{program}, the configuration of {programs[program]}, reads files whose names it "
                "computes, and may read this one: write the name out there, or let "
                f"{programs[program]}'s own command judge the edit (`understudy run PATCH -- ...`)"
            )
            for path in data:
                if path not in known:
                    found.setdefault(path, Reason("unproven", text))
    return found


async def _texts(
    index: BindingIndex, snapshots: Sequence[Snapshot], programs: Collection[str]
) -> Mapping[str, list[str]]:
    """The texts of each program and of the code that it imports, on all sides."""
    found: dict[str, list[str]] = {}
    for program in programs:
        for side in snapshots:
            for path in {program, *await index.taken_by(side, program)}:
                if family_of(path) == "script":
                    found.setdefault(program, []).append(_text(side, path))
    return found


def _named_by_plugins(
    snapshots: Sequence[Snapshot], settings: Collection[str]
) -> list[tuple[str, str]]:
    """What configuration that is no program names as plugins: programs that run in the checker."""
    plain = sorted(path for path in settings if path.endswith((".ini", ".cfg", ".toml")))
    texts = ((path, _text(side, path)) for side in snapshots for path in plain)
    return [(path, said[1]) for path, text in texts for said in _PLUGINS.finditer(text)]


def _module(path: str) -> str:
    """How a plugin is named; nothing that stands in a text for what cannot be one."""
    return path.rpartition("/")[2].removesuffix(".py") if path.endswith(".py") else "\0"


def _text(snapshot: Snapshot, path: str) -> str:
    try:
        text = snapshot.read(path)
    except BadInput:
        return ""
    return "" if text is None else text.content
