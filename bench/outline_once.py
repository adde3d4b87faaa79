"""One file outlined some times in a process of its own, as a worker does it; prints JSON.

Arguments: path, language, budget in tokens, number of runs.
"""

from __future__ import annotations

import gc
import hashlib
import json
import statistics
import sys
import time
from pathlib import Path

from understudy.outline.finds import parse
from understudy.outline.grammar import load
from understudy.outline.languages import canonical
from understudy.outline.read_outline import outline
from understudy.outline.show.render import render, tokens
from understudy.workspace.worker_process import COLLECT_AFTER

WARM_UP_S = 0.7
"""A processor that was idle is slow for some tenths of a second. The reference has loaded its
modules for seconds when its clock starts; ours, which are fewer, are to start as warm."""


def main() -> None:
    """Print the medians in s of an outline and of a mere parse, the tokens shown, the lines."""
    path, language, budget, n_runs = sys.argv[1:5]
    gc.set_threshold(*COLLECT_AFTER)
    text = Path(path).read_bytes()
    digest = hashlib.sha256(text).hexdigest()  # a worker is told it
    grammar = load(canonical(language))
    assert grammar is not None
    outline(b"x = 1\n", language)
    began = time.process_time()
    while time.process_time() - began < WARM_UP_S:
        sum(range(1000))

    seconds: list[float] = []
    parse_seconds: list[float] = []
    n_tokens = n_lines = 0
    for _ in range(int(n_runs)):
        began = time.process_time()
        found = outline(text, language, digest=digest)
        shown = render(found, int(budget))
        seconds.append(time.process_time() - began)
        n_tokens, n_lines = tokens(shown), found.n_lines
    for _ in range(int(n_runs)):
        began = time.process_time()
        parse(text, grammar)
        parse_seconds.append(time.process_time() - began)
    told = {"seconds": statistics.median(seconds), "parse": statistics.median(parse_seconds)}
    sys.stdout.write(json.dumps({**told, "tokens": n_tokens, "lines": n_lines}))


if __name__ == "__main__":
    main()
