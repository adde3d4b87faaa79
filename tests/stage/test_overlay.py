"""The overlay stage, under attack too: as an unprivileged user, as root, and as a namespace's."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.support.stages import (
    endings,
    escapes,
    limits,
    listings,
    networks,
    places,
    probing,
    waiting,
)
from tests.support.stages.identities import IDENTITIES, Identity


def cases(*modules: ModuleType) -> list[object]:
    """Every scenario as every identity, but where it says that one cannot play it."""
    return [
        pytest.param(identity, module, scenario, id=f"{scenario.__name__}-{identity.name}")
        for module in modules
        for scenario in module.SCENARIOS
        for identity in IDENTITIES
        if identity.name not in getattr(scenario, "not_as", ())
    ]


@pytest.mark.parametrize(
    ("identity", "module", "scenario"),
    cases(escapes, networks, places, limits, endings, listings, probing, waiting),
)
def test_scenario(identity: Identity, module: ModuleType, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        played = identity.play(module, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
