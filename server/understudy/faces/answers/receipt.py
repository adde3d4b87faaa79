"""A run's receipt, as JSON for every face and as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from understudy.app.run.run import RunReceipt
from understudy.process.tree import signal_name
from understudy.stage.model import MIB, CommandEnd, StageChange, memory_text
from understudy.values.printable import first_few, printable
from understudy.workspace.runs.changes import LeftOut

MAX_CHANGES = 1000
"""Changed files, skipped ones, moved ones in JSON; the totals count all."""
_MAX_LINES = 40
_FEW = 8
_LETTERS = {"added": "A", "modified": "M", "deleted": "D"}


def told(receipt: RunReceipt) -> dict[str, Any]:
    """All that a command line prints of a run: `exit`, `receipt` as JSON, `text` for people."""
    text = receipt_text(receipt)
    return {"exit": exit_code(receipt), "receipt": receipt_json(receipt), "text": text}


def receipt_json(receipt: RunReceipt) -> dict[str, Any]:
    """The receipt as docs/reference/run.md has it; sizes in bytes."""
    status = receipt.ended.status
    output, changes = receipt.output, receipt.changes
    return {
        "status": exit_code(receipt),
        "signal": signal_name(-status) if status < 0 else None,
        "limit": receipt.ended.limit,
        "limit_used": receipt.ended.used,
        "limit_allowed": receipt.ended.allowed,
        "disk_full": receipt.ended.disk_full,
        "output_cut": receipt.ended.output_cut,
        "command": list(receipt.options.argv),
        "stage": {
            "kind": receipt.kind,
            "root": str(receipt.root),
            "shared": receipt.options.shared,
            "isolation": {**asdict(receipt.isolation), "notes": list(receipt.isolation.notes)},
            "memory": {
                "limit": receipt.memory.bytes,
                "held_by": receipt.memory.held_by,
                "why": receipt.memory.why,
            },
            "foreign": _first(receipt.foreign),
            "n_foreign": len(receipt.foreign),
        },
        "hidden": [asdict(thing) for thing in receipt.missed.hidden],
        "n_withheld": receipt.missed.n_withheld,
        "refused_hosts": list(receipt.refused_hosts),
        "stamp": receipt.stamp,
        "base_moved": receipt.base_moved,
        "moved": _first(receipt.moved),
        "n_moved": len(receipt.moved),
        "output": {
            "path": str(output.path),
            "bytes": output.size,
            "lines": output.lines,
            "left_out": output.left_out,
            "redacted": output.redacted,
            "head": output.head.decode("utf-8", "replace"),
            "tail": output.tail.decode("utf-8", "replace"),
        },
        "changed": [_change_json(change) for change in changes.items[:MAX_CHANGES]],
        "n_changed": totals(changes.items),
        "products": dict(changes.products),
        "skipped": _pairs(changes.skipped),
        "patch": _patch_json(receipt),
        "adopted": _adopted_json(receipt),
        "elapsed_ms": round(receipt.elapsed_ms, 1),
    }


def receipt_text(receipt: RunReceipt) -> str:
    """The receipt as lines for a terminal, below the command's own output; it has no timings."""
    return "".join(f"understudy: {printable(line)}\n" for line in receipt_lines(receipt))


def exit_code(receipt: RunReceipt) -> int:
    """The command's exit code as a shell has it: 128 and the signal's number for a signal."""
    status = receipt.ended.status
    return status if status >= 0 else 128 - status


def totals(changes: Sequence[StageChange]) -> dict[str, int]:
    """How many files were added, modified, deleted."""
    counted = Counter(change.kind for change in changes)
    return {kind: counted[kind] for kind in ("added", "modified", "deleted")}


def receipt_lines(receipt: RunReceipt, more: str = "--format json lists them") -> Iterator[str]:
    """What happened, a fact a line: how it ended and where its output lies come first.

    `more` says where a reader finds what is counted and not listed.
    """
    output, isolation = receipt.output, receipt.isolation
    yield f"{_ending(receipt)}; {output.size} bytes in {output.lines} lines: {output.path}"
    if receipt.ended.output_cut:
        yield "what it left running held its output open: what that had yet to write is not in it"
    if output.left_out:
        yield f"the output was over the limit: {output.left_out} bytes of its middle are left out"
    if output.redacted:
        yield f"secrets taken out of what is kept of it: {output.redacted}"
    apart = [
        word
        for word, kept in (
            ("files", isolation.files),
            ("network", isolation.network),
            ("processes", isolation.processes),
        )
        if kept
    ]
    yield f"stage {receipt.kind} at {receipt.root}; kept apart: {', '.join(apart) or 'nothing'}"
    yield f"  {memory_text(receipt.memory)}"
    yield from (f"  {note}" for note in isolation.notes)
    if receipt.missed.n_withheld:
        yield f"variables kept back: {receipt.missed.n_withheld} (--env NAME passes one on)"
    for thing in receipt.missed.hidden:
        yield f"hidden from it, and named in its output: {thing.name} ({thing.option} shows it)"
    if receipt.refused_hosts:
        yield f"asked for, and not reached: {first_few(receipt.refused_hosts, _FEW)}"
    if receipt.foreign:
        yield f"not writable on the stage, as others own them: {first_few(receipt.foreign, _FEW)}"
    if receipt.base_moved:
        since = "since the stage was opened" if receipt.options.shared else "meanwhile"
        yield f"base_moved: true; changed {since}: {first_few(receipt.moved, _FEW)}"
    yield from _changes(receipt, more)
    yield from receipt.outcome.lines()
    yield f"stamp {receipt.stamp}"


def _changes(receipt: RunReceipt, more: str) -> Iterator[str]:
    items = receipt.changes.items
    counted = ", ".join(f"{n} {kind}" for kind, n in totals(items).items() if n)
    yield f"changed on the stage: {counted or 'nothing'}"
    yield from (f"  {_LETTERS[change.kind]} {change.path}" for change in items[:_MAX_LINES])
    if len(items) > _MAX_LINES:
        yield f"  and {len(items) - _MAX_LINES} more ({more})"
    if receipt.changes.products:
        folders = [f"{folder} ({n})" for folder, n in receipt.changes.products.items()]
        yield f"in caches and package folders: {first_few(folders, _FEW)}"
    if receipt.changes.skipped:
        skipped = [f"{path} ({why})" for path, why in receipt.changes.skipped]
        yield f"also changed, but nothing that a patch can hold: {first_few(skipped, _FEW)}"


def _ending(receipt: RunReceipt) -> str:
    status = receipt.ended.status
    text = f"exit {status}" if status >= 0 else f"ended by {signal_name(-status)}"
    if receipt.ended.limit is not None:
        text += f" at the limit of {receipt.ended.limit}{_figures(receipt.ended)}"
    return text + (" (the stage's disk is full)" if receipt.ended.disk_full else "")


def _figures(ended: CommandEnd) -> str:
    if ended.used is None or ended.allowed is None:
        return ""
    if ended.limit == "processes":
        return f" ({ended.used} of {ended.allowed})"
    return f" ({-(-ended.used // MIB)} of {ended.allowed // MIB} MiB)"


def _change_json(change: StageChange) -> dict[str, Any]:
    return {"path": change.path, "kind": change.kind, "type": change.type, "bytes": change.size}


def _patch_json(receipt: RunReceipt) -> dict[str, Any] | None:
    if receipt.patch is None:
        return None
    return {
        "path": str(receipt.patch_file),
        "bytes": len(receipt.patch.data),
        "left_out": _left_out(receipt.patch.left_out),
    }


def _adopted_json(receipt: RunReceipt) -> dict[str, Any] | None:
    adopted = receipt.adopted
    if adopted is None:
        return None
    refused = _left_out(adopted.refused)
    return {"branch": adopted.branch, "files": list(adopted.paths), "refused": refused}


def _left_out(items: Sequence[LeftOut]) -> list[dict[str, str | None]]:
    return [
        {
            "path": one.path,
            "reason": one.reason,
            "kept": None if one.file is None else str(one.file),
        }
        for one in items
    ]


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in pairs]


def _first(paths: Sequence[str]) -> list[str]:
    return list(paths[:MAX_CHANGES])
