"""Proving a profile: no wrong one is accepted, and a right one is found."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.toy_proofs import TOYS
from understudy.langserver.find import installed_version
from understudy.langserver.profile_table import parse_profile
from understudy.langserver.proven.kit import Kit, read_kit
from understudy.langserver.spec import ServerSpec
from understudy.values.paths import Root
from understudy.workspace.progress import silent
from understudy.workspace.proving import drill
from understudy.workspace.proving.prove import Proving, prove
from understudy.workspace.settings import Settings

KIT = Path(__file__).parent.parent / "data" / "toy_kit.toml"
PROJECT: dict[str, Any] = {"scope": "project"}
PATIENCE_S = 6.0
"""Of the traps that never answer; on a quiet machine."""
FROM_DISK = {"scope": "project", "reads_disk": True, "folder_events": "trusted"}

WRONG: list[tuple[str, dict[str, Any], str]] = [
    # the trap, the profile that falls into it, and the questions that show it
    ("IndexesFirst", {"rule": "pull"}, "a new process"),
    ("EmptyBeforeSettings", {"rule": "pull"}, "a new process"),
    ("AsksSettingsAtOnce", {"rule": "pull", "ready": "initialized"}, "a new process"),
    ("OneChangeBehind", {"rule": "pull", **PROJECT}, "users of an edited file"),
    ("OneChangeBehind", {"rule": "canary", **PROJECT}, "users of an edited file"),
    ("DiskOnly", {"rule": "pull", **PROJECT}, "users of an edited file"),
    ("DiskIsSeenLate", {"rule": "pull", **FROM_DISK}, "users of an edited file"),
    ("DiskIsSeenLate", {"rule": "canary", **FROM_DISK}, "users of an edited file"),
    ("ReadsOnce", {"rule": "pull", **FROM_DISK}, "users of an edited file"),
    ("ReadsOnce", {"rule": "pull", **PROJECT}, "users of an edited file"),
    ("KnowsNoNewFile", {"rule": "pull", **PROJECT, "folder_events": "trusted"}, "files that come"),
    ("KeepsClosed", {"rule": "pull", **PROJECT, "folder_events": "trusted"}, "files that come"),
    ("StaleVersion", {"rule": "version"}, "a new process"),
    ("EmptyThenRight", {"rule": "version"}, "a new process"),
    ("LatestVersion", {"rule": "version"}, "branches"),
    ("Unlabelled", {"rule": "version"}, "a new process"),
    ("LooksAtUsersOnce", {"rule": "version", **PROJECT}, "users of an edited file"),
    ("CancelledIsEmpty", {"rule": "pull"}, "branches"),
    ("EmptyWhenLate", {"rule": "pull"}, ""),
    ("Silent", {"rule": "pull"}, "a new process"),
    ("WrongPlace", {"rule": "pull"}, "a new process"),
    ("LastShown", {"rule": "pull"}, "branches"),
    ("Right", {"rule": "pull", "config_files": []}, "configuration"),
    ("SometimesNull", {"rule": "pull"}, "branches"),
    ("NoisyWhereFine", {"rule": "pull"}, "a new process"),
    ("SilentOnBroken", {"rule": "pull"}, "an objection"),
]


def patience() -> float:
    """Longer where a process takes long to start: a right server is to be in time there, too."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-S", "-c", "import json, pathlib, threading"], check=True)
    return min(max(PATIENCE_S, 100 * (time.monotonic() - began)), drill.PATIENCE_S)


async def proving(
    trap: str, *, fixed: bool, kit: Kit | None = None, patience_s: float | None = None,
    brief_at: Path | None = None, **given: Any,
) -> Proving:  # fmt: skip
    record = {
        "group": "toy",
        "command": [sys.executable, "-S", str(TOYS / "traps.py"), trap],
        "files": {"*.txt": "plaintext"},
        "rule": "pull",
        "scope": "file",
        "install": "it is here",
        "config_files": ["quiet.cfg"],
        "canary": {"plaintext": "BAD {token}"},
        **given,
    }
    profile = parse_profile("trap", record)
    model = ServerSpec(profile, profile.command, Root.open(TOYS), env={"PATH": os.environ["PATH"]})
    version = installed_version(profile.command, TOYS)
    kit = kit or read_kit(KIT)
    settings = Settings(servers={"trap": record})
    return await prove(
        profile, model, version, kit,
        settings=settings, environ=dict(os.environ), progress=silent, fixed=fixed,
        patience_s=patience_s or patience(), brief_at=brief_at,
    )  # fmt: skip


@pytest.mark.parametrize(("trap", "given", "shown"), WRONG)
async def test_a_wrong_profile_is_refused(trap: str, given: dict[str, Any], shown: str) -> None:
    found = await proving(trap, fixed=True, **given)
    (tried,) = found.tried
    assert found.proof is None
    assert tried.refuted is not None
    assert shown in tried.refuted


@pytest.mark.parametrize(
    ("trap", "given", "is_wrong"),
    [
        ("DiskOnly", PROJECT, True), ("LastShown", {}, True), ("IndexesFirst", {}, True),
        ("NoisyWhereFine", {}, False), ("Silent", {}, False), ("SilentOnBroken", {}, False),
    ],
)  # fmt: skip
async def test_a_brief_drill_refutes_for_nothing_but_silence_about_what_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    trap: str, given: dict[str, Any], is_wrong: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(drill, "_LONGEST_BRIEF_S", 300.0)
    found = await proving(trap, fixed=True, brief_at=tmp_path / "drill", **given)
    (tried,) = found.tried
    assert found.proof is None
    assert tried.is_wrong is (found.refutation is not None) is is_wrong
    assert not tried.is_passing


@pytest.mark.parametrize("rule", ["pull", "canary"])
async def test_a_right_profile_is_proven_as_it_is(rule: str) -> None:
    found = await proving("Right", fixed=True, rule=rule, **PROJECT)
    assert found.tried[0].refuted is None
    assert found.proof is not None
    assert (found.proof.rule, found.proof.scope, found.proof.unknown) == (rule, "project", 0)
    assert found.proof.asked >= 33
    assert found.proof.is_about(found.asked_for, found.version)
    assert not found.proof.is_about(replace(found.asked_for, rule="version"), found.version)
    assert not found.proof.is_about(found.asked_for, "another version")


@pytest.mark.ring
async def test_a_stage_that_is_long_in_starting_refutes_nothing() -> None:
    """A later answer has less time than a first one, but not where it is one of a new process."""
    given = {"rule": "pull", **PROJECT}
    found = await proving("SlowWhereFilesAreNew", fixed=True, patience_s=60.0, **given)
    assert found.proof is not None
    assert found.proof.unknown == 0


async def test_a_scope_that_is_too_small_is_found_out() -> None:
    found = await proving("Right", fixed=False, rule="pull", scope="file")
    assert found.proof is not None
    assert found.changed == {"scope": "project"}


async def test_the_cheapest_right_rule_is_found() -> None:
    found = await proving("DiskOnly", fixed=False, rule="version", scope="project")
    assert found.proof is not None
    assert found.changed == {"rule": "pull", "reads_disk": True}
    assert [tried.refuted is None for tried in found.tried] == [False] * (len(found.tried) - 1) + [
        True
    ]


async def test_a_server_that_asks_for_its_settings_first_is_waited_for() -> None:
    found = await proving("AsksSettingsAtOnce", fixed=False, rule="pull")
    assert found.proof is not None
    assert found.changed["ready"] == "configuration"


async def test_a_silent_server_is_proven_by_no_rule() -> None:
    found = await proving("Silent", fixed=False, rule="pull")
    assert found.proof is None
    assert len(found.tried) > 1


async def test_a_kit_without_uses_proves_no_scope_of_a_project() -> None:
    kit = replace(read_kit(KIT), definition="", broken="", use="")
    found = await proving("Right", fixed=True, kit=kit, rule="pull", **PROJECT)
    assert found.proof is None
    assert "the kit has no `use`" in (found.tried[0].refuted or "")
