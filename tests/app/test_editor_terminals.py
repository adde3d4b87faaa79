"""Two windows that tell of one terminal: a log each, with what its own window was given."""

from __future__ import annotations

from pathlib import Path

from understudy.app.terminals.editor import (
    Closed,
    CommandBegin,
    CommandOutput,
    EditorTerminals,
    Event,
    Finish,
    MissedOutput,
    Told,
)
from understudy.app.terminals.listing import focus, listed, read_in
from understudy.workspace.settings import Settings

PID = 4242


def test_two_windows_with_the_same_terminal(tmp_path: Path) -> None:
    """Each may have been given another part of the output, so neither is put into the other."""
    windows = EditorTerminals(), EditorTerminals()

    def tell(window: int, *events: Event) -> str:
        told = Told(PID, "bash", "/p", None, events)
        return windows[window].take(told, tmp_path, Settings())

    names = [tell(window, CommandBegin("make", "/p")) for window in (0, 1)]
    assert names == ["1", "2"]
    assert tell(0, CommandOutput("one\r\ntwo\r\n")) == "1"
    assert tell(1, CommandOutput("one\r\n"), MissedOutput(5)) == "2"
    for window in (0, 1):
        tell(window, Finish(2))
    texts = [read_in(tmp_path, name, None, 1) for name in names]
    assert [reading.text.splitlines()[1:-1] for reading in texts] == [
        ["one", "two"],
        ["one", "#|   5 bytes missed: the output was too fast"],
    ]
    for reading in texts:
        assert reading.record is not None
        facts = (reading.record["exit_code"], reading.record["complete"], reading.terminal.complete)
        assert facts == (2, False, False)
    focus(tmp_path, PID)
    assert active(tmp_path) == ["2"]
    tell(1, Closed())
    assert active(tmp_path) == ["1"]
    assert tell(0, CommandBegin("true", "/p"), Finish(0)) == "1"
    assert [(log.status, log.n_commands) for log in listed(tmp_path)] == [
        ("idle", 2), ("closed", 1),
    ]  # fmt: skip
    for window in windows:
        window.close()
    assert {log.status for log in listed(tmp_path)} == {"closed"}


def test_the_newest_log_stays_however_long_it_has_become(tmp_path: Path) -> None:
    """The oldest of its output makes room, not all of it when the next terminal is opened."""
    settings = Settings(terminal_mb=1, terminal_record_mb=64)
    output = "".join(f"request {number} {'x' * 1000}\r\n" for number in range(1500))
    for text in (output, ""):
        events = (CommandBegin("serve", "/p"), CommandOutput(text), Finish(0))
        window = EditorTerminals()
        window.take(Told(PID, "bash", "/p", None, events), tmp_path, settings)
        window.close()
    assert [log.id for log in listed(tmp_path)] == ["1", "2"]
    lines = read_in(tmp_path, "1", None, 1).text.splitlines()
    assert lines[1].startswith("request 0 ")
    assert lines[-2].startswith("request 1499 ")


def active(folder: Path) -> list[str]:
    return [log.id for log in listed(folder) if log.is_active]
