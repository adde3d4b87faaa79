"""What `${…}` stands for where an editor's settings, or our catalogue, say where a program is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from understudy.langserver.find import find_program
from understudy.langserver.spec import section_of
from understudy.values.frozen import frozen

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_OPTION = re.compile("-+([A-Za-z][A-Za-z-]*)")


@frozen
class EditorVariables:
    """The folder, the environment and the user's settings.

    Settings of a folder that is not trusted name no programs: they are left out by the caller.
    """

    folder: Path
    environ: Mapping[str, str]
    settings: Mapping[str, Any]
    search_path: Sequence[Path]

    def expand(self, text: str) -> str | None:
        """The text with all variables replaced; None if one of them is not known or not set."""
        values = {name: self._value(name) for name in _VARIABLE.findall(text)}
        if not all(values.values()):
            return None
        return _VARIABLE.sub(lambda match: values[match[1]] or "", text)

    def arguments(self, name: str, own: Sequence[str]) -> tuple[str, ...]:
        """The arguments that a setting adds to `own`; options that are in those are left out."""
        found = section_of(self.settings, name)
        given = cast("list[object]", found) if isinstance(found, list) else []
        fixed = {_option(argument) for argument in own}
        added: list[str] = []
        is_taken = True
        for argument in (one for one in given if isinstance(one, str)):
            option = _option(argument)
            is_taken = option not in fixed if option is not None else is_taken
            if is_taken:
                added.append(self.expand(argument) or argument)
        return tuple(added)

    def _value(self, variable: str) -> str | None:
        kind, _, name = variable.partition(":")
        if kind in ("workspaceFolder", "workspaceRoot"):
            return str(self.folder)
        if kind == "userHome":
            return str(Path.home())
        if kind == "env":
            # Of a list of folders the first is where programs are installed to.
            return self.environ.get(name, "").split(os.pathsep)[0]
        return self._setting(name) if kind == "config" else None

    def _setting(self, name: str) -> str | None:
        value = section_of(self.settings, name)
        if not isinstance(value, str) or not value or "${config:" in value:
            return None
        if "/" not in value and os.sep not in value:
            found = find_program(value, self.search_path)
            return None if found is None else str(found)
        return self.expand(value)


def _option(argument: str) -> str | None:
    """The name of an option, None for what is none."""
    found = _OPTION.match(argument)
    return None if found is None else found[1]
