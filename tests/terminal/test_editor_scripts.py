"""The editor's own shell integration stays active within a recorded shell: both sets of marks."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.support.recorded_shells import IN_CI, SHELLS, RecordedShell

PLACE = "lib/vscode/out/vs/workbench/contrib/terminal/common/scripts"


def editor_scripts() -> Path | None:
    """Where the editor of the tests keeps its scripts."""
    program = shutil.which("code-server", path=os.environ.get("UNDERSTUDY_TEST_EDITOR", ""))
    if program is None:
        return None
    package = next(
        (folder for folder in Path(program).resolve().parents if (folder / PLACE).is_dir()), None
    )
    return None if package is None else package / PLACE


SCRIPTS = editor_scripts()


@pytest.mark.skipif(SCRIPTS is None and not IN_CI, reason="no code-server: see `make test`")
@pytest.mark.parametrize("shell", SHELLS)
def test_both_sets_of_marks(tmp_path: Path, shell: str) -> None:
    session = RecordedShell(tmp_path, shell, TERM_PROGRAM="vscode")
    session.start("--editor-scripts", str(SCRIPTS))
    for number in range(8):
        session.run(f"echo n{number}")
    session.run("false")
    session.leave()
    seen = bytes(session.terminal.seen)
    assert len(re.findall(rb"\x1b\]633;C\x07", seen)) >= 9
    ends = re.findall(rb"\x1b\]633;D;(\d+)\x07", seen)
    assert ends[-1:] == [b"1"] or b"1" in ends
    # A prompt that both wrap grows with neither of them.
    prompts = seen.split(b"\x1b]633;C\x07")
    assert prompts[-2].count(b"\x1b]633;A") == prompts[3].count(b"\x1b]633;A")
    found = session.commands()[:9]
    assert [entry["command"] for entry in found] == [*(f"echo n{n}" for n in range(8)), "false"]
    assert [session.output(entry) for entry in found[:8]] == [[f"n{n}"] for n in range(8)]
    assert [entry["exit_code"] for entry in found] == [0] * 8 + [1]
