"""Lints wait for the gaps in the user's typing, and not for ever."""

from __future__ import annotations

import asyncio

from understudy.langserver.turns.typing_pause import GAP_S, IN_SUCCESSION_S, MOST_S, TypingPause


def test_nobody_types() -> None:
    assert TypingPause().left(100.0, 100.0) == 0


def test_a_single_change_is_no_typing() -> None:
    pause = TypingPause()
    pause.typed(100.0)
    now = 100.0 + 2 * IN_SUCCESSION_S
    pause.typed(now)
    assert pause.left(now, now) == 0


def test_a_turn_waits_for_a_gap() -> None:
    pause = TypingPause()
    pause.typed(100.0)
    pause.typed(100.1)
    assert abs(pause.left(100.1, 100.1) - GAP_S) < 1e-9
    pause.typed(100.1 + GAP_S / 2)
    assert pause.left(100.1 + GAP_S, 100.1) > 0
    assert pause.left(100.1 + 2 * GAP_S, 100.1) == 0


def test_typing_without_a_gap_stops_nothing() -> None:
    pause = TypingPause()
    for tick in range(100):
        pause.typed(100.0 + tick * GAP_S / 2)
    now = 100.0 + 99 * GAP_S / 2
    assert pause.left(now, now - MOST_S) == 0
    assert pause.left(now, now) > 0


def test_who_has_no_time_to_spare_waits_for_no_gap() -> None:
    pause = TypingPause()
    pause.typed(100.0)
    pause.typed(100.1)
    assert pause.left(100.1, 100.1, most=0.05) < GAP_S
    assert pause.left(100.1, 100.1, most=-3.0) == 0


async def test_waiting_ends_with_the_typing() -> None:
    pause = TypingPause()
    pause.typed()
    pause.typed()
    await asyncio.wait_for(pause.wait(), 60)
