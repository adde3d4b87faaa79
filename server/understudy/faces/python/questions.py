"""The questions that a folder and a branch share, as a host is asked them."""

from __future__ import annotations

import asyncio
import os
import tempfile
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from understudy.faces.python import results
from understudy.faces.python.asking import Asking
from understudy.faces.python.code_results import (
    CodeAnswer,
    Refactoring,
    code_answer_of,
    refactoring_of,
)
from understudy.faces.python.edits import Edits, listed, words
from understudy.faces.python.verdicts import Clean, Findings, Unknown, verdict_of
from understudy.values.code_questions import QuestionName
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope

Network = Literal["none", "host"]
Form = Literal["outline", "read", "full"]


async def check(
    asking: Asking,
    branch: str | None,
    edits: Edits | None,
    *,
    since: results.Checkpoint | str | None,
    revision: str | None,
    scope: Scope | None,
    severity: Severity | None,
    servers: Sequence[str],
    timeout: float | None,
    strict: bool,
    fix: bool,
    only: Sequence[str],
    until_clean: bool,
    unsafe: bool,
    explain: bool,
    trace: bool,
) -> Clean | Findings | Unknown:
    """The verdict on a branch, on edits, or on what the user's text has become."""
    params = {
        **_sides(branch, edits, since, revision),
        "scope": scope,
        "severity": severity,
        "servers": words(servers, "servers"),
        "timeout": timeout,
        "strict": strict,
        "fix": fix,
        "only": words(only, "only"),
        "untilClean": until_clean,
        "unsafe": unsafe,
        "explain": explain,
        "trace": trace,
    }
    return verdict_of(await asking.ask("report", params, about=branch))


async def affected(
    asking: Asking,
    branch: str | None,
    edits: Edits | None,
    *,
    since: results.Checkpoint | str | None,
    revision: str | None,
    tests: bool,
) -> tuple[results.AffectedFile, ...]:
    """The files that a change can reach."""
    params = {**_sides(branch, edits, since, revision), "tests": tests}
    return results.affected_of(await asking.ask("affected", params, about=branch))


async def run(
    asking: Asking,
    command: Sequence[str],
    *,
    branch: str | None,
    edits: Edits | None,
    cwd: str,
    env: Mapping[str, str] | None,
    timeout: float | None,
    network: Network,
    keep: bool,
    adopt: bool,
    patch: bool,
) -> results.RunResult:
    """What came of a command."""
    with tempfile.TemporaryDirectory(prefix="understudy-") as folder:
        file = Path(folder, "patch")
        params: dict[str, Any] = {
            "command": words(command, "command"),
            "branch": branch,
            "edits": [] if edits is None else listed(edits),
            "cwd": cwd,
            "env": dict(env or {}),
            # A host of another process has another environment, and passes on of ours what may.
            "environ": dict(os.environ),
            "timeout": timeout,
            "network": network,
            "keep": keep,
            "adopt": adopt,
            "patch_file": str(file) if patch else None,
            "by_user": False,
        }
        told = await asking.ask("execute", params, about=branch)
        made = await asyncio.to_thread(_read, file) if patch else None
        return results.run_result_of(told, made)


async def text(asking: Asking, branch: str | None, path: str) -> str | None:
    """A file's text; None where there is none."""
    told = await asking.ask("text", {"branch": branch, "path": path}, about=branch)
    packed: str | None = told["base64"]
    return None if packed is None else b64decode(packed).decode("utf-8", "surrogateescape")


async def outline(
    asking: Asking,
    branch: str | None,
    path: str,
    *,
    symbol: str | None,
    lines: tuple[int, int] | None,
    form: Form,
    budget: int | None,
    docs: bool,
) -> results.Outline:
    """What a file declares, or its text."""
    params = {
        "path": path,
        "branch": branch,
        "form": form,
        "symbol": symbol,
        "range": None if lines is None else list(lines),
        "budget": budget,
        "docs": docs,
    }
    return results.outline_of(await asking.ask("understudy/outline", params, about=branch))


async def code(
    asking: Asking,
    question: QuestionName,
    target: str,
    *,
    branch: str | None,
    revision: str | None,
    server: str | None,
    timeout: float | None,
) -> CodeAnswer:
    """What a server knows about code."""
    params = {
        "question": question, "target": target, "branch": branch, "revision": revision,
        "server": server, "timeout": timeout,
    }  # fmt: skip
    return code_answer_of(await asking.ask("ask", params, about=branch))


async def refactor(
    asking: Asking,
    name: Literal["rename", "move", "act", "format", "imports"],
    branch: str,
    target: str,
    to: str | None,
    timeout: float | None,
) -> Refactoring:
    """What a refactoring has come to."""
    named = {} if to is None else {"to": to}
    params = {"target": target, **named, "branch": branch, "timeout": timeout}
    return refactoring_of(await asking.ask(f"understudy/code/{name}", params, about=branch))


async def folder_map(
    asking: Asking,
    branch: str | None,
    folder: str | None,
    *,
    budget: int | None,
    task: Sequence[str],
) -> results.FolderMap:
    """The declarations that a folder refers to most."""
    params = {"folder": folder, "branch": branch, "budget": budget, "task": words(task, "task")}
    return results.folder_map_of(await asking.ask("understudy/map", params, about=branch))


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _sides(
    branch: str | None,
    edits: Edits | None,
    since: results.Checkpoint | str | None,
    revision: str | None,
) -> dict[str, Any]:
    """What is compared with what, as the host takes it."""
    return {
        "branch": branch,
        "edits": None if edits is None else listed(edits),
        "before": since.id if isinstance(since, results.Checkpoint) else since,
        "revision": revision,
    }
