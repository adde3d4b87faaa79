"""How long a keystroke takes to reach extensions while 64 branches are linted, beside idle.

From the key's event in the browser's page to `onDidChangeTextDocument` in the extension host; both
clocks are the machine's.
"""

from __future__ import annotations

import asyncio
import statistics

from bench.editor import editor_in
from bench.marks import marked
from bench.report import Figure, Setup, milliseconds, percentile, spread
from tests.support.projects import project
from tests.vscode.workbench import Window

N_BRANCHES = 64
N_KEYS = 200
PAUSE_MS = 40
MAX_MEDIAN, MAX_P95 = 1.1, 1.25


async def run(setup: Setup) -> list[Figure]:
    """Medians and 95th percentiles, idle and busy in turn."""
    return await asyncio.to_thread(_measure, setup)


def _measure(setup: Setup) -> list[Figure]:
    sample = project("python")
    root = sample.write(setup.folder / "project")
    (root / "typed.txt").write_text("\n")
    path = sample.sources[0]
    text, _ = marked("python", sample.files[path], "typing")
    with editor_in(setup.folder / "editor") as editor:
        window = editor.open(root)
        window.open("typed.txt")
        window.lint(edits=[{"kind": "write", "path": path, "text": text}])
        window.page.evaluate(_WATCH_KEYS)
        window.run(_WATCH_CHANGES)
        _type(window, 20)
        idle = _type(window, N_KEYS)
        window.run(_LINT, path=path, text=sample.files[path], n=N_BRANCHES)
        window.until("return memory.nLints > 0")
        busy = _type(window, N_KEYS)
        n_lints = window.run(_STOP)
        idle += _type(window, N_KEYS)
    return [
        _figure("median", statistics.median(busy), statistics.median(idle), MAX_MEDIAN, {
            "busy_s": spread(busy), "idle_s": spread(idle), "lints_meanwhile": n_lints,
        }),
        _figure("p95", percentile(busy, 95), percentile(idle, 95), MAX_P95, {}),
    ]  # fmt: skip


def _type(window: Window, n: int) -> list[float]:
    """Seconds from each key to its change."""
    window.page.locator(".editor-instance .view-lines").first.click()
    window.page.evaluate("keysPressed = []")
    window.run("memory.changes = []")
    window.page.keyboard.type("a" * n, delay=PAUSE_MS)
    window.until("return memory.changes.length >= n", n=n)
    keys, changes = window.page.evaluate("keysPressed"), window.run("return memory.changes")
    assert len(keys) == len(changes) == n
    return [(then - now) / 1000 for now, then in zip(keys, changes, strict=True)]


def _figure(name: str, ours: float, idle: float, bar: float, data: dict[str, object]) -> Figure:
    return Figure(
        "editor_typing", f"keystroke, {N_BRANCHES} branches being linted, {name}",
        milliseconds(ours), f"{milliseconds(idle)} idle", ours / idle, f"<= {bar}",
        ours / idle <= bar, data,
    )  # fmt: skip


_WATCH_KEYS = """() => {
  window.keysPressed = [];
  window.addEventListener("keydown", (event) => {
    keysPressed.push(performance.timeOrigin + event.timeStamp);
  }, true);
}"""
_WATCH_CHANGES = """
const { performance } = require("perf_hooks");
vscode.workspace.onDidChangeTextDocument((event) => {
  if (event.document.fileName.endsWith("typed.txt") && event.contentChanges.length > 0) {
    memory.changes.push(performance.timeOrigin + performance.now());
  }
});
"""
_LINT = """
memory.nLints = 0;
memory.isLinting = true;
const lint = async (number) => {
  let branch;
  for (let round = 0; memory.isLinting; round += 1) {
    const more = `\\n\\nat_${number}_${round} = undefined_one\\n`;
    const edit = { kind: "write", path, text: text + more };
    const given = { edits: [edit], ...(branch ? { branch } : { fresh: true }) };
    const options = { input: given, toolInvocationToken: undefined };
    const answer = await vscode.lm.invokeTool("understudy_lint", options);
    const said = answer.content.map((part) => part.value).join("");
    if (!said.startsWith("findings: ")) throw new Error(said);
    branch = /^branch (b\\d+) holds/m.exec(said)[1];
    memory.nLints += 1;
  }
};
memory.linting = Promise.all(Array.from({ length: n }, (_, number) => lint(number)));
memory.linting.catch(() => undefined);
"""
_STOP = """
memory.isLinting = false;
await memory.linting;
return memory.nLints;
"""
