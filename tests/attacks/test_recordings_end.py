"""The writer of a recording ends with its terminal, whatever it prints, whoever set patterns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.recorded_shells import PROGRAM, RecordedTerminal
from understudy.terminal import scribe
from understudy.terminal.log import header as log_header
from understudy.terminal.log.file import LogFile
from understudy.terminal.log.folder import logs
from understudy.terminal.log.header import Header
from understudy.terminal.ring import Ring
from understudy.terminal.scribe import PIECE, Scribe, Size

HOSTILE = {
    "words of rules": "password token secret key ghp_ AKIA sk- eyJ xox= :// Bearer ",
    "names without an end": "api_key: token=a secret=",
    "beginnings of tokens": "eyJaaaaaaaaaaaaaaaaaaa.",
    "addresses": "://a:",
    "beginnings of keys": "-----BEGIN PRIVATE KEY-----",
    "a run of one letter": "a",
}
N_BYTES = 10_000_000
_PRINT = "import sys; text = sys.argv[1]; sys.stdout.write(text * (int(sys.argv[2]) // len(text)))"


def state(folder: Path) -> dict[str, str]:
    return {"UNDERSTUDY_STATE_DIR": str(folder / "state")}


def root_of(folder: Path) -> Path:
    root = folder / "workspace"
    root.mkdir(exist_ok=True)
    return root


def recorded(folder: Path, *command: str) -> str:
    """Record a command to the end of its writer; the log's text."""
    terminal = RecordedTerminal(["--", *command], root_of(folder), state(folder))
    terminal.finish()
    assert terminal.status == 0
    (log,) = (
        log for logs_of in folder.glob("state/workspaces/*/terminals") for log in logs(logs_of)
    )
    return log.path.read_text()


@pytest.mark.parametrize("name", HOSTILE)
def test_ten_megabytes_of_hostile_output_are_written_to_the_end(tmp_path: Path, name: str) -> None:
    text = recorded(tmp_path, sys.executable, "-c", _PRINT, HOSTILE[name], str(N_BYTES))
    assert "\nstatus: closed " in text
    assert f"bytes={N_BYTES // len(HOSTILE[name]) * len(HOSTILE[name])} " in text


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+x", "(.*a){12}x", "([a-z]+)*[0-9]"])
def test_no_pattern_of_an_untrusted_folder_keeps_a_writer_busy(
    tmp_path: Path, pattern: str
) -> None:
    (root_of(tmp_path) / "understudy.toml").write_text(f"terminal_redact = ['{pattern}']\n")
    text = recorded(tmp_path, sys.executable, "-c", _PRINT, "a" * 4000 + "!\n", "1000000")
    assert "\nstatus: closed " in text


@pytest.mark.parametrize(
    ("patterns", "reason"),
    [
        ([r"(a)\1"], "cannot refer back"),
        (["(?=a)b"], "neither ahead nor behind"),
        (["x{900}" + "y{900}" * 3], "too large"),
        ([f"ticket-{n}" for n in range(51)], "at most 50"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_named(
    tmp_path: Path, patterns: list[str], reason: str
) -> None:
    (root_of(tmp_path) / "understudy.toml").write_text(
        f"terminal_redact = {json.dumps(patterns)}\n"
    )
    for command in (["doctor"], ["record", "--", "true"]):
        done = subprocess.run(
            [*PROGRAM, *command], cwd=root_of(tmp_path), env={**os.environ, **state(tmp_path)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert reason in said, said
        assert "understudy.toml: terminal_redact" in said
    assert not list(tmp_path.glob("state/workspaces/*/terminals/*.txt"))


def test_nothing_is_recorded_where_the_engine_is_missing(tmp_path: Path) -> None:
    shim = tmp_path / "shim"
    shim.mkdir()
    (shim / "re2.py").write_text("raise ImportError('no compiled part for this system')\n")
    environment = {**state(tmp_path), "PYTHONPATH": str(shim)}
    terminal = RecordedTerminal(["--", "echo", "it runs"], root_of(tmp_path), environment)
    seen = terminal.finish()
    assert b"it runs\r\n" in seen
    assert b"not recorded: google-re2" in seen
    assert not list(tmp_path.glob("state/workspaces/*/terminals/*.txt"))


def behind(folder: Path) -> tuple[Scribe, LogFile, int]:
    """A scribe whose terminal has ended while much is still to be written."""
    log = LogFile(folder, "1", Header(1, "/", "", "idle", None, None, None, "full"))
    log.begin("flood", "/", "2026-11-21T08:00:00Z")
    ring, (reading, writing) = Ring(), os.pipe()
    data = b"a line of a flood\r\n" * (8 * PIECE // 19)
    assert ring.write(data) == 0
    os.write(writing, json.dumps({"exit": 0, "clock": 5, "at": len(data)}).encode() + b"\n")
    os.close(writing)
    return Scribe(ring, reading, log, Size(80, 24), None), log, len(data)


def test_what_takes_too_long_after_the_end_is_given_up_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scribe, "REST_CPU_S", -1.0)
    late, log, n_bytes = behind(tmp_path)
    late.run()
    (entry,) = map(json.loads, log.path.with_suffix(".cmds.jsonl").read_text().splitlines())
    assert entry["raw_bytes"] + entry["missed"] == n_bytes
    assert entry["missed"] > 0
    assert (entry["complete"], entry["exit_code"]) == (False, None)
    assert "the terminal had ended long before" in log.path.read_text()
    assert log_header.parse(log.path.read_bytes())["status"] == "closed"


def test_nothing_is_written_for_a_log_that_has_gone_with_its_terminal(tmp_path: Path) -> None:
    late, log, _ = behind(tmp_path)
    log.path.unlink()
    late.run()
    assert log.failure is not None
    assert not log.path.exists()


def test_a_stuck_writer_is_ended_by_the_system(tmp_path: Path) -> None:
    """Whatever it does: here it turns round in a step, in a process of its own."""
    code = (
        "from understudy.terminal import scribe\n"
        "scribe.STEP_CPU_S = 0.2\n"
        "scribe._end_if_stuck()\n"
        "while True: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False)
    assert done.returncode < 0
