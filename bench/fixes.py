"""Mechanical findings of generated edits: how many of those with a fix are mended, and any wrongly.

Each case is a file with one mistake, and the text that it is to become. A case counts where a
server offers a fix at all; a text that is neither the one nor the other is a wrong fix.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from typing import Literal

from bench.report import Figure, Setup, milliseconds
from tests.support.fixes import MISTAKES, Mistake, generated, mend, real_session, text_after
from understudy.values.verdicts import CheckReport
from understudy.workspace.branches.checked import Checked

_BAR = 0.95

Outcome = Literal["mended", "left", "wrong", "not offered"]


async def run(setup: Setup) -> list[Figure]:
    """`--edits` cases for each of the five languages."""
    outcomes: Counter[Outcome] = Counter()
    seconds: list[float] = []
    for language in sorted({one.language for one in MISTAKES}):
        async with real_session(setup.folder / language, language) as session:
            for mistake in generated(language, setup.n_edits, seed=1):
                began = time.monotonic()
                found = await mend(session, mistake)
                seconds.append(time.monotonic() - began)
                outcome = _outcome(mistake, found)
                outcomes[outcome] += 1
                if outcome != "mended":
                    setup.say(f"{mistake}: {outcome}\n{text_after(found, mistake.path)}")
        setup.say(f"{language}: {dict(outcomes)}")
    offered = outcomes["mended"] + outcomes["left"] + outcomes["wrong"]
    share = outcomes["mended"] / offered if offered else 0.0
    return [
        Figure(
            "fixes", "mended of those with a fix", f"{outcomes['mended']} of {offered}",
            f"{outcomes.total()} findings", share, f">= {_BAR:.0%}", share >= _BAR,
            data={str(name): count for name, count in outcomes.items()},
        ),
        Figure(
            "fixes", "wrong or worsening fixes kept", str(outcomes["wrong"]),
            bar="0", ok=outcomes["wrong"] == 0,
        ),
        Figure("fixes", "time, median", milliseconds(statistics.median(seconds))),
    ]  # fmt: skip


def _outcome(mistake: Mistake, found: Checked) -> Outcome:
    text = text_after(found, mistake.path)
    assert found.mended is not None
    if text == mistake.mended and _is_good(found.report):
        return "mended"
    if text != mistake.written:
        return "wrong"
    return "left" if found.mended.fixes else "not offered"


def _is_good(report: CheckReport) -> bool:
    return report.verdict == "clean" and not report.silenced
