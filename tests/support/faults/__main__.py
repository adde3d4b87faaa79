"""Makes the system calls of each verb fail, one in each run, and looks at what is left."""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from errno import errorcode
from pathlib import Path

from tests.support.faults.branches import Accept, Adopt, Keep, Undo
from tests.support.faults.case import Case
from tests.support.faults.outputs import History, HostStart, Record, Store, Trust
from tests.support.faults.power import try_power_cuts
from tests.support.faults.run import Fault, How, run

CASES = (Accept, Undo, Adopt, Keep, Store, History, Trust, HostStart, Record)
CUT = (Accept, Store, History, Trust)
"""Those that promise to outlast a cut of the power; the journal does, but for its last 50 ms."""
_NOTHING = "\0"
_SUBREAPER = 36


@dataclass
class Counts:
    """What was tried of a verb: `sites` calls, `faults` of these, and those that found something.

    `power_cuts` are the disks that a cut of the power may leave.
    `unreached` were not made that time, as threads took other turns.
    """

    verb: str
    sites: int = 0
    faults: int = 0
    unreached: int = 0
    leaked: int = 0
    power_cuts: int = 0
    by_way: dict[str, int] = field(default_factory=dict[str, int])
    wrong: list[str] = field(default_factory=list[str])


def try_all(case: Case, every: int, only: Sequence[str]) -> Counts:
    """Each call that the verb makes on our files, once with each way to fail."""
    _preload(case)
    case.reset()
    traced = run(case.place, case.program, case.standing, given=case.given)
    assert not (found := case.wrong(traced)), (found, traced)
    calls = traced.calls
    for fault in case.standing:
        calls = calls[1 + [seen.site for seen in calls].index(fault.site) :]
    counts = Counts(case.name, sites=len(calls))
    faults = [Fault(seen.site, how) for seen in calls for how in seen.ways]
    chosen = [fault for fault in faults if any(text in _name(fault) for text in only)][::every]
    ways: Counter[str] = Counter()
    for fault in chosen:
        case.reset()
        ended = run(case.place, case.program, [*case.standing, fault], given=case.given)
        if ended.reached <= len(case.standing):
            counts.unreached += 1
            continue
        counts.faults += 1
        ways[_word(fault.how)] += 1
        found = case.wrong(ended)
        if ended.leaked:
            found.append(f"{ended.leaked} processes left")
        counts.leaked += ended.leaked
        counts.wrong += [f"{_name(fault)} -> exit {ended.code}: {one}" for one in found]
        for one in found:
            sys.stderr.write(f"{case.name}: {_name(fault)} -> exit {ended.code}: {one}\n")
    counts.by_way = dict(sorted(ways.items()))
    return counts


def _preload(case: Case) -> None:
    """Load here what the verb loads: a fork of this process then calls for its files alone."""
    names = case.place.folder / "modules"

    def program() -> None:
        try:
            case.program()
        finally:
            names.write_text(json.dumps(sorted(sys.modules)))

    case.reset()
    run(case.place, program, watched=False, given=case.given)
    for name in json.loads(names.read_text()):
        with suppress(ImportError):
            importlib.import_module(name)


def _name(fault: Fault) -> str:
    call, place, nth = fault.site
    return f"{call}({place})#{nth} {_word(fault.how)}"


def _word(how: How) -> str:
    return errorcode[how] if isinstance(how, int) else how


def main() -> int:
    """Try the verbs one after the other; exit code 1 when something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.faults", description=__doc__)
    known = ", ".join(kind.name for kind in CASES)
    parser.add_argument("verbs", nargs="*", metavar="VERB", help=f"of {known}; or all")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth fault alone")
    help_ = "faults with this in their name, as `fsync(project/a.txt)#1 EIO`"
    parser.add_argument("--only", action="append", metavar="TEXT", help=help_)
    parser.add_argument("--cuts", action="store_true", help="cut the power alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts to this file")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    told: list[Counts] = []
    for kind in CASES:
        if arguments.verbs and kind.name not in arguments.verbs:
            continue
        folder = tempfile.mkdtemp()  # a TemporaryDirectory would go when a fork of ours ends
        try:
            began = time.monotonic()
            case = kind(Path(folder).resolve())
            only = [_NOTHING] if arguments.cuts else arguments.only or [""]
            counts = try_all(case, arguments.every, only)
            if not arguments.only and kind in CUT:
                counts.power_cuts, wrong = try_power_cuts(case, arguments.every)
                sys.stderr.writelines(f"{kind.name}: {one}\n" for one in wrong)
                counts.wrong += wrong
            told.append(counts)
            sys.stderr.write(f"{kind.name}: {time.monotonic() - began:.1f} s\n")
        finally:
            shutil.rmtree(folder)
    counted = json.dumps([asdict(counts) for counts in told], indent=1)
    if arguments.json is None:
        print(counted)
    else:
        arguments.json.write_text(counted + "\n")
    return 1 if any(counts.wrong for counts in told) else 0


if __name__ == "__main__":
    sys.exit(main())
