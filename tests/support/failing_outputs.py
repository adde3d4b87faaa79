"""Real failing outputs: small broken projects, run through real tools, and the line to look for."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.failing_projects import CASES, Case
from tests.support.servers import MissingServerError, environment
from understudy.context.policy import DEFAULT
from understudy.context.receipt import receipt_text, totals_of

SECONDS = 300


@dataclass(frozen=True)
class Judged:
    """One output: whether its receipt holds the failing line and the exit status."""

    name: str
    size: int
    has_line: bool
    has_status: bool
    receipt: str


def judge_all(folder: Path, names: Sequence[str] = ()) -> list[Judged]:
    """Run the cases one after the other (or only these)."""
    wanted = [case for case in CASES if not names or case.name in names]
    return [_judge(case, folder / case.name) for case in wanted]


def _judge(case: Case, folder: Path) -> Judged:
    for name, text in case.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    folder.mkdir(parents=True, exist_ok=True)
    program, *arguments = case.argv
    found = shutil.which(program, path=environment()["PATH"])
    if found is None:
        raise MissingServerError(f"{program} is not installed for the tests; run `make test`")
    done = subprocess.run(
        [found, *arguments],
        cwd=folder,
        env={**environment(), **_QUIET, **case.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    output = done.stdout
    assert done.returncode != 0, f"{case.name} did not fail:\n{output.decode(errors='replace')}"
    there = [line for line in output.decode(errors="replace").split("\n") if _is_it(case, line)]
    assert there, f"{case.name} has no line {case.failing!r}:\n{output.decode(errors='replace')}"
    receipt = receipt_text(output, totals_of(output, "tool/x.txt", done.returncode))
    assert len(receipt.encode()) <= DEFAULT.receipt_bytes
    return Judged(
        case.name,
        len(output),
        any(_is_it(case, line) for line in receipt.split("\n")[1:]),
        f"exit status {done.returncode};" in receipt.split("\n")[0],
        receipt,
    )


def _is_it(case: Case, line: str) -> bool:
    return re.search(case.failing, re.sub(r"\x1b\[[0-9;]*m", "", line)) is not None


_QUIET = {
    "CI": "1",
    "NO_UPDATE_NOTIFIER": "1",
    "CARGO_NET_OFFLINE": "true",
    "GOFLAGS": "-mod=mod",
    "LC_ALL": "C.UTF-8",
}
