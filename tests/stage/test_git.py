"""Git on a stage, as an unprivileged user and as root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.stages import gits
from tests.support.stages.identities import IDENTITIES, Identity

PLAYERS = [identity for identity in IDENTITIES if not identity.in_namespace]
CASES = [
    pytest.param(
        identity, scenario, id=f"{scenario.__name__}-{identity.name}",
        marks=() if identity is PLAYERS[0] and number < 2 else pytest.mark.ring,
    )
    for identity in PLAYERS
    for number, scenario in enumerate(gits.SCENARIOS)
]  # fmt: skip
"""The first two, as a user, in every run of the tests; the rest takes its time in the ring."""


@pytest.mark.parametrize(("identity", "scenario"), CASES)
def test_scenario(identity: Identity, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        played = identity.play(gits, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
