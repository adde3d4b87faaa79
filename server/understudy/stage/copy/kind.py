"""The `copy` kind: a copy of the folder at a path of its own, behind a fence (Landlock, seccomp).

For where the kernel refuses namespaces. A command on it is fenced in whole or not run at all,
unless the caller asked for a stage without a fence.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from understudy.disk.layout import make_private_folder
from understudy.stage.cgroup import Bounds
from understudy.stage.copy import landlock, seccomp
from understudy.stage.copy.copied import Copied
from understudy.stage.copy.folder import copy_folder
from understudy.stage.copy.home import CopyHome, copy_home
from understudy.stage.copy.kept import KeptCopy
from understudy.stage.copy.live_stage import LiveCopyStage
from understudy.stage.copy.stage import CopyStage
from understudy.stage.model import Command, Isolation, KindName, ProbeReport, StagePlan, unavailable
from understudy.stage.scratch import Scratch, sweep
from understudy.stage.shown.surroundings import Surroundings, home_of, surroundings
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.printable import first_few

_PROBE_S = 20.0
_SELF_TEST = Path(__file__).parents[1] / "inside" / "fence_check.py"


class CopyKind:
    """Opens copies in `scratch`, a private folder on disk that no workspace contains.

    `fenced` False is the caller's own wish to run without any fence.
    """

    def __init__(self, scratch: Path, *, fenced: bool = True) -> None:
        self._scratch = Path(os.path.realpath(scratch))
        self._fenced = fenced
        self._is_swept = False
        self._report: ProbeReport | None = None
        self._open: list[CopyStage] = []

    @property
    def name(self) -> KindName:
        """The word for it."""
        return "copy"

    async def probe(self) -> ProbeReport:
        """Copy a small folder, run a command behind the fence and let it try to get out."""
        if self._report is None or not self._report.ok:
            self._report = await self._try() if self._fenced else ProbeReport("copy", ok=True)
        return self._report

    async def open(self, plan: StagePlan) -> CopyStage:
        """Copy the folder; raises OutsideFailure `stage-unavailable`, `stage-full`,
        `stage-too-large`, `cannot-reach`, BadInput `no-such-root`.
        """  # fmt: skip
        report = await self.probe()
        if not report.ok:
            raise unavailable(report)
        if plan.hosts is not None and plan.hosts.hosts:
            text = "only the overlay stage can let single hosts be reached: choose none or host"
            raise OutsideFailure("cannot-reach", text, "--net")
        return await self._copy(plan)

    async def close(self) -> None:
        """End all stages that are still open."""
        while self._open:
            await self._open[-1].close()

    async def _copy(self, plan: StagePlan) -> CopyStage:
        if not plan.root.is_dir():
            raise BadInput("no-such-root", "there is no such folder", str(plan.root))
        if not self._is_swept:
            self._is_swept = True
            await asyncio.to_thread(sweep, self._scratch)
        environ = os.environ if plan.environ is None else plan.environ
        shown = await asyncio.to_thread(
            surroundings,
            plan.root,
            environ,
            tools=plan.visible,
            also=plan.added.places,
            read_only=plan.added.read_only,
        )
        kept = (
            await asyncio.to_thread(KeptCopy.take, self._scratch, plan.root) if plan.live else None
        )
        scratch = Scratch.make(self._scratch)
        try:
            target = scratch.folder / (plan.root.name or "root")
            hidden = _hidden(plan.root, shown)
            if kept is None:
                copied = await asyncio.to_thread(
                    copy_folder, plan.root, target, link_dependencies=self._fenced, hidden=hidden
                )
            else:
                copied = await asyncio.to_thread(kept.bring, hidden=hidden)
            linked = tuple(plan.root / name for name in copied.linked)
            home = copy_home(
                scratch.folder / "home",
                home_of(environ),
                shown,
                linked,
                # A run's copy is made anew each time: it reads what is named of the home.
                copies=plan.live,
                written=plan.added.places,
                read_only=plan.added.read_only,
            )
            in_home = await asyncio.to_thread(home.make)
            isolation = _isolation(plan, (copied, *in_home), home.unwritten, fenced=self._fenced)
            bounds = await asyncio.to_thread(Bounds, plan.limits.memory, fenced=self._fenced)
            stage = self._stage(plan, (target, scratch, isolation, home, bounds), kept, copied)
            await stage.begin()
        except BaseException:  # whatever it is: undone, and raised again
            await asyncio.to_thread(scratch.close)
            if kept is not None:
                kept.release()
            raise
        self._open.append(stage)
        return stage

    def _stage(
        self,
        plan: StagePlan,
        parts: tuple[Path, Scratch, Isolation, CopyHome, Bounds],
        kept: KeptCopy | None,
        copied: Copied,
    ) -> CopyStage:
        if kept is None or copied.manifest is None:
            return CopyStage(plan, *parts, fenced=self._fenced, closed=self._open.remove)
        return LiveCopyStage(
            plan, *parts[1:], closed=self._open.remove, kept=kept, manifest=copied.manifest
        )

    async def _try(self) -> ProbeReport:
        """The whole set-up once, in a throw-away folder."""
        if landlock.abi() < 1:
            text = "the kernel has no Landlock, or it is switched off"
            return _failed("landlock", "ENOSYS", text, _FIX)
        try:
            make_private_folder(self._scratch)
            with tempfile.TemporaryDirectory(dir=self._scratch) as name:
                return await self._break_out(Path(name))
        except (UnderstudyError, OSError) as error:
            return _failed("copy", type(error).__name__, str(error), "")

    async def _break_out(self, folder: Path) -> ProbeReport:
        root, outside = folder / "root", folder / "outside"
        root.mkdir()
        (root / "inside").write_text("inside")
        outside.write_text("outside")
        stage = await self._copy(StagePlan(root))
        said = bytearray()
        try:
            filtered = ["--seccomp"] if seccomp.unavailable() is None else []
            test = (sys.executable, "-I", "-S", str(_SELF_TEST), str(outside), *filtered)
            tested = Command(test)
            ended = await asyncio.wait_for(stage.run(tested, said.extend), _PROBE_S)
        finally:
            await stage.close()
        if ended.status == 0 and outside.read_text() == "outside":
            return ProbeReport("copy", ok=True, memory=stage.memory)
        text = said.decode("utf-8", "replace").strip() or f"it ended with {ended.status}"
        return _failed("self-test", "", text, _FIX)


_OTHER_PATH = "absolute paths kept in caches and installed packages still lead to the user's folder"
_FIX = (
    "use a Linux kernel from 5.13 on with Landlock (`lsm=landlock,...` at boot), or namespaces for "
    "the overlay stage"
)


def _failed(step: str, errno: str, text: str, fix: str) -> ProbeReport:
    return ProbeReport("copy", ok=False, step=step, errno=errno, text=text, fix=fix)


def _hidden(root: Path, shown: Surroundings) -> frozenset[str]:
    """What a stage hides below the root (which then holds the home), relative to it."""
    places = {*shown.masks, *(cover.path for cover in shown.covers)} - {root}
    return frozenset(str(path.relative_to(root)) for path in places if path.is_relative_to(root))


def _isolation(
    plan: StagePlan, copies: tuple[Copied, ...], unwritten: tuple[Path, ...], *, fenced: bool
) -> Isolation:
    """What is kept apart, with a sentence for each thing that is not; the folder is first."""
    folder = copies[0]
    notes = [f"it is a copy at a path of its own ({folder.method}): {_OTHER_PATH}"]
    notes += [
        f"{text}: {first_few(paths, 5)}"
        for text, paths in (
            ("links to the user's own, read-only", [x for one in copies for x in one.linked]),
            ("left out", folder.left_out),
            ("pipes, sockets and devices are not copied", [x for y in copies for x in y.special]),
            ("cannot be read", [x for one in copies for x in one.unreadable]),
            ("of what was named to be shown, read and not written", list(map(str, unwritten))),
        )
        if paths
    ]
    if plan.keep is not None and not plan.live:
        notes.append("build products are not kept: each copy is a new one")
    if plan.live:
        notes.append("the listed folders of the home are read, not written, but what was named")
        notes.append("sockets are refused: nothing inside can ask what its branch breaks")
        if (plan.root / ".git").is_file():
            notes.append("git does not work in it: its folder lies elsewhere")
    if not fenced:
        return Isolation(False, False, False, ("there is no fence", *notes))
    filtered = seccomp.unavailable() is None
    notes.append("names of hidden files can be listed, their sizes and times seen")
    notes.append("modes, times and attributes of the user's own files elsewhere can be changed")
    notes.append("other processes can be seen")
    if landlock.abi() < 6:
        notes.append("the user's other processes can be signalled")
    if plan.network == "none":
        notes.append("there is no loopback either")
    if plan.network == "none" and not filtered:
        tcp = "UDP" if landlock.abi() >= 4 else "TCP and UDP"
        notes.append(f"{tcp} and Unix sockets are not held back: {seccomp.unavailable()}")
    truncating = landlock.abi() >= 3 or filtered
    if not truncating:
        notes.append("files outside can be truncated")
    return Isolation(truncating, plan.network == "none" and filtered, False, tuple(notes))
