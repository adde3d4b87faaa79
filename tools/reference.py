"""Fills the tables of docs/reference that are made from the code.

    python -m tools.reference           exit code 1 and the names of pages that are not up to date
    python -m tools.reference --write   bring them up to date

A marker is `<!-- table: NAME -->`; its table ends at the next `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tools.profile_reference import PAGE as PROFILES
from tools.profile_reference import page as profiles_page
from tools.python_reference import python_reference
from tools.reference_commands import command_sections, command_table
from tools.reference_errors import error_table
from tools.reference_fields import fields_table
from understudy.app.check.request import ALLOWED
from understudy.context.policy import Policy
from understudy.faces.calls.tools import TOOLS
from understudy.faces.lsp.options import InitializationOptions
from understudy.faces.lsp.table import REQUESTS
from understudy.workspace.settings import GUARDED, Settings
from understudy.workspace.triggers.catalogue import Trigger, shipped_triggers

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
_BLOCK = re.compile(r"<!-- table: (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


def tables(page: str = "") -> dict[str, str]:
    """Every table by name: `settings`, `errors`, `commands`, `python`; one a request or MCP tool.

    Meanings of error codes are those that the page has so far.
    """
    made = {request.method: fields_table(request.takes) for request in REQUESTS}
    made |= {tool.name: fields_table(tool.takes) for tool in TOOLS}
    made["settings"] = fields_table(Settings, guarded=GUARDED)
    made["policy"] = fields_table(Policy)
    made["options"] = fields_table(InitializationOptions)
    made["forwarded"] = "".join(f"- `{method}`\n" for method in sorted(ALLOWED))
    made["commands"] = command_table()
    made["command-sections"] = command_sections()
    made["errors"] = error_table(page)
    made["python"] = python_reference()
    made["triggers"] = fields_table(Trigger)
    made["kinds"] = _kinds()
    return made


def _kinds() -> str:
    """What has a user's tools run something: a row for each kind that we know."""
    lines = ["| kind | files | runs |", "|---|---|---|"]
    for name, kind in shipped_triggers().kinds.items():
        only = f" (only {', '.join(f'`{key}`' for key in kind.keys)})" if kind.keys else ""
        files = ", ".join(f"`{glob}`" for glob in kind.files)
        lines.append(f"| `{name}` | {files}{only} | {kind.runs} |")
    return "\n".join(lines) + "\n"


def filled(text: str) -> str:
    """A page with the tables of now between its markers; an unknown name is a KeyError."""
    made = tables(text)
    return _BLOCK.sub(lambda m: f"<!-- table: {m[1]} -->\n{made[m[1]]}<!-- end -->", text)


def named(text: str) -> list[str]:
    """The names of the tables in a page."""
    return [match[1] for match in _BLOCK.finditer(text)]


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    stale: list[str] = []
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        made = profiles_page() if page == PROFILES else filled(text)
        if made != text:
            stale.append(page.name)
            if arguments:
                page.write_text(made, encoding="utf-8")
    if stale and not arguments:
        sys.stderr.write(f"not up to date: {', '.join(stale)}: python -m tools.reference --write\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
