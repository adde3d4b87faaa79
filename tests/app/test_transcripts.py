"""Transcripts of agents: found where they lie, copied without secrets, and nobody else's shown."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.transcripts import PLACES, write
from understudy.app.context.transcript import keep_transcript, told_of, transcript_sections
from understudy.disk.store.retention import DAY, Retention, forget
from understudy.disk.store.transcript_copy import CopiedEntry, TranscriptCopy
from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.agents import transcripts
from understudy.workspace.agents.catalogue import agent_named, shipped_agents
from understudy.workspace.agents.entries import said_in
from understudy.workspace.agents.profile import parse_agent
from understudy.workspace.agents.transcripts import entries_told, transcript_at, transcripts_of
from understudy.workspace.context_place import ContextPlace

SECRET = "q7Xv92LmPz4Rt8Wk"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for agent in PLACES:
        for variable in agent_named(agent).transcript.moved:  # type: ignore[union-attr]
            monkeypatch.delenv(variable, raising=False)
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / ".git").mkdir(parents=True)
    return made


@pytest.fixture
def place(tmp_path: Path) -> ContextPlace:
    return ContextPlace(tmp_path / "context", tmp_path / "user")


def keep(place: ContextPlace, agent: str, path: Path, session: str = "s1") -> str:
    known = agent_named(agent)
    file = transcript_at(known, str(path), os.environ)
    return told_of(keep_transcript(place, known, session, file.entries()))


@pytest.mark.parametrize("agent", PLACES)
def test_what_each_client_wrote_can_be_searched(
    agent: str, home: Path, folder: Path, place: ContextPlace
) -> None:
    path = write(home, agent, folder)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    told = keep(place, agent, path)
    copy = place.store.folder / "history" / agent / "s1.md"
    lines = copy.read_text().split("\n")
    kinds = Counter(line.split()[2] for line in lines if line.startswith("## "))
    assert kinds["result"] >= 5
    assert kinds["prompt"] >= 1
    assert f"({kinds['prompt']} prompt" in told
    assert f"{kinds['result']} tool results" in told
    assert f"is in {copy}, {len(lines) - 1} lines" in told
    assert "\n" not in told
    for said in ("please do the work", "fact-2-0-is-0 ", "third-out", "fifth-out", "done."):
        if not (agent == "codex" and said.startswith("fact")):  # another script drove it
            assert any(said in line for line in lines), said
    assert before == (path.read_bytes(), path.stat().st_mtime_ns)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert keep(place, agent, path) == told, "what was copied is not copied again"
    sections = "".join(transcript_sections(agent_named(agent), "latest", folder))
    assert sections == copy.read_text().partition("\n\n## ")[2].join(("## ", "\n"))


def test_a_folder_is_shown_its_own_sessions_alone(home: Path, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (folder / "inside").mkdir()
    for agent, at in PLACES.items():
        known = agent_named(agent)
        write(home, agent, other, "theirs")
        assert list(transcripts_of(known, folder, os.environ)) == []
        with pytest.raises(BadInput) as caught:
            list(transcript_sections(known, "theirs", folder))
        assert caught.value.code == "no-such-log"
        ours = write(home, agent, folder / "inside" if agent != "gemini" else folder, "ours")
        os.utime(ours, (1, 1))
        assert [one.session for one in transcripts_of(known, folder, os.environ)] == ["ours"]
        theirs = transcript_at(known, str(home / at.format("theirs")), os.environ)
        assert not theirs.is_of(folder, known)


def test_a_session_has_the_name_that_its_agent_gives_it(home: Path, folder: Path) -> None:
    name = "01a21521-c305-7a61-aa6a-bbab2a035a53"
    for agent in PLACES:
        known = agent_named(agent)
        path = write(home, agent, folder, name)
        assert transcript_at(known, str(path), os.environ).session == name
        assert [one.session for one in transcripts_of(known, folder, os.environ)] == [name]
        assert "done." in "".join(transcript_sections(known, name, folder))


def test_a_transcript_that_cannot_be_read_hides_no_other(home: Path, folder: Path) -> None:
    claude = agent_named("claude")
    paths = [write(home, "claude", folder, name) for name in ("new", "gone", "old")]
    for age, path in enumerate(paths):
        os.utime(path, (100 - age, 100 - age))
    found = transcripts_of(claude, folder, os.environ)
    assert next(found).session == "new"
    paths[1].unlink()
    assert [one.session for one in found] == ["old"]


def test_only_files_where_an_agent_keeps_transcripts_are_read(home: Path, folder: Path) -> None:
    secret = home / ".ssh" / "id.jsonl"
    secret.parent.mkdir(parents=True)
    secret.write_text(json.dumps({"cwd": str(folder)}))
    there = write(home, "claude", folder)
    link = there.with_name("link.jsonl")
    link.symlink_to(secret)
    linked = there.parent.with_name("linked")
    linked.symlink_to(secret.parent)
    for named in (
        str(secret),
        str(link),
        str(linked / "id.jsonl"),
        f"{there.parent}/../../../.ssh/id.jsonl",
        f"{there}\0",
        f"{there}/deeper.jsonl",
        "relative.jsonl",
        "",
    ):
        with pytest.raises(BadInput) as caught:
            transcript_at(agent_named("claude"), named, os.environ)
        assert caught.value.code == "bad-transcript"
    there.unlink()
    there.mkdir()
    with pytest.raises(BadInput, match="cannot be read"):
        list(transcript_at(agent_named("claude"), str(there), os.environ).entries())


def test_an_agents_folder_may_be_elsewhere(
    home: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(home, "claude", folder)
    (home / ".claude").rename(tmp_path / "moved")
    path = tmp_path / "moved" / path.relative_to(home / ".claude")
    claude = agent_named("claude")
    with pytest.raises(BadInput):
        transcript_at(claude, str(path), os.environ)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert transcript_at(claude, str(path), os.environ).session == "s1"
    assert len(list(transcripts_of(claude, folder, os.environ))) == 1


def claude_line(text: str, **more: Any) -> str:
    return json.dumps({"type": "user", "message": {"content": text}, **more}) + "\n"


def test_what_cannot_be_read_is_named_and_counted(
    home: Path, folder: Path, place: ContextPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "MOST_LINE", 10_000)
    path = write(home, "claude", folder)
    whole = path.read_text()
    deep = "[" * 500 + "]" * 500
    bad = f'{{"half": \n\xff\n{deep}\n{claude_line("x" * 20_000)}{claude_line("behind it")}'
    path.write_text(f"{whole}{bad}" + '{"type": "user", "mess', "latin-1")
    told = keep(place, "claude", path)
    assert "In 4 places there something is left out, with the reason." in told
    copy = (place.store.folder / "history/claude/s1.md").read_text()
    n = whole.count("\n")
    assert f"    line {n + 1} is no entry: " in copy
    assert f"    line {n + 2} is no entry: not UTF-8 at byte 0" in copy
    assert f"    line {n + 3} is no entry: lists and objects go deeper than" in copy
    assert f"    line {n + 4} has {len(claude_line('x' * 20_000))} bytes" in copy
    assert "    behind it\n" in copy
    path.write_text(f"{whole}{bad}{claude_line('now it is whole')}", "latin-1")
    assert "In 4 places" in keep(place, "claude", path)
    assert (
        (place.store.folder / "history/claude/s1.md").read_text().endswith("    now it is whole\n")
    )


def test_secrets_and_data_do_not_get_into_a_copy(
    home: Path, folder: Path, place: ContextPlace
) -> None:
    path = write(home, "claude", folder)
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq\n" * 3
    content = [
        {"type": "tool_use", "name": "Bash", "input": {"command": f"password={SECRET}", "id": "7"}},
        {"type": "image", "source": {"data": "iVBO" * 1000}},
    ]
    with path.open("a") as stream:
        stream.write(json.dumps({"type": "assistant", "message": {"content": content}}) + "\n")
        stream.write(claude_line(key) + claude_line("## 9 prompt\nsaid\ud800 later"))
    keep(place, "claude", path)
    copy = (place.store.folder / "history/claude/s1.md").read_text()
    assert SECRET not in copy
    assert "command: password=[REDACTED:value:16]" in copy
    assert "    id: 7\n" in copy, "an input of the tool's, not the call's id"
    assert "[4000 characters of data left out]" in copy
    assert "MIIEow" not in copy
    assert "    ## 9 prompt\n    said\\ud800 later\n" in copy, "a key that has no end ends here"


def test_a_transcript_that_is_written_anew_loses_nothing(
    home: Path, folder: Path, place: ContextPlace
) -> None:
    path = write(home, "claude", folder)
    head = claude_line("first", cwd=str(folder))
    path.write_text(head + claude_line("ok") * 2 + claude_line("the secret place is B7"))
    keep(place, "claude", path)
    path.write_text(head + claude_line("a summary") + claude_line("ok") * 3)
    told = keep(place, "claude", path)
    copy = (place.store.folder / "history/claude/s1.md").read_text()
    assert copy.count("    ok\n") == 3, "said three times"
    assert "the secret place is B7" in copy
    assert "(6 prompts," in told
    assert [f"## {n} prompt" in copy for n in range(1, 8)] == [True] * 6 + [False]


def test_a_form_that_is_not_known_is_said(home: Path, folder: Path, place: ContextPlace) -> None:
    path = write(home, "claude", folder)
    path.write_text(json.dumps({"cwd": str(folder), "kind": "said", "what": "hello"}) + "\n")
    with pytest.raises(BadInput, match="nothing in it has the form") as caught:
        keep(place, "claude", path)
    assert caught.value.code == "bad-transcript"
    assert not list((place.store.folder / "history").rglob("*.md"))
    with pytest.raises(BadInput, match="nothing is known of its transcripts"):
        list(transcripts_of(agent_named("zed"), folder, os.environ))
    with pytest.raises(BadInput, match="its hook keeps them here"):
        list(transcripts_of(agent_named("opencode"), folder, os.environ))


def test_entries_that_a_hook_hands_over(place: ContextPlace) -> None:
    done = {"status": "completed", "input": {"command": "ls"}, "output": "a.py\nb.py"}
    told: list[object] = [
        {"info": {"role": "user", "id": "m"}, "parts": [{"type": "text", "text": "look"}]},
        {
            "info": {"role": "assistant"},
            "parts": [{"type": "tool", "tool": "bash", "state": done}],
        },
        "no entry",
        7,
    ]
    kept = keep_transcript(place, agent_named("opencode"), "ses/1", entries_told(told))
    text = kept.file.read_text()
    assert kept.file.parent.name == "opencode"
    assert "/" not in kept.file.name
    assert text.endswith(
        "## 1 prompt\n\n    look\n\n## 2 result\n\n    tool: bash\n    command: ls\n"
        "    a.py\n    b.py\n"
    )


def test_a_disk_that_takes_nothing_leaves_what_was_there(
    home: Path, folder: Path, place: ContextPlace
) -> None:
    path = write(home, "qwen", folder)
    place.store.folder.mkdir(parents=True)
    (place.store.folder / "history").write_text("a file")
    with pytest.raises(OutsideFailure) as caught:
        keep(place, "qwen", path)
    assert caught.value.code == "state-unwritable"


def test_a_copy_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.disk.store.transcript_copy.MOST_BYTES", 1000)
    copy = TranscriptCopy(tmp_path, "claude", "s")

    def build(_: Mapping[bytes, int]) -> Iterator[CopiedEntry]:
        return (CopiedEntry(bytes([n] * 8), "prompt", "x" * 300) for n in range(10))

    totals = copy.append(build)
    assert totals.kinds == {"prompt": 3, "left": 1}
    assert copy.file.read_text().endswith("    7 entries are left out: this file is full\n")


def test_old_copies_are_forgotten_with_the_logs(
    home: Path, folder: Path, place: ContextPlace
) -> None:
    for session in ("old", "new"):
        keep(place, "claude", write(home, "claude", folder, session), session)
    copies = place.store.folder / "history" / "claude"
    os.utime(copies / "old.md", (1, 1))
    now = (copies / "new.md").stat().st_mtime
    assert forget(place.store, Retention(), now + DAY).logs == 1
    assert sorted(path.name for path in copies.iterdir()) == [
        ".new.lock", ".new.seen-1", "new.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("files", "/etc/{session}", "transcript.files"),
        ("files", "~/.hal/all.jsonl", "transcript.files"),
        ("files", "~/*/{session}", "transcript.files"),
        ("files", "~/.ha?/{session}", "transcript.files"),
        ("files", "~/.hal/../{session}", "transcript.files"),
        ("folder", [], "transcript"),
        ("folder_sum", "sum", "transcript"),
        ("moved", {"HAL": "~/.ssh"}, "transcript.moved.HAL"),
        ("kinds", {"said": "speech"}, "transcript.kinds"),
    ],
)
def test_a_table_that_cannot_be_is_refused(key: str, value: object, where: str) -> None:
    form = {
        "files": "~/.hal/{session}.jsonl", "folder": ["cwd"], "kind": ["type"],
        "kinds": {"said": "answer"}, "body": ["text"],
    }  # fmt: skip
    record: dict[str, Any] = {"title": "HAL", "files": [], "transcript": form}
    hal = parse_agent("hal", record)
    assert hal.transcript is not None
    said = said_in({"type": "said", "text": "I am afraid I cannot."}, hal.transcript)
    assert said is not None
    assert (said.kind, said.text) == ("answer", "I am afraid I cannot.")
    with pytest.raises(BadInput) as caught:
        parse_agent("hal", {**record, "transcript": {**form, key: value}})
    assert caught.value.code == "bad-setting"
    assert str(caught.value.where).startswith(f"agents.hal.{where}")


def test_every_agent_with_transcripts_has_a_kept_one() -> None:
    known = [agent for agent in shipped_agents() if agent.transcript and agent.transcript.files]
    assert {agent.name for agent in known} == set(PLACES)
