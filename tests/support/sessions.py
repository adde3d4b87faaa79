"""Sessions over a folder of the test's, judged by toy servers: a line with BAD is a finding."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.toy_proofs import proofs_of
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.disk.layout import Layout
from understudy.values.paths import Root
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Progress, silent
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

TOYS = Path(__file__).parent.parent / "toys"


def toy_profile(toy: str, **overrides: Any) -> dict[str, Any]:
    """A profile that lets a toy judge `*.txt` and, as if it were a type checker, `*.py`."""
    return {
        "group": "toy",
        "command": [sys.executable, "-S", str(TOYS / f"{toy}.py")],
        "files": {"*.txt": "plaintext", "*.py": "python"},
        "rule": "pull",
        "scope": "project",
        "install": "it is here",
        "objections": {"python": "BAD objection"},
        **overrides,
    }


@asynccontextmanager
async def open_session(
    tmp_path: Path, files: dict[str, str], toys: dict[str, dict[str, Any]], **settings: Any
) -> AsyncIterator[Session]:
    """A session over a new folder in which only the given toys judge."""
    folder = tmp_path / "project"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    shipped = ("types", "lint", "json", "shell")
    chosen = Settings(servers=toys, disabled_groups=shipped, **settings)
    layout = Layout(tmp_path / "state").create()
    proofs = ProofBook(proofs_of(toys))
    session = Session(Root.open(folder), chosen, layout, trusted=True, proofs=proofs)
    try:
        yield session
    finally:
        await session.close()


async def check_edits(
    session: Session,
    edits: list[dict[str, Any]],
    options: CheckOptions | None = None,
    progress: Progress = silent,
) -> Checked:
    """Check a new branch with these edits."""
    branch = await session.branches.create("test")
    await session.branches.edit(branch.id, edits, await session.fresh_base())
    after = branch_side(session.branches, branch.id)
    return await check(session, base_side, after, options or CheckOptions(), progress=progress)
