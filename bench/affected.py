"""`code affected` on thousands of files: without an index, with it on disk, and in a running host.

The references are one parse of the same files on all cores and ripgrep, which looks for the changed
name. Each side has its turn after the other. The edits reach few files: where a change travels to
hundreds, what they declare has to be read, and that is not what is measured here.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from bench.lsp_client import LspClient, lsp_client
from bench.map_corpus import map_corpus
from bench.report import Figure, Setup, milliseconds, table
from tests.support.outline_corpus import fetched
from tests.support.servers import environment

MAX_COLD, MAX_WARM, MAX_HOSTED = 1.5, 5.0, 1.0
N_COLD, N_WARM = 3, 7
_GO = "golang-1.19-src"
_COMMAND_S = 600
_PARSE = """\
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tree_sitter import Parser
from tree_sitter_language_pack import get_language

def parse(paths):
    parser = Parser(get_language(sys.argv[1]))
    for path in paths:
        parser.parse(path.read_bytes())

if __name__ == "__main__":
    files = [path for path in Path().rglob(sys.argv[2]) if path.is_file()]
    files.sort(key=lambda path: -path.stat().st_size)
    n = os.cpu_count() or 1
    with ProcessPoolExecutor(n) as pool:
        list(pool.map(parse, [[]] * n))
        began = time.perf_counter()
        list(pool.map(parse, [files[k :: 16 * n] for k in range(16 * n)]))
        print(time.perf_counter() - began)
"""


@dataclass(frozen=True)
class Edit:
    """A parameter that one exported function gets; `name` is what ripgrep looks for."""

    path: str
    name: str
    old: str
    new: str


@dataclass(frozen=True)
class Corpus:
    """Sources of one language, and edits in them."""

    grammar: str
    pattern: str
    folder: Callable[[], Path]
    edits: tuple[Edit, ...]


def _python(path: str, name: str, first: str) -> Edit:
    return Edit(path, name, f"def {name}({first}", f"def {name}(added_0, {first}")


def _go(path: str, name: str, first: str) -> Edit:
    return Edit(path, name, f"func {name}({first}", f"func {name}(added_0 int, {first}")


CORPORA = (
    Corpus(
        "python", "*.py", map_corpus,
        (
            _python("django/utils/text.py", "phone2numeric", "phone"),
            _python("django/utils/timesince.py", "timesince", "d"),
            _python("pandas/plotting/_matplotlib/converter.py", "has_level_label", "label_flags"),
            _python("scipy/signal/windows/_windows.py", "tukey", "M"),
        ),
    ),
    Corpus(
        "go", "*.go", lambda: fetched(_GO) / "usr" / "share" / "go-1.19" / "src",
        (
            _go("net/http/status.go", "StatusText", "code"),
            _go("html/escape.go", "EscapeString", "s"),
        ),
    ),
)  # fmt: skip


async def run(setup: Setup) -> list[Figure]:
    """Three figures a language, and what the command line takes that attaches to a host."""
    return [figure for corpus in CORPORA for figure in await _Row(setup, corpus).figures()]


class _Row:
    """One corpus, copied, with a state folder of its own."""

    def __init__(self, setup: Setup, corpus: Corpus) -> None:
        self._setup, self._corpus = setup, corpus
        self._folder = setup.folder / corpus.grammar / "project"
        self._state = setup.folder / corpus.grammar / "state"
        self._n_patches = 0
        shutil.copytree(corpus.folder(), self._folder, symlinks=True)
        self._n_files = sum(one.is_file() for one in self._folder.rglob(corpus.pattern))
        self._reached: dict[str, int] = {}
        ripgrep = shutil.which("rg", path=environment()["PATH"])
        assert ripgrep is not None, "ripgrep is what is measured beside"
        self._ripgrep = ripgrep

    async def figures(self) -> list[Figure]:
        """Cold, warm, hosted."""
        found = [self._cold(), self._warm()]
        async with lsp_client(self._folder, self._state) as client:
            found += await self._hosted(client)
        self._setup.say(f"affected: {self._corpus.grammar}: files reached: {self._reached}")
        self._setup.say(table(found))
        return found

    def _cold(self) -> Figure:
        """The first question of all; the index is written meanwhile."""
        ours: list[float] = []
        theirs: list[float] = []
        for number in range(N_COLD):
            shutil.rmtree(self._state, ignore_errors=True)
            theirs.append(self._parse())
            ours.append(self._command(self._corpus.edits[number % len(self._corpus.edits)]))
        return self._figure("no index", ours, theirs, MAX_COLD, "one parse")

    def _warm(self) -> Figure:
        ours: list[float] = []
        theirs: list[float] = []
        for edit in self._corpus.edits:
            for _ in range(N_WARM):
                theirs.append(self._search(edit))
                ours.append(self._command(edit))
        return self._figure("index on disk, new process", ours, theirs, MAX_WARM, "rg -l")

    async def _hosted(self, client: LspClient) -> list[Figure]:
        """The request of a client that is connected, and a command that attaches."""
        asked: list[float] = []
        attached: list[float] = []
        theirs: list[float] = []
        for edit in self._corpus.edits:
            for number in range(1 + N_WARM):
                search = await asyncio.to_thread(self._search, edit)
                request = await self._request(client, edit)
                command = await asyncio.to_thread(self._command, edit)
                if number:  # the first one of all reads what no other has
                    theirs.append(search)
                    asked.append(request)
                    attached.append(command)
        name = "asked of a running host"
        return [
            self._figure(f"{name}, LSP request", asked, theirs, MAX_HOSTED, "rg -l"),
            self._figure(f"{name}, command line", attached, theirs, None, "rg -l"),
        ]

    async def _request(self, client: LspClient, edit: Edit) -> float:
        patch = {"kind": "diff", "text": self._next_patch(edit)}
        began = time.perf_counter()
        answer = await client.request("understudy/affected", {"edits": [patch]})
        elapsed = time.perf_counter() - began
        self._note(edit, answer)
        return elapsed

    def _command(self, edit: Edit) -> float:
        """Seconds of the whole command."""
        command = [sys.executable, "-m", "understudy", "code", "affected", "--format", "json"]
        patch = self._next_patch(edit)
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "-"],
            input=patch.encode(),
            cwd=self._folder,
            env={**environment(), "UNDERSTUDY_STATE_DIR": str(self._state)},
            stdout=subprocess.PIPE,
            timeout=_COMMAND_S,
            check=True,
        )
        elapsed = time.perf_counter() - began
        self._note(edit, json.loads(done.stdout))
        return elapsed

    def _note(self, edit: Edit, answer: Mapping[str, Sequence[object]]) -> None:
        """Every way says the same."""
        found = len(answer["files"])
        assert self._reached.setdefault(edit.name, found) == found, (edit, found, self._reached)

    def _search(self, edit: Edit) -> float:
        began = time.perf_counter()
        subprocess.run(
            [self._ripgrep, "-l", "-w", edit.name], cwd=self._folder,
            stdout=subprocess.DEVNULL, timeout=_COMMAND_S, check=True,
        )  # fmt: skip
        return time.perf_counter() - began

    def _parse(self) -> float:
        """Seconds of the parse itself, with its processes started before."""
        done = subprocess.run(
            [sys.executable, "-c", _PARSE, self._corpus.grammar, self._corpus.pattern],
            cwd=self._folder, stdout=subprocess.PIPE, timeout=_COMMAND_S, check=True,
        )  # fmt: skip
        return float(done.stdout)

    def _next_patch(self, edit: Edit) -> str:
        """The edit as no patch before had it."""
        self._n_patches += 1
        text = (self._folder / edit.path).read_text()
        assert edit.old in text, edit
        edited = text.replace(edit.old, edit.new.replace("added_0", f"added_{self._n_patches}"))
        lines = (text.splitlines(keepends=True), edited.splitlines(keepends=True))
        return "".join(unified_diff(*lines, f"a/{edit.path}", f"b/{edit.path}"))

    def _figure(
        self, name: str, ours: list[float], theirs: list[float], most: float | None, of: str
    ) -> Figure:
        mine, reference = statistics.median(ours), statistics.median(theirs)
        return Figure(
            "affected", f"{self._corpus.grammar}, {self._n_files:,} files: {name}",
            milliseconds(mine), f"{milliseconds(reference)} ({of})", mine / reference,
            "-" if most is None else f"<= {most:g}",
            None if most is None else mine <= most * reference,
            {
                "ours_s": ours, "reference_s": theirs, "cores": os.cpu_count(),
                "reached": dict(self._reached),
            },
        )  # fmt: skip
