"""Rewards from Python: one patch or many, with and without an event loop, and in verifiers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import understudy as u

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-fine\n+{}\n"
COMMAND = (sys.executable, "-c", "print('ok 1 - t' if 'well' in open('a.txt').read() else 'no')")


async def test_one_patch_and_many(folder: Path) -> None:
    good, bad = DIFF.format("well"), DIFF.format("BAD one")
    one = await u.async_reward(good, folder, command=COMMAND, trust=True, fail_to_pass='["t"]')
    assert (one.reward, one.resolved, one.fail_to_pass, one.pass_to_pass) == (1.0, True, 1.0, None)
    many = u.rewards([good, bad, "", DIFF.replace("-fine", "-other").format("x")], folder)
    assert [score.verdict for score in many] == ["clean", "findings", "refused", "refused"]
    assert [score.reward for score in many] == [1.0, 0.5, 0.0, 0.0]
    assert (many[0].resolved, many[0].fail_to_pass) == (None, None)
    assert (many[2].empty, many[3].empty) == (True, False)
    strict = u.reward(bad, folder, weights=u.Weights(lints=1, unverified=0))
    assert (strict.reward, strict.introduced, strict.why) == (0.5, 1, ("1 introduced",))
    with pytest.raises(u.Refused, match="trusted folders only"):
        u.reward(good, folder, command=COMMAND)
    with pytest.raises(u.BadInput, match="name the command"):
        u.reward(good, folder, fail_to_pass=["t"])
    with pytest.raises(u.BadInput, match="at least one patch"):
        u.rewards([], folder)
