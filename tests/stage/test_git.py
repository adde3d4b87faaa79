"""Git on a stage, as an unprivileged user and as root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.stages import gits
from tests.support.stages.identities import IDENTITIES, Identity

PLAYERS = [identity for identity in IDENTITIES if not identity.in_namespace]


@pytest.mark.parametrize("scenario", gits.SCENARIOS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("identity", PLAYERS, ids=lambda one: one.name)
def test_scenario(identity: Identity, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        played = identity.play(gits, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
