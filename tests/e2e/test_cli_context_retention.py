"""What the store keeps, by the settings for its size and age."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import write_user_settings

DAY = 86_400


@pytest.mark.parametrize(
    ("setting", "is_kept"),
    [("context_days = 30", True), ("context_days = 5", False), ("context_mb = 0", False)],
)
def test_settings_say_how_long(shell: Shell, state: Path, setting: str, is_kept: bool) -> None:
    write_user_settings(state, setting + "\n")
    put = shell("context", "put", "--format", "json", stdin="an old output")
    file = Path(put.json["file"])
    (logged,) = shell(
        "context", "log", "s", "--append", "-", "--policy", '{"ingest": 1}', "--format", "json",
        stdin='{"kind": "result", "tool": "t", "call": "1", "text": "in a log that is in use"}',
    ).json["events"]  # fmt: skip
    store = file.parent.parent
    old = file.stat().st_mtime - 10 * DAY
    for one in (file, store / logged["path"], store / "tidied"):
        os.utime(one, (old, old))
    assert shell("context", "put", stdin="another one").code == 0
    assert file.exists() == is_kept
    assert (store / logged["path"]).exists()


def test_wrong_settings_lose_no_output(shell: Shell, state: Path) -> None:
    write_user_settings(state, "context_mb = -1\n")
    done = shell("context", "put", stdin="an output")
    assert done.code == 0
    assert done.out.startswith("[understudy] 9 bytes, 1 lines; the whole is in tool/")
    assert "nothing old was removed: bad-setting" in done.err
