"""The shape of a check's JSON as docs/reference/verdicts.md has it."""

from __future__ import annotations

from typing import Any, get_args

from understudy.values.findings import SEVERITIES
from understudy.values.silencing import SilencedHow
from understudy.values.verdicts import ReasonCode, Verdict
from understudy.workspace.branches.checked import MendingEnd

_TEXT_OR_NONE = (str, type(None))
_POSITION = {"line": int, "character": int}
_FINDING: dict[str, Any] = {
    "path": str,
    "range": {"start": _POSITION, "end": _POSITION},
    "severity": set(SEVERITIES),
    "code": _TEXT_OR_NONE,
    "source": _TEXT_OR_NONE,
    "message": str,
    "server": str,
}
_RANGE = {"start": _POSITION, "end": _POSITION}
_HIDER: dict[str, Any] = {"path": str, "range": [None, _RANGE], "message": str}
_REASON: dict[str, Any] = {"code": set(get_args(ReasonCode)), "text": str}
_VERDICT = set(get_args(Verdict))
_SILENCING: dict[str, Any] = {
    "path": str,
    "line": int,
    "how": set(get_args(SilencedHow)),
    "what": str,
    "findings": (_FINDING,),
}
_SERVER: dict[str, Any] = {
    "name": str,
    "verdict": _VERDICT,
    "rule": str,
    "ms": float,
    "reason": [None, _REASON],
}
_FILE: dict[str, Any] = {
    "path": str,
    "verdict": _VERDICT,
    "reason": [None, _REASON],
    "servers": (_SERVER,),
}
CHECK: dict[str, Any] = {
    "schema": {1},
    "verdict": _VERDICT,
    "stamp": str,
    "base_moved": bool,
    "introduced": (_FINDING,),
    "fixed": (_FINDING,),
    "hidden": ({**_FINDING, "by": _HIDER},),
    "silenced": (_SILENCING,),
    "unattributed": (_FINDING,),
    "remaining": int,
    "passed_over": int,
    "out_of_reach": int,
    "unjudged": (str,),
    "late": ({"distance": [None, int], "files": int},),
    "files": (_FILE,),
    "elapsed_ms": float,
}
_FIX: dict[str, Any] = {
    "finding": _FINDING,
    "title": str,
    "kept": bool,
    "why": _TEXT_OR_NONE,
}
_PLACE = {"path": str, "line": int, "text": str}
_EXPLANATION: dict[str, Any] = {
    "finding": int,
    "declared": [None, _PLACE],
    "signature": _TEXT_OR_NONE,
    "related": (_PLACE,),
    "chain": (str,),
    "names": (str,),
    "nearest": (str,),
    "rule": _TEXT_OR_NONE,
    "fixes": ({"title": str, "helps": bool, "leaves": _TEXT_OR_NONE},),
    "unknown": _TEXT_OR_NONE,
}
ASKED_FOR: dict[str, Any] = {
    "affected_files": int,
    "not_asked": ({"group": str, "files": (str,)},),
    "explanations": (_EXPLANATION,),
    "mended": {
        "fixes": (_FIX,),
        "without_fix": int,
        "rounds": int,
        "ended": set(get_args(MendingEnd)),
        "patch": str,
        "fixes_patch": str,
    },
}
"""A dict: exactly these keys; a set: one of these; a list: one of these shapes; a tuple of one
shape: a list of it; otherwise a type."""


def assert_check(report: Any) -> None:
    """Fail, naming the place, unless this is a check's JSON that agrees with itself."""
    asked_for = {name: shape for name, shape in ASKED_FOR.items() if name in report}
    mistakes = list(_mistakes(report, CHECK | asked_for, "check"))
    assert not mistakes, mistakes
    unknown = [file for file in report["files"] if file["verdict"] == "unknown"]
    assert all(file["reason"] is not None for file in unknown), unknown
    if report["verdict"] == "clean":
        assert not unknown
        assert not any(item["severity"] == "error" for item in report["introduced"])
    if report["verdict"] == "findings":
        assert report["introduced"]


def _mistakes(value: Any, shape: Any, where: str) -> Any:
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            yield f"{where}: {value!r} has not exactly the keys {sorted(shape)}"
            return
        for key, inner in shape.items():
            yield from _mistakes(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, set):
        if value not in shape:
            yield f"{where}: {value!r} is none of {sorted(shape)}"
    elif isinstance(shape, list):
        if value is None:
            return
        yield from _mistakes(value, shape[1], where)
    elif isinstance(shape, tuple) and len(shape) == 1:
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        for index, item in enumerate(value):
            yield from _mistakes(item, shape[0], f"{where}[{index}]")
    elif not isinstance(value, shape) or (isinstance(value, bool) and shape is not bool):
        yield f"{where}: {value!r} is no {shape}"
