"""Stages that a process has waited for, with all mounted that has nothing to do with the folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, put, sh, until
from understudy.stage.model import StageLimits

_N_PARTS = 20
"""Of the home: many enough to tell who has mounted them."""


async def a_home_that_changes(field: Field) -> None:
    """Between two stages: what is new, gone, replaced or another thing by now is seen as it is."""
    put(field.home, {".cargo/env": "old", ".cache/uv/one": "old", ".cache/pip/one": "old"})
    put(field.home, {".rustup/one": "old", ".npm/_cacache/one": "old"})
    async with field.stage():
        pass
    put(field.home, {".cargo/new": "new", ".cache/ruff/one": "new", ".ssh/key": "hidden-secret"})
    (field.home / ".cargo/new").rename(field.home / ".cargo/env")
    shutil.rmtree(field.home / ".cache/uv")
    put(field.home, {".cache/uv/one": "new", ".cache/pip/one": "new"})
    shutil.rmtree(field.home / ".rustup")
    shutil.rmtree(field.home / ".npm/_cacache")
    (field.home / ".npm/_cacache").symlink_to(field.outside)
    os.utime(field.home / ".cache/pip", (1, 1))
    script = "cd ..; cat .cargo/env .cache/*/one; ls -d .rustup; cat .ssh/key; "
    script += "cat .npm/_cacache/victim; stat -c %Y .cache/pip"
    async with field.stage() as stage:
        said = await sh(stage, script)
        assert said.text.startswith("newnewnewnewls: "), said
        assert said.text.endswith("as it was\n1\n"), said
        assert "hidden" not in said.text, said


async def folders_of_all_kinds(field: Field) -> None:
    """One after the other: beside the last one, above it, within a part of the home."""
    put(field.home, {".cargo/registry/crate/lib.rs": "a crate\n", ".cargo/env": "an env\n"})
    secret = field.home / ".aws/credentials"
    put(field.home, {".aws/credentials": "hidden-secret\n"})
    for root, file in (
        (field.project, "README"),
        (field.outside, "victim"),
        (field.home / ".cargo/registry/crate", "lib.rs"),
        (field.home, "project/README"),
        (field.project, "README"),
    ):
        async with field.stage(root) as stage:
            said = await sh(stage, 'cat "$1"; cat "$2"; pwd; echo x > "$1"', file, str(secret))
            assert said.text.startswith((root / file).read_text()), said
            assert "hidden" not in said.text, said
            assert f"\n{root}\n" in said.text, said
            assert [change.path for change in (await stage.changes()).items] == [file]
            assert (await sh(stage, f"cat {field.home}/.cargo/env")).text == "an env\n"


async def limits_of_each(field: Field) -> None:
    """A disk limit is that of the stage, not of the one before."""
    script = "head -c 20000000 /dev/zero > big && stat -c %s big"
    for mib, fits in ((8, False), (64, True), (8, False)):
        async with field.stage(limits=StageLimits(disk=mib << 20)) as stage:
            said = await sh(stage, script)
            assert (said.text == "20000000\n") is fits, (mib, said)


async def mounted_ahead(field: Field) -> None:
    """The process that waits has mounted the parts of the home before a plan comes."""
    for number in range(_N_PARTS):
        put(field.home, {f".cache/pyright-{number}/one": "x"})
    async with field.stage():
        pass
    helper = field.kind.helper_pid
    assert helper is not None
    part = f" {field.home}/.cache/pyright-".encode()
    await until(
        lambda: _N_PARTS in (_mounts(pid).count(part) for pid in _below(helper)),
        "a process that has mounted them",
    )


# A process in a user namespace does not let itself be looked into.
mounted_ahead.not_as = ("user",)  # type: ignore[attr-defined]


def _below(pid: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return
    for child in map(int, children):
        yield child
        yield from _below(child)


def _mounts(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/mountinfo").read_bytes()
    except OSError:  # it has ended
        return b""


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    a_home_that_changes,
    folders_of_all_kinds,
    limits_of_each,
    mounted_ahead,
)
