"""Checks of the same edits in the scopes `affected` and `workspace`, on one warm session.

What only the whole workspace finds is in a file that the radius left out: each difference is a
mistake of the radius. The second check of an edit takes the first one's answers where both ask, so
nothing else can differ; and only first ones are timed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import islice

from bench.radius_corpora import CORPORA, Releases
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.agreement import Rehearsals, rehearsals
from tests.support.edits import GeneratedEdit
from understudy.values.findings import Finding
from understudy.values.verdicts import CheckReport
from understudy.workspace.settings import Scope

JUDGES = {
    "httpx": "ty",
    "starlette": "basedpyright",
    "rich": "ty",
    "zod": "typescript7",
    "commander": "typescript-language-server",
    "github.com/gorilla/mux": "gopls",
    "tree-sitter": "clangd",
}
"""Projects of few files, each with a language server: commands judge all in either scope."""

_SCOPES: tuple[Scope, Scope] = ("affected", "workspace")


@dataclass
class _Tally:
    n_edits: int = 0
    n_found: int = 0
    """Findings that an edit brought or took, in the whole workspace."""
    n_unknown: int = 0
    """Files in all the checks of the workspace that were not judged, and so compare nothing."""
    differences: list[str] = field(default_factory=list[str])
    taken_s: dict[Scope, list[float]] = field(default_factory=lambda: {s: [] for s in _SCOPES})
    n_files: dict[Scope, list[int]] = field(default_factory=lambda: {s: [] for s in _SCOPES})

    def add(self, edit: GeneratedEdit, reports: Mapping[Scope, CheckReport]) -> None:
        """Count one edit."""
        near, whole = reports["affected"], reports["workspace"]
        assert whole.affected_files is not None, "it does not say how many files are affected"
        unknown = {file.path for file in whole.files if file.verdict == "unknown"}
        some, every = set(_told(near, unknown)), set(_told(whole, unknown))
        self.n_edits += 1
        self.n_found += len(every)
        self.n_unknown += len(unknown)
        self.n_files["affected"].append(whole.affected_files)
        self.n_files["workspace"].append(len(whole.files))
        for scope, lines in (("workspace", every - some), ("affected", some - every)):
            self.differences += [f"{edit.label}: only {scope}: {line}" for line in sorted(lines)]


def _told(report: CheckReport, unknown: Container[str]) -> Iterator[str]:
    """What a check told of the edit, each a line; but nothing of files that were not judged."""
    kinds: list[tuple[str, Sequence[Finding]]] = [
        ("introduced", report.introduced),
        ("fixed", report.fixed),
        ("hidden", [one.finding for one in report.hidden]),
        *((f"silenced by {row.what}", row.findings) for row in report.silenced),
    ]
    for kind, findings in kinds:
        for one in findings:
            if one.path not in unknown:
                start = one.range.start
                place = f"{one.path}:{start.line + 1}:{start.column + 1}"
                yield f"{kind}: {place}: {one.severity} {one.code}: {one.message!r}"
    for row in report.silenced:
        yield f"silenced: {row.path}:{row.line + 1}: {row.how} {row.what}"


async def run(setup: Setup) -> list[Figure]:
    """Of each project how many findings differ, and what each scope takes."""
    wanted = [one for one in CORPORA if one.name in JUDGES]
    assert len(wanted) == len(JUDGES), "a project of the row is none of the radius'"
    return [await _of(setup, one) for one in wanted]


async def _of(setup: Setup, releases: Releases) -> Figure:
    tally, judge = _Tally(), JUDGES[releases.name]
    name = f"{releases.name.rpartition('/')[2]} by {judge}"
    sessions: dict[int, Rehearsals] = {}
    async with AsyncExitStack() as stack:
        for number, (project, edit) in enumerate(islice(releases.edits(), setup.n_edits)):
            is_warm = id(project) in sessions
            if not is_warm:
                folder = setup.folder / name / str(len(sessions))
                user = project.write(folder / "project")
                opened = rehearsals(user, folder / "state", judge)
                sessions[id(project)] = await stack.enter_async_context(opened)
            order = _SCOPES if number % 2 else _SCOPES[::-1]
            await _compare(sessions[id(project)], edit, order if is_warm else None, tally)
    for line in tally.differences:
        setup.say(f"workspace_scope: {name}: {line}")
    assert tally.n_found, f"no edit of {name} changed a finding: nothing was compared"
    return _figure(name, tally)


async def _compare(
    live: Rehearsals, edit: GeneratedEdit, order: Sequence[Scope] | None, tally: _Tally
) -> None:
    """Check an edit in both scopes; without an order, the server has still to look around."""
    branch = await live.branch(edit)
    reports: dict[Scope, CheckReport] = {}
    for scope in order or _SCOPES:
        began = time.perf_counter()
        reports[scope] = (await live.check(branch, scope)).report
        if order is not None and len(reports) == 1:
            tally.taken_s[scope].append(time.perf_counter() - began)
    tally.add(edit, reports)
    await live.session.branches.discard(branch)


def _figure(name: str, tally: _Tally) -> Figure:
    near, whole = (statistics.median(tally.taken_s[scope]) for scope in _SCOPES)
    few, all_files = (statistics.median(tally.n_files[scope]) for scope in _SCOPES)
    ours = f"{len(tally.differences)} differ, of {tally.n_found} in {tally.n_edits} edits"
    if tally.n_unknown:
        ours += f" ({tally.n_unknown} files unknown)"
    return Figure(
        "workspace_scope", name, ours,
        f"{all_files:.0f} files {milliseconds(whole)}; affected {few:.0f}, {milliseconds(near)}",
        whole / near, bar="0 differ", ok=not tally.differences,
        data={"differences": tally.differences,
              "taken_s": {scope: spread(taken) for scope, taken in tally.taken_s.items()},
              "files": dict(tally.n_files), "unknown": tally.n_unknown},
    )  # fmt: skip
