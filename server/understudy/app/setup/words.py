"""What the words in braces of the table of agents stand for, on this machine and in this folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from understudy.values.frozen import frozen

HOOK = " check --format hook --agent "
"""What every command line of a hook of ours has in it."""


@frozen
class Words:
    """`program` is how we are started; `context` and `terminals` lie in the folder's state."""

    agent: str
    program: Sequence[str]
    context: Path
    terminals: Path

    def text(self, template: str) -> str:
        """A text with its words filled in: programs and arguments as quoted strings."""
        arguments = "".join(f"{json.dumps(word)}, " for word in self.program[1:])
        found = template.replace("{arguments}, ", arguments)
        found = found.replace("{command}", json.dumps(self.program[0]))
        hook = [*self.program, *HOOK.split(), self.agent]
        return self._filled(
            found.replace("{hook_words}", f"{json.dumps(hook[0])}, {json.dumps(hook[1:])}")
        )

    def value(self, template: Any) -> Any:  # noqa: ANN401 - JSON
        """A JSON value with its words filled in."""
        if isinstance(template, str):
            return self.program[0] if template == "{command}" else self._filled(template)
        if isinstance(template, list | tuple):
            items: list[Any] = []
            for item in cast("Sequence[Any]", template):
                items += self.program[1:] if item == "{arguments}" else [self.value(item)]
            return items
        if isinstance(template, dict):
            table = cast("dict[str, Any]", template)
            return {self._filled(key): self.value(item) for key, item in table.items()}
        return template

    def at(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The keys of a place."""
        return tuple(self._filled(key) for key in keys)

    def _filled(self, text: str) -> str:
        line = " ".join(_quoted(word) for word in self.program)
        server = {"command": self.program[0], "args": [*self.program[1:], "mcp"]}
        given = {
            "hook": f"{line}{HOOK}{self.agent}",
            "check": f"{line} check",
            "server": json.dumps({"understudy": server}),
            "context": str(self.context),
            "terminals": str(self.terminals),
        }
        for name, word in given.items():
            text = text.replace(f"{{{name}}}", word)
        return text


def _quoted(word: str) -> str:
    return word if all(c.isalnum() or c in "-_./" for c in word) else "'" + word + "'"
