"""An agent's lint through the editor's tool, beside the same request to the server without one.

Each side has a copy of the project, a host and a warm language server of its own; they take turns.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from bench.editor import editor_in
from bench.lsp_client import LspClient, lsp_client
from bench.marks import marked
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.projects import project
from tests.vscode.workbench import Window

N_LINTS = 50
N_WARM = 8
MAX_MORE_S = 0.030


async def run(setup: Setup) -> list[Figure]:
    """Medians over lints of new edits in turn."""
    sample = project("python")
    path = sample.sources[0]
    roots = {name: sample.write(setup.folder / name / "project") for name in ("ours", "plain")}
    times: dict[str, list[float]] = {"ours": [], "plain": []}
    loop = asyncio.get_running_loop()
    # Playwright's objects belong to the thread that made them.
    with ThreadPoolExecutor(1) as thread:
        editor = editor_in(setup.folder / "ours" / "editor")
        running = await loop.run_in_executor(thread, editor.__enter__)
        try:
            window = await loop.run_in_executor(thread, running.open, roots["ours"])
            async with lsp_client(roots["plain"], setup.folder / "plain" / "state") as client:
                for number in range(N_WARM + N_LINTS):
                    for name in ("ours", "plain") if number % 2 else ("plain", "ours"):
                        text, marker = marked("python", sample.files[path], f"{name}_{number}")
                        asked = {"edits": [{"kind": "write", "path": path, "text": text}]}
                        if name == "plain":
                            elapsed, answer = await _request(client, asked)
                        else:
                            elapsed, answer = await loop.run_in_executor(
                                thread, _invoke, window, asked
                            )
                        assert marker in answer, answer
                        if number >= N_WARM:
                            times[name].append(elapsed)
        finally:
            await loop.run_in_executor(thread, editor.__exit__, None, None, None)
    return [_figure(times["ours"], times["plain"])]


async def _request(client: LspClient, asked: dict[str, object]) -> tuple[float, str]:
    began = time.perf_counter()
    call = {"tool": "understudy_lint", "input": asked, "session": "bench"}
    answer = await client.request("understudy/tool", call)
    return time.perf_counter() - began, answer["text"]


def _invoke(window: Window, asked: dict[str, object]) -> tuple[float, str]:
    """By the extension host's clock, as an agent in the editor would have it."""
    answer = window.run(_INVOKE, input=asked)
    return answer["ms"] / 1000, answer["text"]


def _figure(ours: list[float], plain: list[float]) -> Figure:
    through, reference = statistics.median(ours), statistics.median(plain)
    return Figure(
        "editor_lint", "understudy_lint through lm.invokeTool",
        milliseconds(through),
        f"{milliseconds(reference)} the request itself",
        through / reference,
        f"<= {milliseconds(MAX_MORE_S)} more",
        through - reference <= MAX_MORE_S,
        {"tool_s": spread(ours), "request_s": spread(plain)},
    )  # fmt: skip


_INVOKE = """
const asked = performance.now();
const options = { input, toolInvocationToken: undefined };
const answer = await vscode.lm.invokeTool("understudy_lint", options);
const ms = performance.now() - asked;
return { ms, text: answer.content.map((part) => part.value).join("") };
"""
