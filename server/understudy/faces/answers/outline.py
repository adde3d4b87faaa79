"""The answers of the verbs `outline` and `map` as JSON, for every face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy.workspace.outlines.conclude import MapAnswer
    from understudy.workspace.outlines.outliner import OutlineAnswer


def outline_json(answer: OutlineAnswer) -> dict[str, Any]:
    """What was delivered of a file; `sha` is the SHA-256 of its bytes, `lines` and `bytes` are its
    own."""
    delivery = answer.delivery
    return {
        "path": answer.path,
        "sha": answer.digest,
        "language": delivery.language,
        "lines": delivery.n_lines,
        "bytes": delivery.n_bytes,
        "form": delivery.form,
        "complete": delivery.complete,
        "text": delivery.text,
    }


def map_json(answer: MapAnswer) -> dict[str, Any]:
    """A map with its counts and, by path, what is not in it or not whole."""
    return {
        "stamp": answer.stamp,
        "files": answer.n_files,
        "declarations": answer.n_declarations,
        "shown": answer.n_shown,
        "missing": dict(answer.missing),
        "unread": [{"path": path, "reason": reason} for path, reason in answer.unread],
        "partial": list(answer.partial),
        "text": answer.text,
    }
