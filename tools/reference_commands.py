"""The command line's reference, from the commands themselves: a table and a section for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from understudy.faces.cli.main import COMMANDS, command_line

_INHERITED = frozenset(("--help",))
"""Options that every command has."""


def commands() -> dict[str, TyperCommand]:
    """Every command that does something and is listed, by what is typed for it."""
    return dict(_below(cast("TyperGroup", get_command(command_line(COMMANDS))), "understudy"))


def _below(command: TyperCommand | TyperGroup, name: str) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperCommand):
        yield name, command
        return
    for key, child in command.commands.items():
        if not child.hidden:
            yield from _below(cast("TyperCommand | TyperGroup", child), f"{name} {key}")


def command_table() -> str:
    """A row for each command: what is typed, and the first sentence of its help."""
    lines = ["| command | does |", "|---|---|"]
    for name, command in commands().items():
        first = re.split(r"(?<=[.;:]) |\n\n", command.help or "", maxsplit=1)[0]
        lines.append(f"| [`{name}`](#{_anchor(name)}) | {_cell(first.rstrip('.;:'))} |")
    return "\n".join(lines) + "\n"


def command_sections() -> str:
    """A section for each command: how it is called, its help, arguments and options."""
    return "\n".join(_section(name, command) for name, command in commands().items())


def _section(name: str, command: TyperCommand) -> str:
    context = typer.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"### `{name}`", f"```text\n{name} {usage}\n```"]
    parts += [" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n")]
    parameters = cast("list[TyperArgument | TyperOption]", command.params)
    rows = [
        f"| {_spelling(one, context)} | {_cell(one.help or '')} | {_default(one)} |"
        for one in parameters
        if not _INHERITED.intersection(one.opts) and not one.hidden
    ]
    if rows:
        parts.append(
            "\n".join(("| argument or option | means | default |", "|---|---|---|", *rows))
        )
    return "\n\n".join(parts) + "\n"


def _spelling(parameter: TyperArgument | TyperOption, context: typer.Context) -> str:
    """As it is typed: `--root DIR`, or the name of an argument."""
    shown = parameter.make_metavar(context)
    if isinstance(parameter, TyperArgument):
        return f"`{_cell(shown)}`"
    names = ", ".join(parameter.opts)
    return f"`{names}`" if parameter.is_flag else f"`{_cell(f'{names} {shown}')}`"


def _default(parameter: TyperArgument | TyperOption) -> str:
    """What stands for it where it is not given; nothing where its meaning says that."""
    default = getattr(parameter.default, "value", parameter.default)
    if parameter.required:
        return "required"
    return "" if default in (None, False, (), []) or callable(default) else f"`{default}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
