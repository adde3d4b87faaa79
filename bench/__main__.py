"""Runs the rows and prints the table; exit code 1 when a bar is missed or a row fails."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

from bench.report import Figure, Setup, table
from tests.support.kits import COMMANDS, PAIRINGS

ROWS = (
    "agreement",
    "agreement_files",
    "agreement_commands",
    "radius",
    "radius_engines",
    "radius_users",
    "verdicts",
    "workspace_scope",
    "silencing",
    "fixes",
    "switches",
    "cold_start",
    "warm",
    "unseen_edit",
    "throughput",
    "rank",
    "placement",
    "attach",
    "mcp_agents",
    "mcp_catalogue",
    "keystrokes",
    "memory",
    "code_questions",
    "cold_check",
    "warm_host",
    "api_candidates",
    "start_up",
    "accept",
    "kills",
    "faults",
    "stage_open",
    "stage_many",
    "stage_kills",
    "stage_cargo",
    "stage_cpu",
    "stage_projects",
    "rehearse_start",
    "rehearse_edits",
    "rehearse_copy",
    "rehearse_cpu",
    "rehearse_hour",
    "rehearse_many",
    "map",
    "affected",
    "outline_stall",
    "context_store",
    "context_pack",
    "context_cost",
    "context_receipts",
    "outline_speed",
    "outline_whole",
    "outline_recall",
    "outline_midedit",
    "outline_budget",
    "terminal_engine",
    "terminal_recorder",
    "terminal_lag",
    "terminal_hostile",
    "editor_start",
    "editor_accept",
    "editor_lint",
    "editor_typing",
    "busy_checks",
    "vsix",
)
"""One module of this package each, with `async def run(setup) -> list[Figure]`."""

ROWS_OF_COMMANDS = frozenset(("agreement", "agreement_files", "agreement_commands"))
"""`--servers` may name checking commands, where it is for these rows alone."""

EDITS = {
    "radius": 150,
    "rehearse_cpu": 7,
    "rehearse_edits": 500,
    "rehearse_hour": 60,
    "rehearse_many": 32,
}
"""Where a row wants another number of edits than the rest."""

_EDITS = 60

ROW_DEADLINE_S = 900
LONG_ROWS = {
    "faults": 2 * 3600,
    "stage_projects": 3600,
    "rehearse_edits": 3600,
    "rehearse_cpu": 3600,
    "rehearse_hour": 2 * 3600,
    "context_cost": 3600,
    "radius": 6 * 3600,
    "radius_users": 3 * 3600,
    "verdicts": 6 * 3600,
    "radius_engines": 3600,
    "workspace_scope": 3600,
    "silencing": 3600,
    "fixes": 3600,
}
"""In s; what builds many projects, and at the first time installs what they need; cold runs."""


def main() -> int:
    """Parse the arguments, run the rows one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; or all")
    said = ", ".join(f"{row}: {n}" for row, n in EDITS.items())
    help_ = f"edits a server or a project (default {_EDITS}; {said})"
    parser.add_argument("--edits", type=int, help=help_)
    parser.add_argument("--servers", nargs="*", default=[], help="these servers only")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    arguments = parser.parse_args()
    of_commands = set(arguments.rows or ROWS) <= ROWS_OF_COMMANDS
    servers_known = (*PAIRINGS, *(COMMANDS if of_commands else ()))
    for name, known in ((arguments.rows, ROWS), (arguments.servers, servers_known)):
        unknown = [one for one in name if one not in known]
        if unknown:
            parser.error(f"{unknown[0]!r} is none of {', '.join(known)}")
    servers = tuple(arguments.servers) or tuple(PAIRINGS)
    figures: list[Figure] = []
    for row in arguments.rows or ROWS:
        figures += _run(row, arguments.edits or EDITS.get(row, _EDITS), servers)
    sys.stdout.write(table(figures) + "\n")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([f.as_json() for f in figures], indent=2) + "\n")
    return 1 if any(figure.ok is False for figure in figures) else 0


def _run(row: str, n_edits: int, servers: tuple[str, ...]) -> list[Figure]:
    began = time.monotonic()
    deadline = LONG_ROWS.get(row, ROW_DEADLINE_S)
    module = importlib.import_module(f"bench.{row}")
    with tempfile.TemporaryDirectory(prefix="understudy-bench-") as folder:
        setup = Setup(n_edits, servers, Path(folder).resolve(), _say)
        try:
            found = asyncio.run(asyncio.wait_for(module.run(setup), deadline))
        except Exception as error:  # noqa: BLE001 - the other rows run on; this one has failed
            traceback.print_exc()
            found = [Figure(row, "the row itself", f"failed: {error!r}", ok=False)]
    _say(f"{row}: {time.monotonic() - began:.0f} s")
    _say(table(found))
    return found


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
