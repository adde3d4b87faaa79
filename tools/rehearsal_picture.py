"""Records a whole rehearsal of two agents as a terminal that plays: `make pictures`, `rehearsal`.

The agents are two scripts, which really live in branches of the sample project; what is shown is
what the commands have printed, one after the other. A wait is shown for two seconds at most.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import escape

from tests.e2e.folders import child_environment, copy_demo
from tests.e2e.warm_hosts import Hosts

AGENTS: Mapping[str, str] = MappingProxyType(
    {
        "hasty": """#!/bin/sh
sed -i 's/country: str) -> int:/country: str, on: date) -> int:/
s/^from invoices.model/from datetime import date\\n\\n&/' invoices/tax.py
echo 'hasty: tax_of takes a date now.'
read -r _
""",
        "careful": """#!/bin/sh
sed -i 's/country: str) -> int:/country: str, on: date | None = None) -> int:/
s/^from invoices.model/from datetime import date\\n\\n&/
s/^    percent = .*/    if country == "CH" and on is not None and on.year >= 2024:\\n\
        permille = 26 if line.reduced_rate else 81\\n\
        return (line.net * permille + 500) \\/\\/ 1000\\n&/' invoices/tax.py
echo "careful: what did I break? $(understudy check | tail -1 | cut -d , -f 1)"
read -r _
""",
    }
)
_TITLE = "VAT by date"
_DEADLINE_S = 300
_MOST_WAIT_S, _LINE_S, _SHOWN_S = 2.0, 0.12, 8.0
_LETTER, _LINE, _SIZE = 8.5, 19, 14
_COLOURS = (("+", "#7ee787"), ("-", "#ffa198"), ("$", "#ffffff"))


@dataclass
class Session:
    """What a terminal shows, each line with the second at which it came."""

    folder: Path
    environ: Mapping[str, str]
    lines: list[tuple[float, str]] = field(default_factory=lambda: [])
    now: float = 0.0

    def show(self, text: str, waited: float = 0.0) -> None:
        """Add lines that have come after so many seconds."""
        self.now += min(max(waited, 0.3), _MOST_WAIT_S)
        for line in text.splitlines():
            self.lines.append((self.now, line))
            self.now += _LINE_S

    def do(self, command: str) -> None:
        """Give a command, and show what it prints."""
        self.show(f"$ {command}", 1.0)
        began = time.monotonic()
        self.show(self.run(*command.split()[1:]), time.monotonic() - began)

    def run(self, *arguments: str) -> str:
        """What a command prints; one that fails ends it all."""
        done = subprocess.run(
            [sys.executable, "-m", "understudy", *arguments],
            cwd=self.folder, env=self.environ, capture_output=True, text=True,
            timeout=_DEADLINE_S, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"make pictures: {arguments} ended with {done.returncode}: {done.stderr}")
        return done.stdout


@contextmanager
def _living(session: Session, name: str) -> Iterator[subprocess.Popen[str]]:
    """An agent that lives in a branch, and has said what it did."""
    command = ["rehearse", "--name", f"{_TITLE}, {name}", "--", f"./{name}"]
    session.show(f'$ understudy rehearse --name "{_TITLE}, {name}" -- ./{name} &', 1.0)
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "understudy", *command],
        cwd=session.folder, env=session.environ, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            session.show(process.stdout.readline(), time.monotonic() - began)
            yield process
        finally:
            process.terminate()


def _ended(session: Session, process: subprocess.Popen[str]) -> None:
    began = time.monotonic()
    said, _ = process.communicate("\n", _DEADLINE_S)
    session.show(said, time.monotonic() - began)


def _until(session: Session, is_so: Callable[[list[Any]], bool]) -> None:
    end = time.monotonic() + _DEADLINE_S
    while not is_so(json.loads(session.run("branches", "list", "--format", "json"))["branches"]):
        if time.monotonic() > end:
            sys.exit("make pictures: the branches were not judged")


def _played(session: Session) -> None:
    """The whole of it: two agents, what each of them breaks, and what the user takes."""
    with _living(session, "hasty") as hasty, _living(session, "careful") as careful:
        wanted = ["findings", "clean"]
        _until(
            session,
            lambda all_: [(one.get("rehearsal") or {}).get("verdict") for one in all_] == wanted,
        )
        session.do("understudy branches list")
        session.show("", 1.0)
        _ended(session, hasty)
        _ended(session, careful)
    session.do("understudy branches diff b2")
    session.do("understudy branches accept b2")
    session.do("understudy branches discard b1")


def rehearsal_picture() -> str:
    """The recording, as SVG that plays once, without scripts."""
    with tempfile.TemporaryDirectory(prefix="understudy-pictures-") as made:
        folder, state = copy_demo(Path(made).resolve() / "invoices"), Path(made).resolve() / "state"
        for name, text in AGENTS.items():
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        session = Session(folder, child_environment(state))
        try:
            _played(session)
        finally:
            Hosts(state).end()
    return _drawn(session.lines)


def _drawn(lines: list[tuple[float, str]]) -> str:
    columns = max(len(text) for _, text in lines)
    width, height = round(columns * _LETTER) + 24, len(lines) * _LINE + 24
    drawn = "\n".join(_line(number, at, text) for number, (at, text) in enumerate(lines))
    seconds = lines[-1][0] + _SHOWN_S
    return f"""<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>Two agents in branches, {seconds:.0f} s</title>
<style>
text {{ font: {_SIZE}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #c5c8c6; white-space: pre; animation: come 1ms both }}
@keyframes come {{ from {{ opacity: 0 }} }}
@media (prefers-reduced-motion) {{ text {{ animation: none }} }}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#292929"/>
{drawn}
</svg>
"""


def _line(number: int, at: float, text: str) -> str:
    text = re.sub(r"\s+$", "", text)
    colour = next((f" fill:{colour};" for first, colour in _COLOURS if text.startswith(first)), "")
    style = f"{colour} animation-delay:{at:.1f}s".strip()
    place = f'x="12" y="{12 + (number + 1) * _LINE - 5}"'
    return f'<text {place} style="{style}">{escape(text)}</text>'
