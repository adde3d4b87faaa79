"""An accept is killed, and its folder takes nothing any more: prints what each start says of it.

unshare --user --map-root-user --mount python -m tests.attacks.read_only_folder FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.attacks.runs import adopted
from tests.attacks.test_killed_accept import kill_in_the_middle, strays, texts
from tests.e2e.command_line import Done, Shell
from tests.e2e.folders import make_folder
from tests.support.full_disk import Disk

OLD = "one\ntwo\nthree\n"
MORE = "for f in */*.py; do echo more >> $f; done"
FILES: dict[str, str | bytes] = {f"{index % 9}/f{index}.py": OLD for index in range(600)}


def main(above: Path) -> dict[str, object]:
    """The facts, in the order in which they came about."""
    above.mkdir()
    disk = Disk(above / "disk", 64 * 1024 * 1024)
    shell = Shell(make_folder(above / "disk" / "work", FILES), above / "state")
    done = shell("run", "--adopt", "--", "sh", "-c", MORE)
    branch = adopted(done.err.splitlines())
    kill_in_the_middle(shell, branch, placed=True)
    disk.turn("ro")
    told: dict[str, object] = {
        "first": _told(shell("branches", "list")),
        "again": _told(shell("branches", "list")),
    }
    told["accept"] = _told(shell("branches", "accept", branch))
    disk.turn("rw")
    told["last"] = _told(shell("branches", "list"))
    second = adopted(shell("run", "--adopt", "--", "sh", "-c", MORE).err.splitlines())
    told["before"] = sorted(texts(shell))
    kill_in_the_middle(shell, second, placed=False)
    disk.turn("ro")
    told["nothing written"] = _told(shell("branches", "list"))
    disk.turn("rw")
    shell("branches", "list")
    return {**told, "texts": sorted(texts(shell)), "strays": len(strays(shell))}


def _told(done: Done) -> tuple[int, str]:
    return done.code, done.err


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
