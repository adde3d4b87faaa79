"""What `doctor --report` puts together for somebody else to read, without secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from understudy.terminal.secrets.redaction import Redactor
from understudy.terminal.secrets.rules import own_rule
from understudy.values.printable import visible
from understudy.workspace.settings import Settings


def report_text(settings: Settings, looked_at: str, traces: Sequence[str]) -> tuple[str, int]:
    """The report, and how many secrets were taken out of it; the home is `~` in it.

    `looked_at` is what `doctor` says, `traces` are how the last checks have judged. Raises
    OutsideFailure `not-installed` where nothing can find secrets.
    """
    parts = ["# What works", "", looked_at, "# Settings that differ from the defaults", ""]
    parts += [*_changed(settings), ""] if settings != Settings() else ["none", ""]
    parts += ["# How the last checks were judged", ""]
    parts += traces or ["no host is running that has judged anything"]
    redactor = Redactor([own_rule(pattern) for pattern in settings.terminal_redact])
    text = "\n".join(parts).rstrip("\n") + "\n"
    clean = redactor.redact(visible(text)).replace(str(Path.home()), "~")
    return clean, redactor.count


def _changed(settings: Settings) -> Iterator[str]:
    usual = asdict(Settings())
    for name, value in asdict(settings).items():
        if value == usual[name]:
            continue
        is_set = name == "stage_env"  # to anything: the names are enough
        shown = [entry.partition("=")[0] for entry in settings.stage_env] if is_set else value
        yield f"{name} = {shown!r}"
