"""Appends outputs to a log, one line of acknowledgement for each, until killed.

Run as `python -m tests.support.context_kill_target STORE`; it goes on where the log stands.
"""

import random
import sys
from pathlib import Path

from understudy.app.context.pack import pack_log
from understudy.app.context.record import record
from understudy.context.policy import Policy
from understudy.workspace.context_place import ContextPlace

POLICY = Policy(rule="batch", ingest=500, unit="step", keep=2, batch=2)


def output(number: int) -> str:
    """The output of a step, which anybody can compute; most are too long for the prompt."""
    chance = random.Random(number)
    return f"output {number}\n" + "".join(
        f"{chance.random()}\r\n" for _ in range(chance.choice((3, 40, 3000)))
    )


def stream(store: Path) -> None:
    place = ContextPlace(store, store.parent / "user")
    log = place.log("stream")
    number = len(log.read().events) // 3 if log.file.exists() else 0
    print(f"open {number}", flush=True)
    while True:
        number += 1
        call = f"c{number}"
        record(
            place,
            "stream",
            [
                {"kind": "call", "tool": "t", "call": call, "input": f"{number}" * 200},
                {"kind": "result", "tool": "t", "call": call, "text": output(number), "exit": 0},
            ],
            POLICY,
        )
        print(f"acknowledged {call}", flush=True)
        pack_log(place, "stream", POLICY, 0)


if __name__ == "__main__":
    stream(Path(sys.argv[1]))
