"""Servers of ours in versions that nobody has seen: drilled once a machine, wrong ones found."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import check_edits, open_session
from tests.support.toy_proofs import TOYS
from understudy.app.check import drilled
from understudy.app.check.check import check
from understudy.app.check.sides import base_side
from understudy.disk.proof_file import drill_lock, drill_place, has_no_word, proof_file
from understudy.langserver.proven.profile_proof import (
    ProfileProof,
    shipped_proofs,
)
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import silent
from understudy.workspace.proving import drill
from understudy.workspace.servers import unseen
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.servers.unseen import UnseenDrill, UnseenServer, unseen_server
from understudy.workspace.session import Session

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {"a.py": "a = 1\n"}
EDIT = {"kind": "write", "path": "a.py", "text": "a = 2\n"}
LONG_S = 300.0
RUFF = CheckOptions(servers=("ruff",), timeout_s=LONG_S)


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, a state of its own for what was proven, and time for a busy machine."""
    for module in (drill, drilled):
        for name in (
            "_LEAST_S", "_BRIEF_S", "_LONGEST_BRIEF_S", "_PATIENCE_S", "_LONGEST_S",
            "_LONGEST_TURN_S",
        ):  # fmt: skip
            monkeypatch.setattr(module, name, LONG_S, raising=False)
    # What lies above the tests' own folders is this machine's; `test_..._above` is about it.
    monkeypatch.setattr(unseen, "is_configured_above", lambda *_: False)
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "home"))
    (folder := tmp_path / "bin").mkdir()
    return folder


def install(bin_folder: Path, *command: str) -> None:
    """Make this program ruff, in a version that the disk does not tell."""
    quoted = " ".join(f"'{part}'" for part in command)
    program = bin_folder / "ruff"
    program.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n')
    program.chmod(0o755)


def install_toy(bin_folder: Path, *arguments: str) -> None:
    """One that finds what it should for six questions, or as it is told."""
    told = arguments or ("6",)
    install(bin_folder, sys.executable, "-S", str(TOYS / "traps.py"), "LikeRuff", *told)


def ruff_of(session: Session) -> ServerChoice:
    (ruff,) = session.servers.choose("a.py", ("ruff",))
    return ruff


def found_in(session: Session) -> UnseenServer:
    """What is to be drilled."""
    found = unseen_server(session.servers, ruff_of(session))
    assert found is not None
    return found


def refutation_of(found: UnseenServer) -> ProfileProof:
    proof = next(one for one in shipped_proofs() if one.server == "ruff")
    return replace(proof, version=found.version, refuted="it was wrong")


def settings_of(bin_folder: Path) -> dict[str, Any]:
    return {"server_path": (str(bin_folder),)}


def made() -> list[ProfileProof]:
    return list(ProofBook().made)


async def verdict_of(session: Session, progress: Any = silent) -> tuple[str, str | None]:
    checked = await check_edits(session, [EDIT], RUFF, progress)
    (file,) = checked.report.files
    return checked.report.verdict, file.reason and file.reason.code


async def end_of_the_drill(session: Session) -> None:
    (one,) = session.drills.values()
    assert one.task is not None
    await one.task


async def while_others_drill(
    session: Session, found: UnseenServer, do: Callable[[], None]
) -> tuple[str, str | None]:
    """The verdict of a check that says it waits, while another process has its turn."""
    waits = asyncio.Event()

    def hear(message: str, _done: int, _total: int) -> None:
        said = f"asking ruff {found.version}, which nobody has seen: once on this machine"
        if message == said:
            waits.set()

    with drill_lock(found.key):
        asked = asyncio.ensure_future(verdict_of(session, hear))
        await waits.wait()
        do()
    return await asked


async def test_a_right_one_is_asked_once_a_machine_and_its_silence_counts(
    tmp_path: Path, bin_folder: Path
) -> None:
    real = shutil.which("ruff", path=str(Path(sys.executable).parent))
    assert real is not None
    environments = tmp_path / "environments"
    install(bin_folder, "sh", "-c", f'(pwd; env) >> "{environments}"; exec "{real}" "$@"', "sh")
    async with open_session(tmp_path / "one", FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        assert await while_others_drill(session, found, lambda: None) == ("clean", None)
    async with open_session(tmp_path / "two", FILES, {}, **settings_of(bin_folder)) as session:
        assert unseen_server(session.servers, ruff_of(session)) is None
        assert await verdict_of(session) == ("clean", None)
    (proof,) = made()
    assert (proof.server, proof.drilled, proof.refuted, proof.unknown) == ("ruff", True, "", 0)
    assert proof.groups["branches"] == 8
    assert proof.groups["an objection"] == 1
    assert proof.version == found.version
    # What its user has configured for all folders is not found, and nothing is downloaded.
    told = environments.read_text().splitlines()
    assert {"GOPROXY=off", "GOTOOLCHAIN=local"} <= set(told)
    (place,) = {line for line in told if line.startswith("XDG_CONFIG_HOME=") and "/drills/" in line}
    assert str(tmp_path / "home" / "drills") in place


async def test_a_wrong_one_makes_its_silence_unknown_at_once(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_toy(bin_folder)
    added_in: list[int] = []
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        add = session.proofs.add

        def add_and_tell(word: ProfileProof) -> None:
            added_in.append(threading.get_ident())
            add(word)

        monkeypatch.setattr(session.proofs, "add", add_and_tell)
        assert await verdict_of(session) == ("unknown", "unproven-profile")
        assert threading.get_ident() not in added_in, "others may hold the lock"
        (word,) = made()
        assert (word.server, word.drilled) == ("ruff", True)
        assert word.refuted.startswith("branches: ")
        # It is proven after all: what was heard of it before counts no more.
        ProofBook().add(replace(word, refuted="", drilled=False))
        assert await verdict_of(session) == ("clean", None)


async def test_no_program_is_drilled_in_a_folder_that_is_not_trusted(
    tmp_path: Path, bin_folder: Path
) -> None:
    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        session.trusted = False
        session.reconfigure(session.settings, {}, None)
        assert await verdict_of(session) == ("clean", None)
    assert not proof_file().exists()


async def test_a_drill_that_comes_to_no_end_changes_nothing_and_is_not_repeated(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drill, "_LONGEST_BRIEF_S", 0.0)
    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        assert await while_others_drill(session, found, lambda: None) == ("clean", None)
        assert has_no_word(found.key)
        assert unseen_server(session.servers, ruff_of(session)) is None
    assert not proof_file().exists()


async def test_one_that_finds_nothing_at_all_is_not_refuted(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something silences it that a drill knows nothing of."""
    monkeypatch.setattr(drill, "_LATER_S", 0.0)
    install_toy(bin_folder, "0")
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        assert await verdict_of(session) == ("unknown", "silent")
        await end_of_the_drill(session)
    assert has_no_word(found.key)
    assert not proof_file().exists()


@pytest.mark.parametrize("how", ["noisy", "mild"])
async def test_one_that_finds_more_or_never_finds_a_thing_is_not_refuted(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """That is how somebody has configured it, or what is new in this version."""
    monkeypatch.setattr(drill, "_LATER_S", 0.0)
    install_toy(bin_folder, "1000", how)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        await verdict_of(session)
        await end_of_the_drill(session)
    assert has_no_word(found.key)
    assert not proof_file().exists()


async def test_passing_trouble_is_not_noted(tmp_path: Path, bin_folder: Path) -> None:
    """It ends wherever it is drilled; another time it may not."""
    program = bin_folder / "ruff"
    toy = f"exec '{sys.executable}' -S '{TOYS / 'traps.py'}' LikeRuff 1000"
    program.write_text(f'#!/bin/sh\ncase "$PWD" in */drills/*) exit 1;; esac\n{toy}\n')
    program.chmod(0o755)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        assert await verdict_of(session) == ("clean", None)
        await end_of_the_drill(session)
    assert not has_no_word(found.key)
    assert not proof_file().exists()


async def test_that_its_time_was_not_enough_counts_for_a_day(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drilled, "_LONGEST_S", 0.01)
    install_toy(bin_folder, "1000", "deaf")
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        assert await verdict_of(session) == ("clean", None)
        await end_of_the_drill(session)
    assert has_no_word(found.key)
    long_ago = time.time() - 25 * 3600
    os.utime(drill_place(found.key).with_suffix(".tried"), (long_ago, long_ago))
    assert not has_no_word(found.key)


async def test_nobody_waits_longer_than_a_drill_may_take() -> None:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(asyncio.Event().wait())
    begun = UnseenDrill(task, "ruff 99", until=loop.time())
    begun.is_known.set()
    await drilled.through(begun, silent, loop.time() + 3600.0)
    task.cancel()


async def test_what_cannot_be_kept_counts_for_this_host(tmp_path: Path, bin_folder: Path) -> None:
    """Also for what was told before."""
    install_toy(bin_folder)
    (tmp_path / "home" / "proofs.lock").mkdir(parents=True)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        branch = await session.branches.create("kept")
        await session.branches.edit(branch.id, [EDIT], await session.fresh_base())
        branch = await session.branches.get(branch.id)
        checked = await check_edits(session, [EDIT], RUFF)
        assert checked.report.verdict == "unknown"
        is_of_now: list[bool] = []
        for one in (checked, replace(checked, refuted=frozenset())):
            session.verdicts.keep(branch, RUFF, session.bases.own, one)
            kept = session.verdicts.of(branch.id, session.bases.own, whole=False)
            assert kept is not None
            is_of_now.append(kept.is_of_now(branch))
    assert is_of_now == [True, False]
    assert not proof_file().exists()


async def test_a_check_whose_files_moved_knows_who_was_refuted(
    tmp_path: Path, bin_folder: Path
) -> None:
    """Else it would be out of date for good."""

    async def moved(_base: Base) -> Snapshot:
        raise Moved("a.py")

    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        ProofBook().add(refutation_of(found_in(session)))
        checked = await check(session, base_side, moved, RUFF)
        assert checked.refuted == session.refuted != frozenset()


async def test_a_drill_ends_with_its_host_leaves_nothing_and_is_tried_again(
    tmp_path: Path, bin_folder: Path
) -> None:
    install_toy(bin_folder, "6", "deaf")
    drills = tmp_path / "home" / "drills"
    waits = asyncio.Event()

    def hear(message: str, _done: int, _total: int) -> None:
        if "which nobody has seen" in message:
            waits.set()

    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        asked = asyncio.ensure_future(verdict_of(session, hear))
        await waits.wait()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        (drills / f"{found.key}-killed" / "project").mkdir(parents=True)
    assert not has_no_word(found.key)
    assert not proof_file().exists()
    drill_lock(found.key).release()  # what a killed one has left goes with the next turn
    assert [path.name for path in drills.iterdir()] == [f"{found.key}.lock"]


async def test_what_another_process_finds_out_meanwhile_counts(
    tmp_path: Path, bin_folder: Path
) -> None:
    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        found = found_in(session)
        said = await while_others_drill(
            session, found, lambda: ProofBook().add(refutation_of(found))
        )
        assert said == ("unknown", "unproven-profile")
    assert [word.refuted for word in made()] == ["it was wrong"]


async def test_a_refutation_counts_for_a_check_that_is_planned_and_for_verdicts_that_are_kept(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drill, "_LONGEST_BRIEF_S", 0.0)
    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        word = refutation_of(found_in(session))
        branch = await session.branches.create("kept")
        await session.branches.edit(branch.id, [EDIT], await session.fresh_base())
        checked = await check_edits(session, [EDIT], RUFF)
        assert checked.report.verdict == "clean"
        live_base = session.bases.own
        branch = await session.branches.get(branch.id)
        session.verdicts.keep(branch, RUFF, live_base, checked)
        kept = session.verdicts.of(branch.id, live_base, whole=False)
        assert kept is not None
        is_of_now = kept.is_of_now(branch)

        def hear(message: str, _done: int, _total: int) -> None:
            if message == "asking ruff":  # the servers are chosen
                ProofBook().add(word)

        assert await verdict_of(session, hear) == ("unknown", "unproven-profile")
        assert (is_of_now, kept.is_of_now(branch)) == (True, False)
