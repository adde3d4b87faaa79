"""What a command on a stage sees of the user's secrets: nothing, as any user, on any kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.stage.test_overlay import cases
from tests.support.stages import secrets
from tests.support.stages.identities import Identity


@pytest.mark.parametrize(("identity", "module", "scenario"), cases(secrets))
def test_no_secret(identity: Identity, module: Any, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        (home / "scratch").mkdir()
        (home / "scratch/helper.log").touch()
        os.chown(home / "scratch", identity.user, identity.user)
        os.chown(home / "scratch/helper.log", identity.user, identity.user)
        played = identity.play(module, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
