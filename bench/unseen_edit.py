"""Edits that no other file can see, of a file with many users: the default scope beside one file.

A body behind a written signature, a private name, a comment, each on a warm session: what the
scope `affected` takes beside the scope `edited`, in turn, each time with a text that is new. In C
a body in a header is compiled by all that include it, so there the comment stands alone.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass

from bench.radius_corpora import CORPORA
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.agreement import Rehearsals, rehearsals
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.settings import Scope

N_DISCARDED = 4
MAX_RATIO = 1.1
_SCOPES: tuple[Scope, Scope] = ("affected", "edited")


@dataclass(frozen=True)
class _Unseen:
    """A file of a project, which `users` others depend on at the least, and edits of it.

    Each puts a text, with a number for `@n@`, before one that is there once, or at the end.
    """

    project: str
    server: str
    path: str
    users: int
    edits: Mapping[str, tuple[str, str]]
    at_most: int = 60
    """Edits of a kind, where each takes long."""


_UNSEEN = (
    _Unseen("rich", "basedpyright", "rich/style.py", 40, {
        "body": ("        _ = @n@\n", "        text = text or str(self)\n"),
        "private name": ("\n\n_unseen_@n@: int = @n@\n", ""),
        "comment": ("# @n@\n", ""),
    }),
    _Unseen("zod", "typescript7", "src/v4/core/util.ts", 40, {
        "body": ("  void @n@;\n", '  const start = source.startsWith("^")'),
        "private name": ("const unseen_@n@: number = @n@;\n", ""),
        "comment": ("// @n@\n", ""),
    }),
    _Unseen("github.com/go-chi/chi/v5", "gopls", "mux.go", 15, {
        "body": ("\t_ = @n@\n", "\treturn mx.tree.routes()"),
        "private name": ("\nvar unseen@n@ = @n@\n", ""),
        "comment": ("// @n@\n", ""),
    }),
    _Unseen("ttf-parser", "cargo-check", "src/parser.rs", 40, {
        "body": ("        let _ = @n@;\n", "        (self.data.len() / T::SIZE) as u16\n"),
        "private name": ("#[allow(dead_code)]\nconst UNSEEN_@n@: u32 = @n@;\n", ""),
        "comment": ("// @n@\n", ""),
    }, at_most=10),
    _Unseen("tree-sitter", "clangd", "src/array.h", 10, {"comment": ("// @n@\n", "")}),
)  # fmt: skip


async def run(setup: Setup) -> list[Figure]:
    """One figure a language and kind of edit."""
    return [figure for unseen in _UNSEEN for figure in await _of(setup, unseen)]


async def _of(setup: Setup, unseen: _Unseen) -> list[Figure]:
    (releases,) = (one for one in CORPORA if one.name == unseen.project)
    project = releases.project(releases.versions[0])
    folder = setup.folder / unseen.server
    text = project.files[unseen.path]
    user = project.write(folder / "project")
    async with rehearsals(user, folder / "state", unseen.server) as live:
        users = await _users(live, unseen.path)
        assert users >= unseen.users, (unseen, users)
        branch = (await live.session.branches.create("unseen")).id
        n_edits = min(setup.n_edits, unseen.at_most)
        taken = [
            await _taken(live, branch, unseen.path, _texts(text, *edit), n_edits)
            for edit in unseen.edits.values()
        ]
    return [
        _figure(f"{kind}, {unseen.server}, {users} users", times)
        for kind, times in zip(unseen.edits, taken, strict=True)
    ]


def _texts(text: str, added: str, before: str) -> tuple[str, str, str]:
    """What stands before, at and after the place of an edit."""
    if not before:
        return text, added, ""
    start, found, rest = text.partition(before)
    assert found, f"not there: {before}"
    assert before not in rest, f"not there once: {before}"
    return start, added, found + rest


async def _users(live: Rehearsals, path: str) -> int:
    snapshot = Snapshot(await live.session.fresh_base())
    return len(await live.session.bindings.dependents_of([snapshot], [path]) - {path})


async def _taken(
    live: Rehearsals, branch: str, path: str, parts: tuple[str, str, str], n_edits: int
) -> Mapping[Scope, list[float]]:
    """Seconds from each edit to its verdict, the scopes in turn."""
    taken: dict[Scope, list[float]] = {scope: [] for scope in _SCOPES}
    start, added, rest = parts
    for number in range(N_DISCARDED + n_edits):
        for scope in _SCOPES if number % 2 else _SCOPES[::-1]:
            unique = added.replace("@n@", str(1000 + 2 * number + _SCOPES.index(scope)))
            began = time.perf_counter()
            write = {"kind": "write", "path": path, "text": f"{start}{unique}{rest}"}
            await live.edit(branch, [write])
            report = (await live.check(branch, scope)).report
            elapsed = time.perf_counter() - began
            assert report.verdict == "clean", report
            if number >= N_DISCARDED:
                taken[scope].append(elapsed)
    return taken


def _figure(name: str, taken: Mapping[Scope, list[float]]) -> Figure:
    ours, reference = (statistics.median(taken[scope]) for scope in _SCOPES)
    ratio = ours / reference
    return Figure(
        "unseen_edit", name, milliseconds(ours), f"{milliseconds(reference)} edited scope",
        ratio, f"<= {MAX_RATIO}", ratio <= MAX_RATIO,
        {f"{scope}_s": spread(times) for scope, times in taken.items()},
    )  # fmt: skip
