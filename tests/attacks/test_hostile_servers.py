"""Whatever a language server says, it is judged or it is unknown; nobody else notices."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.hostile_servers import SERVER_SAYS
from tests.e2e.contract import assert_check
from tests.e2e.folders import make_folder, toy_profile
from tests.e2e.lsp_client import Editor, open_editor
from tests.support.toy_proofs import proofs_of, write_proofs
from tests.support.workspace import state_of

pytestmark = pytest.mark.ring
UNJUDGED = {"crashed", "unproven", "timeout", "starting", "base-unknown"}


async def test_it_is_judged_or_unknown(tmp_path: Path) -> None:
    names = {f"s{number}": name for number, name in enumerate(SERVER_SAYS)}
    folder = make_folder(tmp_path / "work", {f"{toy}.txt": "fine\n" for toy in names})
    profiles: dict[str, Any] = {}
    for toy, name in names.items():
        part = make_folder(tmp_path / "parts", {toy: json.dumps(SERVER_SAYS[name])}) / toy
        profile = toy_profile("plays", files=f"{toy}.txt")
        profiles[toy] = {**profile, "command": [*profile["command"], str(part)]}
    write_proofs(tmp_path / "state" / "understudy", proofs_of(profiles))
    before = state_of(folder)
    settings = {"settings": {"servers": profiles}}
    async with open_editor(folder, tmp_path / "state", settings) as one:
        few = asyncio.Semaphore(16)
        wrong = await asyncio.gather(*(_judged(one, few, toy, names[toy]) for toy in names))
        assert not list(filter(None, wrong)), "\n".join(filter(None, wrong))
        assert (await one.ask("understudy/status"))["root"] == str(folder)
    assert state_of(folder) == before


async def _judged(editor: Editor, few: asyncio.Semaphore, toy: str, name: str) -> str:
    """What is wrong with the verdict on a server's file; empty if nothing is."""
    async with few:
        edit = {"kind": "write", "path": f"{toy}.txt", "text": "a\nBAD one\n"}
        branch = await editor.branch(edit)
        report = await editor.check(branch, timeout=5)
    assert_check(report)
    (file,) = report["files"]
    if report["verdict"] == "findings":
        held = report["introduced"][0]["message"].startswith("BAD")
    else:
        held = report["verdict"] == "unknown" and file["reason"]["code"] in UNJUDGED
    return "" if held else f"{name}: {json.dumps(report)[:600]}"
