"""The same as `agreement_files` for the checking commands, which by nature stop early.

A compiler looks at nothing behind its first failed phase, nor at what needs a package that does
not build: those files are unknown, and the share of edits with such a file is what this row says.
"""

from __future__ import annotations

from dataclasses import replace

from bench import agreement_files
from bench.report import Figure, Setup
from tests.support.kits import COMMANDS


async def run(setup: Setup) -> list[Figure]:
    """Two figures a command; all of them, unless some are named."""
    named = tuple(name for name in setup.servers if name in COMMANDS)
    setup = replace(setup, servers=named or tuple(COMMANDS))
    figures = await agreement_files.run(setup)
    return [replace(figure, row="agreement_commands") for figure in figures]
