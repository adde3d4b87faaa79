"""Servers of ours in versions that nobody has seen: drilled once a machine, wrong ones found."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from tests.support.sessions import check_edits, open_session
from tests.support.toy_proofs import TOYS
from understudy.app.check import drilled
from understudy.disk.proof_file import drill_lock, has_no_word, proof_file
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.find import installed_version
from understudy.langserver.proven.kit import shipped_kit
from understudy.langserver.proven.profile_proof import (
    ProfileProof,
    shipped_proofs,
    with_proof,
)
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import silent
from understudy.workspace.proving import drill
from understudy.workspace.servers import unseen
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.servers.unseen import UnseenServer, unseen_server
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

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
    install(bin_folder, real)
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


async def test_a_wrong_one_makes_its_silence_unknown_at_once(
    tmp_path: Path, bin_folder: Path
) -> None:
    install_toy(bin_folder)
    async with open_session(tmp_path, FILES, {}, **settings_of(bin_folder)) as session:
        assert await verdict_of(session) == ("unknown", "unproven-profile")
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
        (drilled_now,) = session.drills.values()
        assert drilled_now.task is not None
        await drilled_now.task
    assert has_no_word(found.key)
    assert not proof_file().exists()


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


def test_a_drill_takes_the_place_of_nothing_that_was_proven_or_refuted() -> None:
    whole = next(one for one in shipped_proofs() if one.server == "ruff")
    brief = replace(whole, drilled=True, asked=9)
    wrong, brief_wrong = (replace(one, refuted="it was wrong") for one in (whole, brief))
    for old, new, kept in [
        (whole, brief, whole), (whole, brief_wrong, whole), (wrong, brief, wrong),
        (brief_wrong, brief, brief_wrong), (brief, brief_wrong, brief_wrong),
        (brief_wrong, whole, whole), (whole, wrong, wrong),
    ]:  # fmt: skip
        assert with_proof([old], new) == (kept,)


def test_which_typescript_is_run_counts(tmp_path: Path, bin_folder: Path) -> None:
    servers = chooser(tmp_path, bin_folder, "typescript-language-server", trusted=True)
    package = servers.root.path / "node_modules" / "typescript"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "typescript", "version": "5.9.3"}')
    (choice,) = servers.choose("a.ts", ("typescript-language-server",))
    assert choice.spec is not None
    version = servers.version_of(choice.profile, choice.spec.command)
    assert version.endswith(", TypeScript 5.9.3")
    proof = next(one for one in shipped_proofs() if one.server == choice.name)
    for proven, asked, is_about in [
        ("5.3.0, TypeScript 5.9.3", "5.3.1, TypeScript 5.9.1", True),
        ("5.3.0, TypeScript 5.9.3", "5.3.0, TypeScript 5.8.3", False),
        ("5.3.0, TypeScript 5.9.3", "5.4.0, TypeScript 5.9.3", False),
        ("5.3.0, TypeScript 5.9.3", "5.3.0", False),
        ("5.3.0", "5.3.0, TypeScript 5.8.3", True),
    ]:
        assert replace(proof, version=proven).is_about(choice.profile, asked) is is_about
    plain = replace(proof, version="5.3.0", refuted="it was wrong")
    other = replace(proof, version="5.3.0, TypeScript 5.9.3")
    assert with_proof([plain], other) == (other,)


def test_nothing_is_drilled_below_what_configures_it(tmp_path: Path) -> None:
    profile = Catalogue.load().named("ruff")
    kit = shipped_kit("python")
    assert profile is not None
    assert kit is not None
    name = "ruff-of-this-test.toml"
    profile = replace(profile, config_files=(name,), root_markers=())
    place = tmp_path / "home" / "drills" / "key"
    assert not unseen.is_configured_above(profile, kit, place)
    (tmp_path / name).touch()
    assert unseen.is_configured_above(profile, kit, place)
    assert not unseen.is_configured_above(profile, replace(kit, files={name: ""}), place)


def test_who_is_drilled(tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_drilled(name: str, **more: Any) -> bool:
        path = "a.cpp" if name == "clangd" else "a.sql" if name == "other" else "a.py"
        servers = chooser(tmp_path, bin_folder, name, trusted=more.pop("trusted", True), **more)
        (choice,) = servers.choose(path, (name,))
        return unseen_server(servers, choice) is not None

    assert is_drilled("ruff")
    assert not is_drilled("ruff", trusted=False)
    assert not is_drilled("mypy"), "a command"
    told = Settings(servers={"ruff": {"settings": {"ruff": {"lint": {"select": []}}}}})
    assert is_drilled("ruff", settings=told)
    assert not is_drilled("ruff", settings=Settings(servers={"ruff": {"rule": "version"}}))
    assert not is_drilled("ruff", settings=Settings(servers={"ruff": {"command": ["ruff", "x"]}}))
    assert is_drilled("clangd")
    arguments = {"clangd": {"arguments": ["--background-index"]}}
    assert not is_drilled("clangd", server_settings=arguments)
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "root" / "ours"))
    assert not is_drilled("ruff"), "it would write into the user's folder"


def test_one_is_drilled_as_it_comes_and_not_as_the_user_has_set_it(
    tmp_path: Path, bin_folder: Path
) -> None:
    set_ = {"ruff": {"lint": {"select": []}}}
    servers = chooser(tmp_path, bin_folder, "ruff", trusted=True, server_settings=set_)
    (ruff,) = servers.choose("a.py", ("ruff",))
    assert ruff.spec is not None
    assert ruff.spec.initialization_options == {"settings": {"lint": {"select": []}}}
    found = unseen_server(servers, ruff)
    assert found is not None
    assert (found.model.settings, found.model.initialization_options) == ({}, {})
    assert found.version == installed_version(ruff.spec.command, servers.root.path)


def test_servers_that_come_with_the_extension_are_of_versions_that_were_proven() -> None:
    lock = (ROOT / "tools" / "bundle.lock").read_text()
    proven = {proof.server: proof.version for proof in shipped_proofs()}
    for name in ("ruff", "basedpyright"):
        assert f"{name}=={proven[name]} " in lock
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    name = "typescript-language-server"
    assert packages[f"node_modules/{name}"]["version"] == proven[name]
