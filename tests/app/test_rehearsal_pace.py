"""How often a rehearsal looks: little of a processor, and as often as can be on a busy machine."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from understudy.app.rehearse import pace as pace_module
from understudy.app.rehearse.pace import Pace


@pytest.mark.parametrize(
    ("took", "computed", "rests"),
    [
        (0.0, 0.0, 0.5),  # nothing: as often as is wished
        (0.125, 0.0, 0.375),
        (0.25, 0.25, 5.0),  # a large folder: a twentieth of a processor
        (2.0, 0.0625, 2.0),  # a busy machine, or a slow disk: no twenty times as long
        (2.0, 4.0, 40.0),  # two threads that compute
    ],
)
def test_what_a_look_has_cost(
    took: float, computed: float, rests: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0, 0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], process_time=lambda: now[1])
    monkeypatch.setattr(pace_module, "time", clock)
    pace = Pace()
    now[:] = [took, computed]
    assert pace.rest(0.5, 20) == rests
