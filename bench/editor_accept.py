"""What the editor's own Problems say after an accept, beside the verdict that was given before.

TypeScript and JSON, which the editor judges by itself, and Python by the user's own ruff and
basedpyright, each behind a plain client: clean edits, wrong ones, half-way ones, and ones that
break other files.
Problems are those that come with the accept in the documents that are open, hints left out.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from bench.editor import editor_in
from bench.report import Figure, Setup
from tests.support.projects import project
from tests.support.sample import Change, Language, Project
from tests.support.servers import environment
from tests.vscode.build import ROOT
from tests.vscode.workbench import Window

LANGUAGES: Sequence[Language] = ("python", "typescript", "json")
USERS_SERVERS: Mapping[Language, Mapping[str, Sequence[str]]] = {
    "python": {"ruff": ("ruff", "server"), "basedpyright": ("basedpyright-langserver", "--stdio")},
}
"""What a user has as extensions: the same programs that judge, found on the search path."""
FLAWED = {"python": "shop/legacy.py"}
"""A file of the sample whose problems each of those servers shows."""
FLAWLESS = {"python": "shop/core/", "typescript": "src/core/"}
"""Where the sources lie that have no problems; elsewhere ruff finds long lines and the like."""
LAST_ITEM = {"python": "def ", "typescript": "export function"}
"""How the last top-level item of a source begins; snippets go before it."""
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
    is_end_of_text: bool = field(default=False, compare=False)
    """Whether the editor names the end of the text by the line before, see `_LISTED`."""


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
    with editor_in(setup.folder / "editor") as editor:
        return [
            _language(editor.open(sample.write(setup.folder / sample.language)), sample, setup)
            for sample in map(project, LANGUAGES)
        ]


def _language(window: Window, sample: Project, setup: Setup) -> Figure:
    _start_users_servers(window, sample.language)
    differing: list[str] = []
    n_found = n_clean = n_ends = 0
    edits = list(_edits(sample))
    for edit in edits:
        setup.say(f"editor_accept: {edit.label}")
        given, shown = _both(window, edit)
        n_found += len(given)
        n_clean += not given
        n_ends += sum(problem.is_end_of_text for problem in shown)
        if not _are_equal(given, shown):
            differing.append(f"{edit.label}: verdict {given}, editor {shown}")
            setup.say(f"editor_accept: {differing[-1]}")
    window.close()
    return Figure(
        "editor_accept", f"the editor's Problems after an accept, {sample.language}",
        f"{len(edits) - len(differing)} of {len(edits)} edits as the verdict",
        f"{n_found} findings, {n_clean} edits without",
        (len(edits) - len(differing)) / len(edits), "all", not differing,
        {"differing": differing, "ends_of_texts_named_by_the_line_before": n_ends},
    )  # fmt: skip


def _start_users_servers(window: Window, language: Language) -> None:
    """Start them, and wait until each shows what it shows of a flawed file."""
    for name, (program, *arguments) in USERS_SERVERS.get(language, {}).items():
        found = shutil.which(program, path=environment()["PATH"])
        assert found is not None, f"no {program}"
        server = {"name": name, "command": found, "args": arguments}
        modules = str(ROOT / "node_modules")
        window.run(_START, modules=modules, language=language, server=server)
        window.open(FLAWED[language])
        window.until(_SHOWS, name=name)
    window.discard_changes()


def _edits(sample: Project) -> Iterator[Edit]:
    """At least eight of a language, of every kind that it has."""
    snippets = sample.snippets
    kinds = [*snippets.wrong[:4], *snippets.broken[:3], *snippets.harmless[:3]]
    folder = FLAWLESS.get(sample.language, "")
    sources = cycle(path for path in sample.sources if path.startswith(folder))
    for number, (snippet, path) in enumerate(zip(kinds, sources, strict=False)):
        text = sample.files[path]
        at = text.rfind(LAST_ITEM[sample.language])
        at = len(text) if at < 0 else at
        new = text[:at] + snippet.replace("@n@", str(number)) + text[at:]
        yield Edit(f"snippet {number} in {path}", path, new)
    # Each of another kind and in another file: there are nine kinds for a file.
    across = sample.cross[::10][:4] if sample.language == "python" else ()
    changes = (*across, *sample.wrong[:5], *sample.broken[:3], *sample.harmless[:2])
    yield from (_changed(sample, change) for change in changes)


def _changed(sample: Project, change: Change) -> Edit:
    text = sample.files[change.path]
    for old, new in change.swaps:
        assert text.count(old) == 1, (change.path, old)
        text = text.replace(old, new)
    return Edit(f"{change.label} in {change.path}", change.path, text)


def _both(window: Window, edit: Edit) -> tuple[list[Problem], list[Problem]]:
    """What the verdict introduces, and what the editor shows more once it is accepted."""
    written = {"kind": "write", "path": edit.path, "text": edit.text}
    verdict = window.run(_LINT, seconds=LINT_S, input={"edits": [written], "fresh": True})
    branch = re.search(r"^branch (b\d+) holds", verdict, re.MULTILINE)
    assert branch is not None, verdict
    assert verdict.startswith(("clean: ", "findings: ")), verdict
    given = list(_introduced(verdict))
    for path in {edit.path, *(problem.path for problem in given)}:
        window.open(path)
    before = _shown(window)
    assert all(problem.path != edit.path for problem in before), before
    window.run(_ACCEPT, branch=branch[1], path=edit.path)
    step = "return vscode.workspace.textDocuments.some((one) => one.getText() === text)"
    window.until(step, text=edit.text)
    after = _shown(window)
    window.run(_REVERT)
    # While they have tabs: the editor does not look at others again.
    window.until(_AS_MANY, n=sum(before.values()))
    window.discard_changes()
    return given, list((after - before).elements())


def _introduced(verdict: str) -> Iterator[Problem]:
    section = ""
    for line in verdict.splitlines():
        section = line if re.fullmatch(r"\S.*:", line) else section
        found = _FINDING.fullmatch(line)
        if section == "introduced:" and found is not None:
            yield Problem(found[1], int(found[2]), found[3] or "", found[4])


def _shown(window: Window) -> Counter[Problem]:
    """The problems of the open documents, once they have stopped changing."""
    listed = window.run(_PROBLEMS, quiet=QUIET_MS, most=MOST_MS)
    return Counter(
        Problem(
            Path(one["path"]).relative_to(window.folder).as_posix(),
            one["line"] + 1,
            str(one.get("code") or ""),
            " | ".join(part.strip() for part in one["message"].splitlines()),
            one["isEnd"],
        )
        for one in listed
    )


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
    r"  (\S+?):(\d+):\d+: (?:error|warning|information) "
    r"(?:(\d+|[A-Z]+\d+|report\w+|invalid-syntax) )?(.*) \([\w-]+\)"
)
_START = "await memory.userServers.start(modules, language, server);"
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
_SHOWS = """
return vscode.languages.getDiagnostics().some(([, found]) =>
  found.some((one) => one.source?.toLowerCase() === name));
"""
# tsserver places what is at the end of a text behind the end of the last line that has characters,
# its line end counted; a verdict says it as the compiler does: at the start of the line that
# follows. Both are the same offset.
_LISTED = """
const isEnd = (document, { line, character }) =>
  line + 2 === document.lineCount && character > document.lineAt(line).text.length;
const listed = () => vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
  const document = vscode.workspace.textDocuments.find(
    (one) => one.uri.scheme === "file" && one.uri.toString() === uri.toString());
  return document === undefined ? [] : found
    .filter((one) => one.severity < vscode.DiagnosticSeverity.Hint)
    .map((one) => ({
      path: uri.fsPath, message: one.message,
      line: one.range.start.line + (isEnd(document, one.range.start) ? 1 : 0),
      isEnd: isEnd(document, one.range.start),
      code: typeof one.code === "object" ? one.code.value : one.code,
    }));
});
"""
_AS_MANY = f"{_LISTED} return listed().length === n"
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
