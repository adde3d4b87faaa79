"""What the extension adds to the editor's start, and how soon its server answers.

At the start the extension host is to do no more with the extension than without it; the first
use then loads it, and the first request starts the server. All warm, in fresh windows.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.editor import editor_in
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.projects import project
from tests.vscode.editor import Editor

N_STARTS = 10
MAX_BLOCKED_S = 0.150
MAX_READY_S = 3.0


async def run(setup: Setup) -> list[Figure]:
    """Medians of windows with and without the extension, in turn, after one of each."""
    root = project("python").write(setup.folder / "project")
    busy: dict[bool, list[float]] = {True: [], False: []}
    activated: list[float] = []
    ready: list[float] = []
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as open_editors:
        # Playwright allows one of it a thread.
        threads = {
            name: open_editors.enter_context(ThreadPoolExecutor(1)) for name in (True, False)
        }
        editors: dict[bool, Editor] = {}
        for name, thread in threads.items():
            context = editor_in(setup.folder / f"editor-{name}", with_extension=name)
            editors[name] = await loop.run_in_executor(thread, context.__enter__)
            leave = partial(thread.submit, context.__exit__, None, None, None)
            open_editors.callback(lambda leave=leave: leave().result())
        for number in range(1 + N_STARTS):
            for name in (True, False) if number % 2 else (False, True):
                start = partial(_start, editors[name], root, with_extension=name)
                found = await loop.run_in_executor(threads[name], start)
                if number > 0:
                    busy[name].append(found["busy"])
                    if name:
                        activated.append(found["activation"])
                        ready.append(found["ready"])
    return _figures(busy, activated, ready)


def _start(editor: Editor, root: Path, *, with_extension: bool) -> dict[str, float]:
    """Open a window, note what its extension host did, then use the extension; in seconds."""
    window = editor.open(root)
    found = {"busy": window.until(_BUSY)}
    if with_extension:
        found |= window.run(_FIRST_USE)
    window.close()
    editor.windows.remove(window)
    return {name: value / 1000 for name, value in found.items()}


def _figures(
    busy: dict[bool, list[float]], activated: list[float], ready: list[float]
) -> list[Figure]:
    ours, reference = statistics.median(busy[True]), statistics.median(busy[False])
    blocked, answers = statistics.median(activated), statistics.median(ready)
    return [
        Figure(
            "editor_start", "extension host busy until it has started",
            milliseconds(ours),
            f"{milliseconds(reference)} without the extension",
            ours / reference,
            f"<= {milliseconds(MAX_BLOCKED_S)} more",
            ours - reference <= MAX_BLOCKED_S,
            {"with_s": spread(busy[True]), "without_s": spread(busy[False])},
        ),
        Figure(
            "editor_start", "activation at the first use, blocking",
            milliseconds(blocked),
            bar=f"<= {milliseconds(MAX_BLOCKED_S)}",
            ok=blocked <= MAX_BLOCKED_S,
            data={"activation_s": spread(activated)},
        ),
        Figure(
            "editor_start", "first request to its answer, server started",
            milliseconds(answers),
            bar=f"<= {milliseconds(MAX_READY_S)}",
            ok=answers <= MAX_READY_S,
            data={"ready_s": spread(ready)},
        ),
    ]  # fmt: skip


_BUSY = """
// This built-in extension starts when everything else has.
if (!vscode.extensions.getExtension("vscode.merge-conflict").isActive) return null;
return require("perf_hooks").performance.eventLoopUtilization().active;
"""
_FIRST_USE = """
const { performance } = require("perf_hooks");
const extension = vscode.extensions.getExtension("understudy.understudy");
if (extension.isActive) throw new Error("it has started by itself");
const before = performance.eventLoopUtilization();
await extension.activate();
const activation = performance.eventLoopUtilization(before).active;
const asked = performance.now();
const input = { action: "outline", path: "no such file.py" };
const options = { input, toolInvocationToken: undefined };
const answered = await vscode.lm.invokeTool("understudy_context", options).catch(String);
if (!String(answered).includes("no-such-file")) throw new Error(answered);
return { activation, ready: performance.now() - asked };
"""
