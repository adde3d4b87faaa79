"""A ranking from Python: by name, best first, with tests where the folder is trusted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.folders import make_folder, toy_settings, write_user_settings
from tests.python_api.conftest import TOY_FILES

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-fine\n+{}\n"


def test_candidates_by_name_and_kept_branches(tmp_path: Path, state: Path) -> None:
    write_user_settings(state, toy_settings("well_behaved"))
    folder = make_folder(tmp_path / "work", TOY_FILES)
    with u.Workspace(folder, trust=True) as ws:
        with ws.branch("kept") as kept:
            kept.edit(DIFF.format("well again"))
        given: dict[str, u.Edits] = {
            "bad": DIFF.format("BAD one"),
            "good": [{"kind": "write", "path": "a.txt", "text": "well\n"}],
            "twin": DIFF.format("well"),
            "stale": DIFF.format("x").replace("-fine", "-other"),
        }
        rows = ws.rank(given, branches=[kept.id])
        assert [(row.id, row.verdict, row.same_as) for row in rows] == [
            ("good", "clean", None),
            ("twin", "clean", "good"),
            (kept.id, "clean", None),
            ("bad", "findings", None),
            ("stale", "refused", None),
        ]
        assert [finding.message for finding in rows[3].findings] == ["BAD one"]
        assert (rows[4].refused or "").startswith("hunk-mismatch: ")
        command = (sys.executable, "-c", "assert 'again' in open('a.txt').read()")
        tested = ws.rank(given, branches=[kept.id], command=command)
        assert tested[0].id == kept.id
        assert tested[0].tests is not None
        assert tested[0].tests.mended == ("exit status",)
        assert [info.id for info in ws.branches()] == [kept.id]
        with pytest.raises(u.BadInput, match="at least one"):
            ws.rank()
    with (
        u.Workspace(folder) as ws,
        pytest.raises(u.Refused, match="trusted folders only"),
    ):
        ws.rank({"good": DIFF.format("well")}, command=["true"])
