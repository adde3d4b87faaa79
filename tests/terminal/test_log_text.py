"""The text of a log as an editor asks for it: records and the places that lines name."""

from __future__ import annotations

from pathlib import Path

from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.log.text import is_log, links, records

START = "2026-11-21T08:00:00Z"


def log_with(folder: Path, cwd: str, *outputs: str) -> str:
    log = LogFile(folder, "1", Header(1, cwd, "bash", "idle", None, None, None, "full"))
    for number, output in enumerate(outputs):
        log.write("$ ")
        log.begin(f'run "{number}"\nmore', cwd, START)
        log.write(output)
        if number < len(outputs) - 1:
            log.end(End(number, 1.5, 0, len(output)))
    log.show([])
    return log.path.read_text()


def test_records_have_their_lines_and_facts(tmp_path: Path) -> None:
    text = log_with(tmp_path, "/p", "one\ntwo\n", "#| 1 exit=0\n", "still\n")
    assert is_log(text)
    found = records(text)
    lines = text.split("\n")
    assert [record.number for record in found] == [1, 2, 3]
    assert [record.command for record in found] == [f'run "{n}"\nmore' for n in range(3)]
    for record in found:
        assert lines[record.first].startswith(f"#| {record.number} start=")
    assert [lines[record.last].startswith("#| ") for record in found] == [True, True, False]
    assert [(record.exit_code, record.seconds) for record in found] == [
        (0, 1.5), (1, 1.5), (None, None),
    ]  # fmt: skip
    assert lines[found[2].last] == "still"


def test_a_text_that_is_no_log() -> None:
    assert not is_log("x\n#| 1 start=a\n")
    assert records("") == []
    assert links("a.py:1") == []


def test_links_are_resolved_where_the_command_ran(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text("x")
    (project / "b.ts").write_text("x")
    output = (
        "src/a.py:12:5: error\n"
        '  File "src/a.py", line 7, in f\n'
        "  --> src/a.py:3:9\n"
        "b.ts(4,2): error TS1\n"
        f"at {project}/b.ts:9\n"
        "\U0001f600 é src/a.py:1\n"
        "gone.py:1 http://localhost:8080/b.ts:1 12:30:15 b.ts\n"
    )
    text = log_with(tmp_path, str(project), output)
    lines = text.split("\n")
    found = [
        (lines[link.line].encode("utf-16-le")[2 * link.start : 2 * link.end].decode("utf-16-le"),
         Path(link.path).name, link.target_line, link.target_column)
        for link in links(text)
    ]  # fmt: skip
    assert found == [
        ("src/a.py:12:5", "a.py", 12, 5),
        ('File "src/a.py", line 7', "a.py", 7, None),
        ("src/a.py:3:9", "a.py", 3, 9),
        ("b.ts(4,2)", "b.ts", 4, 2),
        (f"{project}/b.ts:9", "b.ts", 9, None),
        ("src/a.py:1", "a.py", 1, None),
    ]


def test_links_of_a_folder_that_is_gone(tmp_path: Path) -> None:
    text = log_with(tmp_path, str(tmp_path / "gone"), "a.py:1\n\x00.py:2\n" + "x" * 300 + ".py:3\n")
    assert links(text) == []
