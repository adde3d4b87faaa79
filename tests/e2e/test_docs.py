"""The documents and the help texts say what the code does."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import typer
import yaml
from typer.main import get_command

from tests.e2e.contract import CHECK, assert_check
from tools import reference
from tools.reference_commands import commands
from tools.reference_errors import UNEXPLAINED, codes
from understudy.edits.model import _READERS
from understudy.faces.cli.main import COMMANDS as ALL_COMMANDS
from understudy.faces.cli.main import command_line
from understudy.faces.lsp.table import REQUESTS
from understudy.values import toml
from understudy.values.verdicts import ReasonCode

ROOT = Path(__file__).resolve().parent.parent.parent
REFERENCE = {
    page.name: page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs" / "reference").glob("*.md"))
}
EVERYTHING = {
    **{
        name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")
    },
    **{
        str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
        for page in sorted((ROOT / "docs").rglob("*.md"))
    },
}
README = EVERYTHING["README.md"]
COMMANDS = commands()


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


@pytest.mark.parametrize("name", [name for name, text in REFERENCE.items() if "<!-- table" in text])
def test_the_tables_are_those_of_the_code(name: str) -> None:
    text = REFERENCE[name]
    assert reference.named(text)
    assert text == reference.filled(text), "run: python -m tools.reference --write"


@pytest.mark.parametrize(
    ("page", "now", "before"),
    [
        ("settings.md", "| `timeout_s` | number |", "| `timeout_s` | string |"),
        ("command-line.md", "| `--severity <error", "| `--gravity <error"),
        ("errors.md", "| `crashed` | failure outside |", "| `crashed` | bad input |"),
    ],
)
def test_a_stale_table_is_seen(page: str, now: str, before: str) -> None:
    stale = REFERENCE[page].replace(now, before)
    assert stale != REFERENCE[page]
    assert reference.filled(stale) == REFERENCE[page]


def test_every_table_is_in_the_reference() -> None:
    shown = [name for text in REFERENCE.values() for name in reference.named(text)]
    assert sorted(shown) == sorted(reference.tables())


def test_every_request_has_a_section() -> None:
    sections = [
        section
        for text in REFERENCE.values()
        for section in re.findall(r"^#+ `(understudy/\S+)`$", text, re.MULTILINE)
    ]
    assert sorted(sections) == sorted(request.method for request in REQUESTS)


def rows(page: str, heading: str) -> set[str]:
    """The first cells, in code marks, of the table below a heading of a page."""
    below = REFERENCE[page].split(heading, 1)[1]
    section = re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^\| \[?`([^`]+)`(?:\]\(\S+\))? \|", section, re.MULTILINE))


def test_every_reason_is_explained() -> None:
    assert rows("verdicts.md", "## Reasons of `unknown`\n") == set(get_args(ReasonCode))


def test_every_error_code_is_explained() -> None:
    assert rows("errors.md", "<!-- table: errors -->\n") == set(codes())
    assert f"| {UNEXPLAINED} |" not in REFERENCE["errors.md"], "say there what the new code means"


def test_a_new_code_is_asked_for() -> None:
    page = REFERENCE["errors.md"].replace("| `bad-tail` |", "| `bad-tale` |")
    assert f"| `bad-tail` | bad input | {UNEXPLAINED} |" in reference.filled(page)


def test_every_edit_is_explained() -> None:
    text = REFERENCE["edits.md"]
    kinds = {
        kind: tuple(re.findall(r'"(\w+)"', fields))
        for kind, fields in re.findall(r'^\| `\{"kind": "(\w+)"(.*?)\}` \|', text, re.MULTILINE)
    }
    assert kinds == {kind: fields for kind, (fields, _) in _READERS.items()}


def test_every_command_is_in_the_reference() -> None:
    assert rows("command-line.md", "<!-- table: commands -->\n") == set(COMMANDS)
    for name, command in COMMANDS.items():
        below = REFERENCE["command-line.md"].split(f"### `{name}`\n", 1)[1]
        section = re.split(r"^### ", below, maxsplit=1, flags=re.MULTILINE)[0]
        for parameter in command.params:
            for spelling in parameter.opts:
                assert spelling in section or spelling in ("--help", parameter.name)


def test_the_example_of_a_check_is_one() -> None:
    example = re.search(r"```json\n(.*?)```", REFERENCE["verdicts.md"], re.DOTALL)
    assert example is not None
    report = ast.literal_eval(
        re.sub(r"\bnull\b", "None", re.sub(r"\bfalse\b", "False", example[1]))
    )
    assert list(report) == list(CHECK)
    assert_check(report)


def shell_lines(text: str) -> Iterator[str]:
    """The commands in a document's code blocks, one a line, without prompt and comment."""
    for language, block in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL):
        for line in block.split("\n"):
            if language == "console" and not line.startswith("$ "):
                continue  # what the terminal shows
            for part in line.removeprefix("$ ").partition("#")[0].split(" | "):
                if re.match(r"(understudy|make) ", part):
                    yield part.strip()


@cache
def all_shell_lines() -> list[str]:
    return sorted({line for text in EVERYTHING.values() for line in shell_lines(text)})


@pytest.mark.parametrize("line", all_shell_lines())
def test_a_command_in_the_documents_exists(line: str) -> None:
    program, *words = shlex.split(line)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE))
        assert {word for word in words if "=" not in word} <= targets
        return
    if line == "understudy --version":
        return
    name = next(name for name in COMMANDS if f"{line} ".startswith(f"{name} "))
    if "--" in words:  # behind it stands another program's command
        words = words[: words.index("--")]
    known = {spelling for parameter in COMMANDS[name].params for spelling in parameter.opts}
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", EVERYTHING[page], re.DOTALL)


def test_the_workflow_runs_what_there_is() -> None:
    (text,) = blocks("docs/how-to/ci.md", "yaml")
    workflow = yaml.safe_load(text)
    assert workflow[True] == "pull_request", "YAML 1.1 reads the key `on` as true"
    steps = workflow["jobs"]["check"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    (command,) = (step["run"] for step in steps if "understudy check" in step.get("run", ""))
    check_command(command)


def hooks() -> list[str]:
    """The hook as a file, and as the hook manager runs it."""
    page = "docs/how-to/pre-commit.md"
    (hook,) = (text for text in blocks(page, "sh") if text.startswith("#!/bin/sh"))
    (text,) = blocks(page, "yaml")
    (entry,) = yaml.safe_load(text)["repos"][0]["hooks"]
    return [hook, entry["entry"]]


@pytest.mark.parametrize("hook", hooks())
def test_the_hook_lets_unknown_pass_and_nothing_else(hook: str, tmp_path: Path) -> None:
    (command,) = re.findall(r"understudy [^;\n]*", hook)
    check_command(command)
    (tmp_path / "understudy").write_text("#!/bin/sh\nexit $CODE\n")
    (tmp_path / "understudy").chmod(0o755)
    for code, passes in ((0, True), (1, False), (2, False), (3, True), (4, False), (130, False)):
        variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "CODE": str(code)}
        done = subprocess.run(["/bin/sh", "-c", hook], env=variables, timeout=60, check=False)
        assert (done.returncode == 0) == passes, code


def test_the_editor_has_the_commands_of_the_tutorial() -> None:
    commands = json.loads((ROOT / "package.json").read_text())["contributes"]["commands"]
    titles = {f"{command['category']}: {command['title']}" for command in commands}
    named = {
        command for text in EVERYTHING.values()
        for command in re.findall(r"\*\*(Understudy: [^*]+)\*\*", text)
    }  # fmt: skip
    assert named
    assert named <= titles


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
