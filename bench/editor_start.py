"""What the extension adds to the editor's start, and how soon its server answers.

At the start the extension host is to do no more with the extension than without it; the first
use then loads it, and the first request starts the server. All warm, in fresh windows.
"""

from __future__ import annotations

import asyncio
import statistics
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
    return await asyncio.to_thread(_measure, setup.folder)


def _measure(folder: Path) -> list[Figure]:
    root = project("python").write(folder / "project")
    busy: dict[bool, list[float]] = {True: [], False: []}
    activated: list[float] = []
    ready: list[float] = []
    with (
        editor_in(folder / "with") as ours,
        editor_in(folder / "without", with_extension=False) as plain,
    ):
        for number in range(1 + N_STARTS):
            for editor in (ours, plain) if number % 2 else (plain, ours):
                found = _start(editor, root, with_extension=editor is ours)
                if number > 0:
                    busy[editor is ours].append(found["busy"])
                    if editor is ours:
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
await vscode.lm.invokeTool("understudy_context", { input, toolInvocationToken: undefined });
return { activation, ready: performance.now() - asked };
"""
