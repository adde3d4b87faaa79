"""`understudy rank`: many patches of one task in order, on real servers and with real tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import Done, Shell
from tests.e2e.folders import make_folder
from tests.support.workspace import state_of

SHAPES = '''\
def area(w: int, h: int) -> int:
    """How large it is."""
    return w + h


def half(n: int) -> int:
    return n // 2
'''
TEST_SHAPES = """\
from shapes import area


def test_area() -> None:
    assert area(3, 4) == 12


def test_nothing() -> None:
    assert area(0, 0) == 0
"""
FILES: dict[str, str | bytes] = {
    "shapes.py": SHAPES,
    "page.py": "from shapes import area\n\nSIZE: int = area(1, 2)\n",
    "test_shapes.py": TEST_SHAPES,
    "test_other.py": "def test_other() -> None:\n    assert True\n",
}
TESTS = (sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "{tests}")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_folder(tmp_path / "work", FILES), tmp_path / "state")


def patch(shell: Shell, name: str, old: str, *new: str, file: str = "shapes.py") -> Path:
    """A diff that puts lines in the place of one."""
    lines = str(FILES[file], "utf-8") if isinstance(FILES[file], bytes) else str(FILES[file])
    number = lines.splitlines().index(old) + 1
    text = f"--- a/{file}\n+++ b/{file}\n@@ -{number},1 +{number},{len(new)} @@\n-{old}\n"
    target = shell.folder.parent / name
    target.write_text(text + "".join(f"+{line}\n" for line in new))
    return target


def ranked(done: Done) -> list[dict[str, object]]:
    assert done.code in (0, 3), done
    return done.json["candidates"]


def test_findings_decide(shell: Shell) -> None:
    before = state_of(shell.folder)
    right = patch(shell, "right.diff", "    return w + h", "    return w * h")
    remark = patch(shell, "remark.diff", "    return w + h", "    # Times.", "    return w  *  h")
    twin = patch(shell, "twin.diff", "    return w + h", "    return w * h")
    typed = patch(
        shell, "typed.diff", "def area(w: int, h: int) -> int:", "def area(w: int, h: str) -> int:"
    )
    stale = shell.folder.parent / "stale.diff"
    stale.write_text(right.read_text().replace("w + h", "w - h"))
    empty = shell.folder.parent / "empty.diff"
    empty.write_text("")
    all_patches = (typed, stale, remark, right, twin, empty)
    done = shell("rank", *all_patches, "--format", "json")
    rows = ranked(done)
    assert done.code == 0
    assert [(row["id"], row["verdict"], row["same_as"], row["same"]) for row in rows] == [
        (str(right), "clean", None, None),
        (str(remark), "clean", str(right), "code"),
        (str(twin), "clean", str(right), "text"),
        (str(typed), "findings", None, None),
        (str(empty), "refused", None, None),
        (str(stale), "refused", None, None),
    ]
    assert rows[0]["votes"] == 3
    assert [finding["path"] for finding in rows[3]["findings"]] == ["page.py", "shapes.py"] or rows[
        3
    ]["introduced"]
    assert (rows[4]["refused"]["code"], rows[5]["refused"]["code"]) == ("no-edits", "hunk-mismatch")
    assert all(row["why"] for row in rows)
    again = ranked(shell("rank", *reversed(all_patches), "--format", "json"))
    assert [(row["id"], row["why"]) for row in again] == [(row["id"], row["why"]) for row in rows]
    assert state_of(shell.folder) == before


def test_tests_decide_and_losers_are_not_tested(shell: Shell) -> None:
    right = patch(shell, "right.diff", "    return w + h", "    total = w * h", "    return total")
    wrong = patch(shell, "wrong.diff", "    return w + h", "    return w + h + 1")
    typed = patch(shell, "typed.diff", "    return w + h", "    return str(w * h)")
    done = shell("rank", wrong, right, typed, "--format", "json", "--", *TESTS)
    first, second, third = ranked(done)
    assert (first["id"], second["id"], third["id"]) == (str(right), str(typed), str(wrong))
    assert first["tests"]["mended"] == ["test_shapes.py::test_area"]
    assert first["tests"]["files"] == ["test_shapes.py"]
    assert third["tests"]["broken"] == ["test_shapes.py::test_nothing"]
    assert (second["tests"]["stopped"], second["tests"]["ended"]) == (True, False)
    assert done.json["base_tests"] == {"passed": 1, "failed": 1}
    assert done.json["tests_run"] == 6


def test_a_deleted_test_is_broken_and_statuses_do_where_no_test_is_named(shell: Shell) -> None:
    deleted = patch(
        shell, "deleted.diff", "def test_nothing() -> None:", "def nothing() -> None:",
        file="test_shapes.py",
    )  # fmt: skip
    (row,) = ranked(shell("rank", deleted, "--format", "json", "--", *TESTS))
    assert row["tests"]["broken"] == ["test_shapes.py::test_nothing"]
    right = patch(shell, "right.diff", "    return w + h", "    return w * h")
    wrong = patch(shell, "wrong.diff", "    return w + h", "    return w")
    command = (sys.executable, "-c", "import shapes; assert shapes.area(3, 4) == 12")
    rows = ranked(shell("rank", wrong, right, "--format", "json", "--", *command))
    assert (rows[0]["id"], rows[0]["tests"]["mended"]) == (str(right), ["exit status"])


def test_forms(shell: Shell) -> None:
    rows = shell.folder.parent / "rows.jsonl"
    right = patch(shell, "right.diff", "    return w + h", "    return w * h").read_text()
    predictions = (
        {"instance_id": "t", "model_name_or_path": "one", "model_patch": right},
        {"id": "two", "patch": "no patch"},
        {"id": "three"},
    )
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in predictions))
    done = shell("rank", "--jsonl", rows, "--format", "jsonl")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["id"], row["verdict"]) for row in found] == [
        ("one", "clean"),
        ("three", "refused"),
        ("two", "refused"),
    ]
    text = shell("rank", "--jsonl", rows)
    assert text.code == 0
    assert max(map(len, text.out.splitlines())) <= 100
    assert text.out.splitlines()[-1] == "3 candidates, 2 refused"
    markdown = shell("rank", "--jsonl", rows, "--format", "markdown").out.splitlines()
    assert markdown[1].startswith("| --- |")


def test_kept_branches(shell: Shell) -> None:
    right = patch(shell, "right.diff", "    return w + h", "    return w * h")
    wrong = patch(shell, "wrong.diff", "    return w + h", "    return wide")
    for one in (wrong, right):
        assert shell("run", one, "--adopt", "--", "true").code == 0
    rows = ranked(shell("rank", "--branches", "b1", "b2", "--format", "json"))
    assert [(row["id"], row["verdict"]) for row in rows] == [("b2", "clean"), ("b1", "findings")]
    assert shell("rank", "--branches", "b9").code == 2
    listed = shell("branches", "list", "--format", "json").json["branches"]
    assert [branch["branch"] for branch in listed] == ["b1", "b2"]


def test_mistakes(shell: Shell) -> None:
    right = patch(shell, "right.diff", "    return w + h", "    return w * h")
    bad = shell.folder.parent / "bad.jsonl"
    bad.write_text('{"id": 1,\n')
    for arguments, code in (
        ((), "no-candidates"),
        (("absent.diff",), "no-such-file"),
        ((right, right), "same-id"),
        ((right, "--server", "nobody"), "unknown-server"),
        ((right, "--timeout", "0"), "bad-timeout"),
        ((right, "--"), "no-command"),
        (("--jsonl", "absent.jsonl"), "no-such-file"),
        (("--jsonl", bad), "not-json"),
    ):
        done = shell("rank", *arguments)
        assert (done.code, done.out) == (2, ""), (arguments, done)
        assert done.err.startswith(f"understudy: {code}: "), (arguments, done.err)
    refused = shell("rank", bad)
    assert (refused.code, "refused" in refused.out) == (3, True)


def test_the_best_is_accepted_by_a_person_and_on_its_condition_alone(
    shell: Shell, tmp_path: Path
) -> None:
    right = patch(shell, "right.diff", "    return w + h", "    return w * h")
    wrong = patch(shell, "wrong.diff", "    return w + h", "    return str(w)")
    before = state_of(shell.folder)
    refused = shell("rank", right, "--accept-best", "clean")
    assert (refused.code, refused.out) == (2, "")
    assert "accept-not-allowed" in refused.err
    config = tmp_path / "state" / "config" / "understudy" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("accept_unattended = true\n")
    for started_by in ("stage", "host"):
        inside = Shell(shell.folder, shell.state, {"UNDERSTUDY_STARTED_BY": started_by})
        assert "accept-not-allowed" in inside("rank", right, "--accept-best", "clean").err
    assert shell("rank", right, "--accept-best", "tested").code == 2
    unmet = shell("rank", wrong, "--accept-best", "clean")
    assert (unmet.code, "is not accepted: the verdict on it is findings" in unmet.err) == (1, True)
    failing = (sys.executable, "-c", "raise SystemExit(1)")
    unmet = shell("rank", right, "--accept-best", "tested", "--", *failing)
    assert (unmet.code, "is not accepted" in unmet.err) == (1, True)
    assert state_of(shell.folder) == before
    done = shell("rank", wrong, right, "--accept-best", "tested", "--", *TESTS)
    assert (done.code, "wrote shapes.py" in done.err) == (0, True), done
    assert (shell.folder / "shapes.py").read_text() == SHAPES.replace("w + h", "w * h")
    assert shell("branches", "list").out == "no branches\n"
