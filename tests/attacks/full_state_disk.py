"""Our state on a real small disk that is full, or read-only; prints what each command says of it.

    unshare --user --map-root-user --mount python -m tests.attacks.full_state_disk FOLDER HOW

HOW is `full`, `read-only`, `new` (full, before there was any state), or `crash` (full, and the
journal was never closed).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e import lsp_client
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.support.full_disk import PAGE, Disk

FILES: dict[str, str | bytes] = {"a.txt": "old\n", "b.txt": "old\n"}
COMMANDS = (
    ("branches", "list"),
    ("branches", "diff", "b1"),
    ("trust", "--list"),
    ("terminals", "list"),
    ("trust",),
    ("branches", "accept", "b1"),
    ("branches", "discard", "b2"),
    ("run", "--adopt", "--", "sh", "-c", "echo new > n.txt"),
    ("run", "--", "true"),
)


class State:
    """A folder of the user's, and our state on a disk of its own."""

    def __init__(self, above: Path) -> None:
        above.mkdir()
        self.folder = make_folder(above / "work", FILES)
        self.mount = above / "disk"
        self.disk = Disk(self.mount)
        state = self.mount / "understudy"
        self.environment = {**child_environment(above / "home"), "UNDERSTUDY_STATE_DIR": str(state)}
        self.journal = next(iter(state.glob("workspaces/*/journal.sqlite")), None)

    async def leave_branches(self) -> None:
        lsp_client.child_environment = lambda _: self.environment
        async with lsp_client.open_editor(self.folder, self.folder.parent / "home") as editor:
            for path in FILES:
                await editor.branch({"kind": "write", "path": path, "text": "changed\n"})

    def run(self, *command: str) -> dict[str, Any]:
        done = subprocess.run(
            [*UNDERSTUDY, *command], cwd=self.folder, env=self.environment, timeout=120,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

    def texts(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in sorted(self.folder.iterdir())}

    def state_files(self) -> list[str]:
        files = (path for path in self.mount.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.mount)) for path in files)

    def make_read_only(self, word: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{word}", self.mount], check=True)


def main(above: Path, how: str) -> dict[str, Any]:
    state = State(above)
    if how != "new":
        asyncio.run(state.leave_branches())
    before = state.state_files()
    if how == "read-only":
        state.make_read_only("ro")
    else:
        state.disk.fill()
    told: dict[str, Any] = {"mount": str(state.mount)}
    told["said"] = {" ".join(command): state.run(*command) for command in COMMANDS}
    told["folder"] = state.texts()
    told["recorded"] = state.run("record", "--", "echo", "hi")
    told["kept"] = state.run("context", "put", "--", state.folder / "a.txt")
    if how == "read-only":
        state.make_read_only("rw")
    else:
        state.disk.empty()
    told["left"] = sorted(set(state.state_files()) - {*before, "filler"})
    told["after"] = {"list": state.run("branches", "list"), "trust": state.run("trust", "--list")}
    told["accepted"] = state.run("branches", "accept", "b1")
    told["then"] = state.texts()
    return told


def fill_by_pages(above: Path) -> dict[str, Any]:
    """The disk fills in the middle of each verb: it has room for so many pages at its start."""
    state = State(above)
    asyncio.run(state.leave_branches())
    told: dict[str, Any] = {}
    for pages in (1, 4, 12, 24):
        for command in (("run", "--adopt", "--", "sh", "-c", "echo new > n.txt"), ("trust",)):
            state.disk.fill()
            state.disk.give_back(pages * PAGE)
            said = state.run(*command)
            state.disk.empty()
            told[f"{command[0]} {pages}"] = {
                **said,
                "branches": state.run("branches", "list")["out"].count("\n"),
                "folder": state.texts() == FILES,
            }
            if command == ("trust",):
                state.run("trust", "--remove")
    return told


if __name__ == "__main__":
    place, way = Path(sys.argv[1]), sys.argv[2]
    answer = fill_by_pages(place) if way == "pages" else main(place, way)
    sys.stdout.write(json.dumps(answer) + "\n")
