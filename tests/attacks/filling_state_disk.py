"""The disk of our state fills in the middle of each verb that writes there; prints what came of it.

    unshare --user --map-root-user --mount python -m tests.attacks.filling_state_disk FOLDER

At its start a verb finds room for so many pages. Each is tried once more when there is room again.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.attacks.full_state_disk import State
from tests.e2e import lsp_client
from tests.e2e.lsp_client import Editor
from tests.support.full_disk import PAGE

PAGES = {
    "accept": (9, 24), "discard": (9,), "put": (2,), "note": (0,), "log": (0,), "record": (0, 1),
}  # fmt: skip
"""Room for each command line: it fails at its beginning, or when a part of it is done."""
PAGES_OF_HOST = (0, 1, 3, 9)
DONE = {"accept": "changed\n", "discard": "old\n"}
"""What the folder has once it is done."""


class Filling(State):
    """A state whose disk has little room while a verb works."""

    def __init__(self, above: Path) -> None:
        super().__init__(above)
        self.told: dict[str, Any] = {}
        self.next_start = ""
        """What the last look at the branches said of what it had to end."""

    def take(self, pages: int) -> None:
        self.disk.fill()
        self.disk.give_back(pages * PAGE)

    def listed(self) -> list[str]:
        done = self.run("branches", "list")
        assert done["code"] == 0, done
        self.next_start = done["err"]
        return [line.split()[0] for line in done["out"].splitlines()]

    def tell(self, verb: str, *answers: dict[str, Any]) -> None:
        """What was said with little room and with enough, each with what was found then."""
        self.told[verb] = answers

    def try_command(self, verb: str, command: tuple[str, ...], found: Callable[[], str]) -> None:
        """A command line of its own, with little room and with enough."""
        _, pages = verb.split()
        self.take(int(pages))
        said = self.run(*command)
        self.disk.empty()
        self.next_start = ""
        first = {**said, "found": found(), "next": self.next_start}
        again = self.run(*command) if first["found"] == "old" else first
        self.tell(verb, first, {**again, "found": found()})


def try_branch(state: Filling, verb: str, pages: int, branch: str) -> None:
    """What `branches accept` and `branches discard` make of so many pages."""

    def found() -> str:
        seen = (state.folder / f"{verb}-{pages}.txt").read_text(), branch in state.listed()
        whole = {("old\n", True): "old", (DONE[verb], False): "new"}
        return whole.get(seen, "half")

    state.try_command(f"{verb} {pages}", ("branches", verb, branch), found)


def try_context(state: Filling) -> None:
    """What the stores of outputs, facts, histories and recordings make of so many pages."""
    output, events = state.folder / "output", state.folder / "events.jsonl"
    output.write_text("a kept line\n" * 1600)
    events.write_text("".join(json.dumps({"kind": "user", "text": one}) + "\n" for one in "pq"))

    def put() -> str:
        path = state.run("context", "search", "--grep", "kept")["out"].partition(":")[0]
        kept = state.run("context", "get", path)["out"] if path else ""
        return {"": "old", output.read_text(): "new"}.get(kept, "half")

    def note() -> str:
        return "new" if "a fact" in state.run("context", "notes")["out"] else "old"

    def log() -> str:
        shown = state.run("context", "log", "session")["out"]
        return ("old", "half", "new")[sum(f"    {each}\n" in shown for each in "pq")]

    for command, found in (
        (("put", str(output)), put),
        (("note", "a fact"), note),
        (("log", "session", "--append", str(events)), log),
    ):
        for pages in PAGES[command[0]]:
            state.try_command(f"{command[0]} {pages}", ("context", *command), found)
    for pages in PAGES["record"]:
        state.take(pages)
        recorded = state.run("record", "--", "echo", "hi")
        state.disk.empty()
        state.tell(f"record {pages}", recorded, state.run("terminals", "list"))


async def try_edits(state: Filling, editor: Editor, pages: int) -> None:
    """What a host that lives on makes of so many pages, verb by verb."""
    (state.folder / "user.txt").write_text("user 0\n" + "between\n" * 3 + "branch\n")
    edit = {"kind": "replace", "path": "user.txt", "old": "branch\n", "new": f"branch {pages}\n"}
    branch = await editor.branch()

    async def edited() -> str:
        return "new" if f"+branch {pages}" in await editor.diff(branch) else "old"

    async def rebased() -> str:
        before = await editor.ask("understudy/branch/rebase", {"branch": branch})
        return "old" if before["merged"] else "new"

    async def left() -> str:
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        return "old" if branch in {one["branch"] for one in listed} else "new"

    async def attempt(
        verb: str, params: dict[str, Any], found: Callable[[], Awaitable[str]]
    ) -> None:
        method = f"understudy/branch/{verb}"
        await asyncio.to_thread(state.take, pages)
        said = await editor.answer(method, {"branch": branch, **params})
        state.disk.empty()
        first = {**_told(said), "found": await found()}
        again = first
        if first["found"] == "old":
            again = _told(await editor.answer(method, {"branch": branch, **params}))
        state.tell(f"{verb} in a host {pages}", first, {**again, "found": await found()})

    await attempt("edit", {"edits": [edit]}, edited)
    (state.folder / "user.txt").write_text("user 1\n" + "between\n" * 3 + "branch\n")
    await attempt("rebase", {}, rebased)
    await attempt("discard", {}, left)


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    """A host's answer as a command line would tell it."""
    error = answer.get("error")
    err = f"understudy: {error['data']['code']}: {error['message']}" if error else ""
    return {"code": 4 if error else 0, "err": err}


async def main(above: Path) -> dict[str, Any]:
    """The answers, by verb and pages."""
    state = Filling(above)
    lsp_client.child_environment = lambda _: state.environment
    made: list[tuple[str, int, str]] = []
    async with lsp_client.open_editor(state.folder, above / "home") as editor:
        for verb in DONE:
            for pages in PAGES[verb]:
                path = f"{verb}-{pages}.txt"
                (state.folder / path).write_text("old\n")
                edit = {"kind": "write", "path": path, "text": "changed\n"}
                made.append((verb, pages, await editor.branch(edit)))
        for pages in PAGES_OF_HOST:
            await try_edits(state, editor, pages)
    for one in made:
        await asyncio.to_thread(try_branch, state, *one)
    await asyncio.to_thread(try_context, state)
    return state.told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(Path(sys.argv[1])))) + "\n")
