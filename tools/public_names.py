"""Puts every public name into docs/reference/public-names.txt; a name goes only when deprecated.

    python -m tools.public_names           exit code 1 and a word if the file is not up to date
    python -m tools.public_names --write   bring it up to date

Public are commands, options and their values, settings, the editor's commands, tools of agents,
requests and notifications with their fields, the fields of answers, and what `import understudy`
gives. All else in the package is its own.

A name that is to go is listed in docs/reference/deprecated-names.toml first:

    [command]
    "understudy map" = { since = "0.1.0", instead = "understudy code map" }

It may go in a version after that one. What no version had that was released may go at once:
`released = false`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

import understudy
from tools.manifest import MANIFEST
from understudy.adapters.harbor import VerifierTask
from understudy.adapters.mini_swe_agent import UnderstudyEnvironmentConfig
from understudy.app.doctor import HealthFinding
from understudy.app.run.hidden_things import HiddenThing
from understudy.context.simulate import CostReport
from understudy.faces.calls.tools import TOOLS
from understudy.faces.cli.main import COMMANDS, command_line
from understudy.faces.lsp.options import InitializationOptions
from understudy.faces.lsp.table import REQUESTS
from understudy.faces.python import public
from understudy.langserver.pool import ServerStatus
from understudy.stage.model import Isolation
from understudy.values import toml
from understudy.workspace.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "server" / "understudy"
NAMES = ROOT / "docs" / "reference" / "public-names.txt"
DEPRECATED = ROOT / "docs" / "reference" / "deprecated-names.toml"
_HEAD = "# Every public name; made by `python -m tools.public_names --write`.\n"
_ANSWERS = (HealthFinding, HiddenThing, Isolation, CostReport, ServerStatus)
"""Classes whose fields are an answer's as they are."""
_API = "understudy.faces.python"
_SCORES = "understudy.values.rewards"
_NOTIFICATION = re.compile(r"understudy/[a-zA-Z/]+")


@dataclass(frozen=True)
class Deprecated:
    """Since which version a name is, and what to write in its place."""

    since: str
    instead: str
    released: bool = True


def public_names() -> set[str]:
    """Every name of now, with its kind in front: `command: understudy check`."""
    said = {
        *_of_commands(get_command(command_line(COMMANDS)), "understudy"),
        *_of_editor(json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]),
        *(f"setting: {item.name}" for item in dataclasses.fields(Settings)),
        *(f"option of initialize: {i.name}" for i in dataclasses.fields(InitializationOptions)),
        *_of_python(),
        *_of_answers(),
    }
    for tool in TOOLS:
        said |= {f"tool: {tool.name}"}
        said |= {f"field: {tool.name} {i.name}" for i in dataclasses.fields(tool.takes)}
        said |= {f"field: {tool.name} root"}
    for request in REQUESTS:
        said |= {f"method: {request.method}"}
        said |= {f"field: {request.method} {i.name}" for i in dataclasses.fields(request.takes)}
    return said


def deprecated_names() -> Mapping[str, Deprecated]:
    """Those that may go, by the same words; a wrong entry is a TypeError."""
    read: Mapping[str, Any] = toml.loads(DEPRECATED.read_text(encoding="utf-8"))
    return {
        f"{kind}: {name}": Deprecated(**entry)
        for kind, names in read.items()
        for name, entry in names.items()
    }


def missed(
    before: Iterable[str], now: Iterable[str], deprecated: Mapping[str, Deprecated], version: str
) -> list[str]:
    """The names that are gone and may not be: a line each that says why."""
    lines: list[str] = []
    for name in sorted(set(before) - set(now)):
        entry = deprecated.get(name)
        if entry is None:
            lines.append(f"{name} is gone and was never deprecated")
        elif entry.released and not _parts(entry.since) < _parts(version):
            lines.append(f"{name} is gone in {version}, and deprecated only since {entry.since}")
    return lines


def listed(text: str) -> set[str]:
    """The names in a text of the file."""
    return {line for line in text.splitlines() if line and not line.startswith("#")}


def text_of(names: Iterable[str]) -> str:
    """The file with these names."""
    return _HEAD + "".join(f"{name}\n" for name in sorted(names))


def _words(metavar: str | None) -> Iterator[str]:
    """The values that stand as they are in what an option takes: `none|host|HOST`."""
    words = (metavar or "").split("|")
    yield from (word for word in words if len(words) > 1 and word.isalpha() and word.islower())


def _of_commands(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - typer's or click's
    yield f"command: {name}"
    for parameter in command.params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            if option.startswith("-"):
                yield f"option: {name} {option}"
                for choice in getattr(parameter.type, "choices", _words(parameter.metavar)):
                    yield f"value: {name} {option} {getattr(choice, 'value', choice)}"
    for key, below in getattr(command, "commands", {}).items():
        yield from _of_commands(below, f"{name} {key}")


def _of_editor(contributes: Mapping[str, Any]) -> Iterator[str]:
    for entry in contributes["commands"]:
        yield f"editor command: {entry['command']}"
    for view in contributes["views"]["understudy"]:
        yield f"editor view: {view['id']}"
    for group in contributes["configuration"]:
        for name, entry in group["properties"].items():
            yield f"editor setting: {name}"
            for below in entry.get("properties", ()):
                yield f"editor setting: {name} {below}"


def _of_python() -> Iterator[str]:
    """What `import understudy` gives, with the parameters of its methods; and the adapters."""
    yield "python: understudy.__version__"
    for name in public.__all__:
        yield f"python: understudy.{name}"
        kind = getattr(understudy, name)
        if isinstance(kind, type) and kind.__module__.startswith((f"{_API}.", _SCORES)):
            yield from _of_class(f"understudy.{name}", kind)
        elif inspect.isfunction(kind):
            yield from (
                f"python: understudy.{name}({one})" for one in inspect.signature(kind).parameters
            )
    adapter = "understudy.adapters.mini_swe_agent.UnderstudyEnvironment"
    yield f"python: {adapter}"
    for item in dataclasses.fields(UnderstudyEnvironmentConfig):
        yield f"python: {adapter}({item.name})"
    for item in dataclasses.fields(VerifierTask):
        yield f"python: understudy.adapters.harbor.VerifierTask.{item.name}"
    for name in ("inspect_ai", "verifiers"):  # they cannot be loaded where their harness is not
        text = (PACKAGE / "adapters" / f"{name}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                yield f"python: understudy.adapters.{name}.{node.name}"


def _of_class(name: str, kind: type) -> Iterator[str]:
    if dataclasses.is_dataclass(kind):
        yield from (f"python: {name}.{item.name}" for item in dataclasses.fields(kind))
        return
    for member, value in inspect.getmembers(kind):
        if member.startswith("_") or (issubclass(kind, str) and member in dir(str)):
            continue
        yield f"python: {name}.{member}"
        if inspect.isfunction(value):
            given = [*inspect.signature(value).parameters][1:]
            yield from (f"python: {name}.{member}({one})" for one in given)


def _of_answers() -> Iterator[str]:
    """Keys that the faces write into answers, and notifications; SARIF's words are its own."""
    for kind in _ANSWERS:
        yield from (f"field of answers: {item.name}" for item in dataclasses.fields(kind))
    rooms = (PACKAGE / "faces" / room for room in ("answers", "calls", "lsp"))
    paths = (path for room in rooms for path in sorted(room.rglob("*.py")))
    for path in (*paths, PACKAGE / "findings" / "lines.py"):
        if path.name == "report_sarif.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                yield from _keys(node)
            elif isinstance(node, ast.Constant) and _NOTIFICATION.fullmatch(str(node.value)):
                yield f"method: {node.value}"

    for path in sorted((PACKAGE / "faces" / "cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("json_line", "say_json")
            ):
                for given in node.args:
                    if isinstance(given, ast.Dict):  # an answer that is made where it is printed
                        yield from _keys(given)


def _keys(made: ast.Dict) -> Iterator[str]:
    for key in made.keys:
        if isinstance(key, ast.Constant) and re.fullmatch(r"\w+", str(key.value)):
            yield f"field of answers: {key.value}"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write("usage: python -m tools.public_names [--write]\n")
        return 2
    text = NAMES.read_text(encoding="utf-8") if NAMES.exists() else ""
    now = public_names()
    if lines := missed(listed(text), now, deprecated_names(), understudy.__version__):
        sys.stderr.write("".join(f"{line}: {DEPRECATED.name}\n" for line in lines))
        return 1
    if arguments:
        NAMES.write_text(text_of(now), encoding="utf-8")
    elif text != text_of(now):
        sys.stderr.write("public-names.txt is old: python -m tools.public_names --write\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
