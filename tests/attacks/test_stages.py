"""A command on a stage takes more than it may, or calls for what is outside.

Memory in every way there is, files without a byte, sockets that no list names.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.support.stages import crowds, hogs, late_sockets
from tests.support.stages.identities import IDENTITIES, Identity

CASES = [
    pytest.param(identity, module, scenario, id=f"{scenario.__name__}-{identity.name}")
    for module in (hogs, crowds, late_sockets)
    for scenario in module.SCENARIOS
    for identity in IDENTITIES
    if identity.name not in getattr(scenario, "not_as", ())
]


@pytest.mark.parametrize(("identity", "module", "scenario"), CASES)
def test_scenario(identity: Identity, module: ModuleType, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        played = identity.play(module, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
