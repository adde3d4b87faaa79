"""The copy kind under attack: as an unprivileged user, as root, and as a namespace's root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.stages import fenced_copies
from tests.support.stages.identities import IDENTITIES, Identity


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda identity: identity.name)
@pytest.mark.parametrize("scenario", fenced_copies.SCENARIOS, ids=lambda one: one.__name__)
def test_no_way_out(identity: Identity, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        (home / "scratch").mkdir()
        (home / "scratch" / "helper.log").touch()
        played = identity.play(fenced_copies, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr
