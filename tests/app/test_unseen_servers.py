"""Whom a drill is about, and which word on a server counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.find import installed_version
from understudy.langserver.proven.kit import shipped_kit
from understudy.langserver.proven.profile_proof import (
    shipped_proofs,
    with_proof,
)
from understudy.workspace.servers import unseen
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.servers.unseen import unseen_server
from understudy.workspace.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, and a state of its own for what was proven."""
    # What lies above the tests' own folders is this machine's; `test_..._above` is about it.
    monkeypatch.setattr(unseen, "is_configured_above", lambda *_: False)
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "home"))
    (folder := tmp_path / "bin").mkdir()
    return folder


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


def test_what_names_its_typescript_goes_before_what_is_about_any() -> None:
    """And takes its place for that one alone."""
    plain = next(one for one in shipped_proofs() if one.server == "typescript-language-server")
    profile = Catalogue.load().named(plain.server)
    assert profile is not None
    named = replace(plain, version="5.3.0, TypeScript 5.9.3")
    for one, other in [(plain, replace(named, refuted="x")), (replace(plain, refuted="x"), named)]:
        assert with_proof([one], other) == (one, other)
        book = ProofBook((one, other))
        assert book.word_on(profile, "5.3.1, TypeScript 5.9.1") == other
        assert book.word_on(profile, "5.3.1, TypeScript 5.8.3") == one


def test_of_two_words_on_a_server_a_refutation_counts_that_is_not_older() -> None:
    proof = replace(
        next(one for one in shipped_proofs() if one.server == "ruff"), date="2026-11-02"
    )
    profile = Catalogue.load().named("ruff")
    assert profile is not None
    for day, is_refuted in [("2026-11-01", False), ("2026-11-02", True), ("2026-11-03", True)]:
        wrong = replace(proof, refuted="it was wrong", date=day)
        word = ProofBook((proof, wrong)).word_on(profile, proof.version)
        assert word == (wrong if is_refuted else proof)


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
