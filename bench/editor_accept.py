"""What the editor's own Problems say after an accept, beside the verdict that was given before.

TypeScript and JSON, which the editor judges by itself: clean edits, wrong ones, half-way ones.
Problems are those of the documents that are open, hints left out.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.editor import editor_in
from bench.report import Figure, Setup
from tests.support.projects import project
from tests.support.sample import Change, Project
from tests.vscode.workbench import Window

QUIET_MS = 2000
"""Problems that have not changed for so long are the editor's answer."""
MOST_MS = 30_000
LINT_S = 180.0
"""Longest wait for a verdict; the first one waits for its server's start."""


@dataclass(frozen=True)
class Problem:
    """One finding or problem; lines from 1, a message of several lines as one."""

    path: str
    line: int
    code: str
    message: str


@dataclass(frozen=True)
class Edit:
    """A new text of a file that has no problems yet."""

    label: str
    path: str
    text: str


async def run(setup: Setup) -> list[Figure]:
    """One figure a language: edits whose verdict and problems are equal, of all."""
    return await asyncio.to_thread(_measure, setup)


def _measure(setup: Setup) -> list[Figure]:
    figures: list[Figure] = []
    with editor_in(setup.folder / "editor") as editor:
        for sample in (project("typescript"), project("json")):
            window = editor.open(sample.write(setup.folder / sample.language))
            differing: list[str] = []
            n_found = n_clean = 0
            edits = list(_edits(sample))
            for edit in edits:
                setup.say(f"editor_accept: {edit.label}")
                given, shown = _both(window, edit)
                n_found += len(given)
                n_clean += not given
                if not _are_equal(given, shown):
                    differing.append(f"{edit.label}: verdict {given}, editor {shown}")
                    setup.say(f"editor_accept: {differing[-1]}")
            window.close()
            figures.append(
                Figure(
                    "editor_accept", f"the editor's Problems after an accept, {sample.language}",
                    f"{len(edits) - len(differing)} of {len(edits)} edits as the verdict",
                    f"{n_found} findings, {n_clean} edits without",
                    (len(edits) - len(differing)) / len(edits), "all", not differing,
                    {"differing": differing},
                )
            )  # fmt: skip
    return figures


def _edits(sample: Project) -> Iterator[Edit]:
    """Ten of a language, of every kind that it has."""
    if sample.language == "typescript":
        snippets = sample.snippets
        kinds = [*snippets.wrong[:4], *snippets.broken[:3], *snippets.harmless[:3]]
        for number, (snippet, path) in enumerate(zip(kinds, sample.sources, strict=False)):
            text = sample.files[path]
            at = text.rindex("export function") if "export function" in text else len(text)
            new = text[:at] + snippet.replace("@n@", str(number)) + text[at:]
            yield Edit(f"snippet {number} in {path}", path, new)
        changes = ()
    else:
        changes = (*sample.wrong[:5], *sample.broken[:3], *sample.harmless[:2])
    yield from (_changed(sample, change) for change in changes)


def _changed(sample: Project, change: Change) -> Edit:
    text = sample.files[change.path]
    for old, new in change.swaps:
        assert text.count(old) == 1, (change.path, old)
        text = text.replace(old, new)
    return Edit(f"{change.label} in {change.path}", change.path, text)


def _both(window: Window, edit: Edit) -> tuple[list[Problem], list[Problem]]:
    """What the verdict introduces, and what the editor shows once it is accepted."""
    written = {"kind": "write", "path": edit.path, "text": edit.text}
    verdict = window.run(_LINT, seconds=LINT_S, input={"edits": [written], "fresh": True})
    branch = re.search(r"^branch (b\d+) holds", verdict, re.MULTILINE)
    assert branch is not None, verdict
    assert verdict.startswith(("clean: ", "findings: ")), verdict
    given = list(_introduced(verdict))
    for path in {edit.path, *(problem.path for problem in given)}:
        window.open(path)
    window.run(_ACCEPT, branch=branch[1], path=edit.path)
    step = "return vscode.workspace.textDocuments.some((one) => one.getText() === text)"
    window.until(step, text=edit.text)
    shown = _shown(window)
    window.run(_REVERT)
    window.until(_NONE)  # while they have tabs: the editor does not look at others again
    window.discard_changes()
    return given, shown


def _introduced(verdict: str) -> Iterator[Problem]:
    section = ""
    for line in verdict.splitlines():
        section = line if re.fullmatch(r"\S.*:", line) else section
        found = _FINDING.fullmatch(line)
        if section == "introduced:" and found is not None:
            yield Problem(found[1], int(found[2]), found[3] or "", found[4])


def _shown(window: Window) -> list[Problem]:
    """The problems of the open documents, once they have stopped changing."""
    listed = window.run(_PROBLEMS, quiet=QUIET_MS, most=MOST_MS)
    return [
        Problem(
            Path(one["path"]).relative_to(window.folder).as_posix(),
            one["line"] + 1,
            str(one["code"] or ""),
            " | ".join(part.strip() for part in one["message"].splitlines()),
        )
        for one in listed
    ]


def _are_equal(given: list[Problem], shown: list[Problem]) -> bool:
    """By path, line and message, or by path, line and code."""
    by_message, by_code = (
        [Counter(key(problem) for problem in side) for side in (given, shown)]
        for key in (
            lambda one: (one.path, one.line, one.message),
            lambda one: (one.path, one.line, one.code),
        )
    )
    return by_message[0] == by_message[1] or by_code[0] == by_code[1]


_FINDING = re.compile(
    r"  (\S+?):(\d+):\d+: (?:error|warning|information) (?:(\d+) )?(.*) \([\w-]+\)"
)
_LINT = """
const options = { input, toolInvocationToken: undefined };
const answer = await vscode.lm.invokeTool("understudy_lint", options);
return answer.content.map((part) => part.value).join("");
"""
_ACCEPT = """
const folder = vscode.workspace.workspaceFolders[0].uri.toString();
const query = JSON.stringify({ folder, branch, side: "after" });
const uri = vscode.Uri.from({ scheme: "understudy", path: `/${path}`, query });
void vscode.commands.executeCommand("understudy.branch.accept", uri);
"""
_REVERT = """
for (const document of vscode.workspace.textDocuments.filter((one) => one.isDirty)) {
  await vscode.window.showTextDocument(document, { preview: false });
  await vscode.commands.executeCommand("workbench.action.files.revert");
}
"""
_LISTED = """
const isOpen = (uri) => vscode.workspace.textDocuments.some(
  (one) => one.uri.scheme === "file" && one.uri.toString() === uri.toString());
const listed = () => vscode.languages.getDiagnostics().flatMap(([uri, found]) => found
  .filter((one) => isOpen(uri) && one.severity < vscode.DiagnosticSeverity.Hint)
  .map((one) => ({
    path: uri.fsPath, line: one.range.start.line, message: one.message,
    code: typeof one.code === "object" ? one.code.value : one.code,
  })));
"""
_NONE = f"{_LISTED} return listed().length === 0"
_PROBLEMS = (
    _LISTED
    + """
let last = JSON.stringify(listed());
const end = Date.now() + most;
for (let since = Date.now(); Date.now() - since < quiet; ) {
  if (Date.now() > end) throw new Error("Problems do not settle: " + last);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const now = JSON.stringify(listed());
  if (now !== last) [last, since] = [now, Date.now()];
}
return JSON.parse(last);
"""
)
