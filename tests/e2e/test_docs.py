"""The documents and the help texts say what the code does."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
import typer
import yaml
from typer.main import get_command

from tests.e2e.contract import CHECK, assert_check
from tools import protocol_tables
from understudy.edits.model import _READERS
from understudy.faces.cli import COMMANDS as ALL_COMMANDS
from understudy.faces.cli import command_line
from understudy.faces.lsp_requests import REQUESTS
from understudy.values import toml
from understudy.values.verdicts import ReasonCode

ROOT = Path(__file__).resolve().parent.parent.parent
PROTOCOL = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "server" / "understudy").rglob("*.py"))
ERRORS = ("BadInput", "Refused", "Conflict", "OutsideFailure")


def commands(command: object = None, name: str = "understudy") -> Iterator[tuple[str, object]]:
    """Every command that does something, by what is typed for it."""
    command = get_command(command_line(ALL_COMMANDS)) if command is None else command
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for key, inner in below.items():
        yield from commands(inner, f"{name} {key}")


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_for_itself_and_every_option(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    text = command.get_help(typer.Context(command, info_name=name))
    for parameter in command.params:
        assert parameter.help, f"{name}: {parameter.name}"
        for spelling in parameter.opts:
            assert spelling in text or spelling == parameter.name
    assert name.rpartition(" ")[2] in get_help_of_parent(name)


def get_help_of_parent(name: str) -> str:
    words = name.split(" ")
    command = get_command(command_line(ALL_COMMANDS))
    for word in words[1:-1]:
        command = command.commands[word]
    return command.get_help(typer.Context(command))


def test_check_tells_its_exit_codes() -> None:
    text = COMMANDS["understudy check"].help
    for code in ("0 clean", "1 findings", "2 bad input", "3 unknown", "4 a failure", "130 "):
        assert code in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("name", protocol_tables.DOCUMENTS)
def test_the_tables_are_those_of_the_code(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert protocol_tables.named(text)
    assert text == protocol_tables.filled(text), "run: python tools/protocol_tables.py --write"


def test_a_stale_table_is_seen() -> None:
    stale = PROTOCOL.replace("| `timeout_s` | number |", "| `timeout_s` | string |")
    assert stale != PROTOCOL
    assert protocol_tables.filled(stale) == PROTOCOL


def test_every_table_is_in_the_protocol() -> None:
    assert set(protocol_tables.named(PROTOCOL)) == set(protocol_tables.tables())


def test_every_request_has_a_section() -> None:
    sections = re.findall(r"^### `(understudy/\S+)`$", PROTOCOL, re.MULTILINE)
    assert sorted(sections) == sorted(request.method for request in REQUESTS)


def rows(heading: str) -> set[str]:
    """The first cells, in code marks, of the table below a heading."""
    section = re.split(r"^#+ ", PROTOCOL.split(heading, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def test_every_reason_is_explained() -> None:
    assert rows("### Reasons of `unknown`\n") == set(get_args(ReasonCode))


def test_every_error_code_is_explained() -> None:
    assert rows("## Error codes\n") == set(error_codes())


def error_codes() -> Iterator[str]:
    """The codes that the package raises as constants, and those it hands to `structure`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            at = {**dict.fromkeys(ERRORS, 0), "structure": 2}.get(name)
            if at is not None and len(node.args) > at and isinstance(node.args[at], ast.Constant):
                yield node.args[at].value


def test_every_edit_is_explained() -> None:
    kinds = {
        kind: tuple(re.findall(r'"(\w+)"', fields))
        for kind, fields in re.findall(r'^\| `\{"kind": "(\w+)"(.*?)\}` \|', PROTOCOL, re.MULTILINE)
    }
    assert kinds == {kind: fields for kind, (fields, _) in _READERS.items()}


def test_every_command_is_in_the_protocol() -> None:
    written = rows("## Command line\n")
    assert {re.sub(r" [\[A-Z].*", "", name) for name in written} == set(COMMANDS)


def test_the_example_of_a_check_is_one() -> None:
    example = re.search(r"```json\n(.*?)```", PROTOCOL, re.DOTALL)
    assert example is not None
    report = ast.literal_eval(
        re.sub(r"\bnull\b", "None", re.sub(r"\bfalse\b", "False", example[1]))
    )
    assert list(report) == list(CHECK)
    assert_check(report)


def shell_lines(text: str) -> Iterator[str]:
    """The commands in a document's code blocks, one a line, without prompt and comment."""
    for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL):
        for line in block.split("\n"):
            for part in line.removeprefix("$ ").partition("#")[0].split(" | "):
                if re.match(r"(understudy|make) ", part):
                    yield part.strip()


@pytest.mark.parametrize("line", sorted({*shell_lines(README), *shell_lines(PROTOCOL)}))
def test_a_command_in_the_documents_exists(line: str) -> None:
    program, *words = shlex.split(line)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE))
        assert {word for word in words if "=" not in word} <= targets
        return
    name = next(name for name in COMMANDS if f"{line} ".startswith(f"{name} "))
    if "--" in words:  # behind it stands another program's command
        words = words[: words.index("--")]
    known = {spelling for parameter in COMMANDS[name].params for spelling in parameter.opts}
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known


def blocks(language: str) -> list[str]:
    """The README's code blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_workflow_runs_what_there_is() -> None:
    (text,) = blocks("yaml")
    workflow = yaml.safe_load(text)
    assert workflow[True] == "pull_request", "YAML 1.1 reads the key `on` as true"
    steps = workflow["jobs"]["check"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    (command,) = (step["run"] for step in steps if "understudy check" in step.get("run", ""))
    check_command(command)


def test_the_hook_lets_unknown_pass_and_nothing_else(tmp_path: Path) -> None:
    (hook,) = (text for text in blocks("sh") if text.startswith("#!/bin/sh"))
    (command,) = re.findall(r"^understudy .*", hook, re.MULTILINE)
    check_command(command)
    (tmp_path / "understudy").write_text("#!/bin/sh\nexit $CODE\n")
    (tmp_path / "understudy").chmod(0o755)
    for code, passes in ((0, True), (1, False), (2, False), (3, True), (4, False), (130, False)):
        variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "CODE": str(code)}
        done = subprocess.run(["/bin/sh", "-c", hook], env=variables, timeout=60, check=False)
        assert (done.returncode == 0) == passes, code


def check_command(line: str) -> None:
    """Fail unless every option on the line is one of `understudy check`."""
    words = line.split()
    assert words[:2] == ["understudy", "check"]
    known = {option for item in COMMANDS["understudy check"].params for option in item.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_documents_have_commands() -> None:
    lines = set(shell_lines(README))
    assert any(line.startswith("make demo") for line in lines)
    assert any(line.startswith("understudy check") for line in lines)


def test_the_installed_program_is_there() -> None:
    project = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, entry),) = project["scripts"].items()
    module, _, function = entry.partition(":")
    assert name == "understudy"
    assert callable(getattr(importlib.import_module(module), function))
