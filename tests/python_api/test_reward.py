"""Rewards from Python: one patch or many, with an event loop or none, and as a task's verifier."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import understudy as u
from understudy.adapters import harbor

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


def committed(folder: Path) -> str:
    """The id of a commit of all that a folder has."""
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(folder))
    for step in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run([*git, *step], check=True)
    base = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return base.stdout.strip()


def test_a_task_of_harbor_runs_no_module_of_the_agent(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "reward.md"
    for text in (page.read_text(encoding="utf-8"), harbor.__doc__ or ""):
        (told,) = (line for line in text.splitlines() if "-m understudy.adapters.harbor" in line)
        for name in ("understudy", "json", "asyncio"):
            (tmp_path / f"{name}.py").write_text("print('reward 1.000'); raise SystemExit(0)\n")
        command = [sys.executable, *told.split()[1:-1]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert done.stderr == f"usage: {' '.join(told.split()[:-1])} TASK.json\n"


def test_a_verifier_in_harbors_form(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = committed(folder)
    file, logs = tmp_path / "task.json", tmp_path / "logs"
    task = {"root": "work", "base": base, "command": COMMAND, "fail_to_pass": ["t"]}
    file.write_text(json.dumps({**task, "weights": {"lints": 1}}))
    (folder / "a.txt").write_text("well\n")
    (folder / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\nexit 1\n")
    assert harbor.main([str(file)], logs) == 0, capsys.readouterr().err
    told = json.loads((logs / "reward.json").read_text())
    assert (told["reward"], told["resolved"], told["tampered"]) == (1.0, 1.0, 0.0)
    assert all(isinstance(value, float) for value in told.values())
    assert json.loads((logs / "understudy.json").read_text())["verdict"] == "clean"
    assert (folder / ".git" / "index").stat().st_mtime_ns < (
        logs / "reward.json"
    ).stat().st_mtime_ns
    (folder / "a.txt").write_text("fine\n")
    assert harbor.main([str(file)], logs) == 0
    assert json.loads((logs / "reward.json").read_text())["reward"] == 0.0
    capsys.readouterr()
    for wrong, code in (({"base": "0" * 40}, "unknown-revision"), ({"bass": 1}, "bad-task")):
        (logs / "reward.txt").write_text("1")
        file.write_text(json.dumps({**task, **wrong}))
        assert harbor.main([str(file)], logs) == 2
        assert capsys.readouterr().err.startswith(f"understudy: {code}: ")
        assert [one.name for one in logs.iterdir()] == []


async def test_a_task_of_harbor_names_its_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "task.json"
    for wrong, told in (
        ({"command": "pytest"}, "expected a list of strings @ {}.command"),
        ({"timeout": "1"}, "expected a number @ {}.timeout"),
        ({"weights": {"lint": 1}}, "unknown: lint; did you mean lints? @ {}.weights.lint"),
        ({"weights": {"unverified": 1}}, "what nobody could verify never earns 1: it is less"),
        ({"bass": "1"}, "unknown: bass; did you mean base? @ {}.bass"),
        ({"base": None}, "expected a string @ {}.base"),
        ([], "expected a table"),
    ):
        file.write_text(
            json.dumps({"base": "0" * 40, **wrong} if isinstance(wrong, dict) else wrong)
        )
        with pytest.raises(u.BadInput) as caught:
            await harbor.verify(file)
        assert caught.value.code == "bad-task"
        assert told.format(file) in str(caught.value)


def test_what_was_planted_where_harbor_looks_is_no_reward(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, logs, other = tmp_path / "task.json", tmp_path / "logs", tmp_path / "other.json"
    file.write_text(json.dumps({"root": "work", "base": committed(folder), "command": COMMAND}))
    (logs / "reward.json" / "deep").mkdir(parents=True)
    (logs / "reward.json" / "deep" / "file").touch()
    (logs / "reward.txt").write_text("1")
    other.write_text("kept")
    (logs / "understudy.json").symlink_to(other)
    assert harbor.main([str(file)], logs) == 0
    assert json.loads((logs / "reward.json").read_text())["reward"] == 0.0
    assert sorted(one.name for one in logs.iterdir()) == ["reward.json", "understudy.json"]
    assert (other.read_text(), (logs / "understudy.json").is_symlink()) == ("kept", False)
    (logs / "reward.json").unlink()
    (logs / "reward.json").symlink_to(logs)
    file.write_text("{}")
    capsys.readouterr()
    assert harbor.main([str(file)], logs) == 2
    assert capsys.readouterr().err.startswith("understudy: bad-task: ")
    assert list(logs.iterdir()) == []
    logs.rmdir()
    logs.touch()
    assert harbor.main([str(file)], logs) == 2
    assert capsys.readouterr().err.startswith("understudy: cannot-write: ")


def test_what_was_rewritten_of_a_repository_is_not_the_base_of_a_reward(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)
        return done.stdout.decode().strip()

    base, file, logs = committed(folder), tmp_path / "task.json", tmp_path / "logs"
    task = {"root": "work", "base": base, "command": COMMAND, "fail_to_pass": ["t"]}
    (folder / "a.txt").write_text("well\n")
    blob = git("rev-parse", "HEAD:a.txt")
    kept = folder / ".git" / "objects" / blob[:2] / blob[2:]
    kept.chmod(0o600)
    kept.write_bytes(zlib.compress(b"blob 5\0BAD\n\n"))
    for place in ("loose", "in a pack"):
        if place == "in a pack":
            git("repack", "-a", "-d", "-q")
        assert git("show", f"{base}:a.txt") == "BAD", "git itself believes it"
        file.write_text(json.dumps(task))
        assert harbor.main([str(file)], logs) == 2, place
        assert capsys.readouterr().err.startswith("understudy: git-failed: ")
        assert not logs.exists()
    file.write_text(json.dumps({**task, "base": base[:12]}))
    assert harbor.main([str(file)], logs) == 2
    assert "the whole id of a commit" in capsys.readouterr().err
