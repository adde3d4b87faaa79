"""The user goes on while a command lives on a stage: saves come in, and nobody's text is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.support.live_stages import Stage, living
from understudy.shadow.merge import merge_texts
from understudy.stage.live import Sightings
from understudy.stage.overlay.live_stage import LiveOverlayStage
from understudy.values.texts import Text
from understudy.workspace.rehearsals.place import Record, RehearsalPlace

LINES = [f"line {number}\n" for number in range(12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    for name in ("a", "b", "c", "sub/d"):
        (folder / f"{name}.txt").write_text("".join(LINES))
    return Path(os.path.realpath(folder))


async def test_saves_come_in_and_count_as_nobodys_edits(folder: Path, tmp_path: Path) -> None:
    async with living(folder, tmp_path / "state") as stage:
        await stage.do("cat a.txt b.txt sub/d.txt >/dev/null; cd sub; exec 7<d.txt; cat new.txt")
        for name in ("a.txt", "b.txt", "sub/d.txt"):
            stage.save(name, f"saved {name}\n", in_place=name == "b.txt")
        stage.save("sub/new.txt", "made\n")
        await stage.shows("../a.txt", "saved a.txt\n")
        await stage.shows("../b.txt", "saved b.txt\n")
        await stage.shows("d.txt", "saved sub/d.txt\n")
        await stage.shows("new.txt", "made\n")
        (folder / "c.txt").unlink()
        (folder / "sub/new.txt").unlink()
        await stage.shows("../c.txt", None)
        await stage.shows("new.txt", None)
        stage.save("sub/new.txt", "made again\n")
        await stage.shows("new.txt", "made again\n")
        await stage.do("echo more >> ../a.txt")
        edit = await stage.has("a.txt", "saved a.txt\nmore\n")
        assert (edit.base, edit.base_known) == (b"saved a.txt\n", True)
        assert all(one.after == one.base for one in stage.edits().values() if one.path != "a.txt")


async def test_saves_come_in_without_a_look_through_the_whole_stage(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would cost as much as a command has written, every so many saves."""
    lookers = set[str]()
    real = LiveOverlayStage.sightings

    async def looked(stage: LiveOverlayStage, enters: Callable[[str], bool]) -> Sightings:
        task = asyncio.current_task()
        lookers.add("" if task is None else task.get_name())
        return await real(stage, enters)

    monkeypatch.setattr(LiveOverlayStage, "sightings", looked)
    async with living(folder, tmp_path / "state", kind="overlay") as stage:
        await stage.do("exec 7<a.txt; cat b.txt >/dev/null; echo more >> c.txt")
        stage.save("a.txt", "saved\n")
        await stage.shows("a.txt", "saved\n")
        await stage.has("c.txt", "".join([*LINES, "more\n"]))
    assert "look through the stage" in lookers
    assert "keep the stage true" not in lookers


async def test_an_edit_of_the_old_text_takes_no_save_back(folder: Path, tmp_path: Path) -> None:
    """The kernel does not say of a file that is gone that the stage has copied it."""
    old = "".join(LINES)
    async with living(folder, tmp_path / "state") as stage:
        await stage.until(lambda: stage.rehearsal.truth.files.is_pinned)
        async with stage.rehearsal.truth.sweeper.turn:  # the save is not brought in before
            await stage.do("cat a.txt >/dev/null")
            stage.save("a.txt", "LINE 0\n" + "".join(LINES[1:]))
            await stage.do("echo more >> a.txt")
        edit = await stage.has("a.txt", f"{old}more\n")
        assert (edit.base, edit.base_known) == (None, False)


async def test_a_moment_without_a_text_makes_no_other_base(folder: Path, tmp_path: Path) -> None:
    old = "".join(LINES)
    saved = "LINE 0\n" + "".join(LINES[1:])
    async with living(folder, tmp_path / "state") as stage:
        truth = stage.rehearsal.truth
        await stage.until(lambda: truth.files.is_pinned)
        await stage.do("printf '\\0' > a.txt")
        await stage.until(lambda: "a.txt" in truth.sweeper.left_out)
        await stage.do("echo text > a.txt")
        edit = await stage.has("a.txt", "text\n")
        assert (edit.base, edit.base_known) == (old.encode(), True)
        async with truth.sweeper.turn:  # the saves are not brought in before
            await stage.do("cat b.txt c.txt >/dev/null")
            stage.save("b.txt", saved)
            stage.save("c.txt", saved)
            await stage.do("echo more >> b.txt; rm c.txt")
        assert not (await stage.has("b.txt", f"{old}more\n")).base_known
        await stage.do("printf '\\0' > b.txt")
        await stage.until(lambda: "b.txt" in truth.sweeper.left_out)
        await stage.do("echo text > b.txt")
        assert not (await stage.has("b.txt", "text\n")).base_known
        edit = await stage.has("c.txt", None)
        assert (edit.base, edit.base_known) == (old.encode(), True), "it collides with the save"
        await stage.do(f"printf '{saved}more\n' > c.txt".replace("\n", "\\n"))
        edit = await stage.has("c.txt", f"{saved}more\n")
        assert (edit.base, edit.base_known) == (saved.encode(), True), (
            "who has its lines has seen it"
        )


async def test_what_no_branch_can_hold_is_told(folder: Path, tmp_path: Path) -> None:
    for name in ("written.bin", "removed.bin"):
        (folder / name).write_bytes(b"\0")
    (folder / "away").symlink_to(tmp_path)
    async with living(folder, tmp_path / "state") as stage:
        await stage.do("echo text > written.bin; rm removed.bin away")
        await stage.do("mkdir away; echo text > away/f.txt; echo more >> a.txt")
        await stage.has("a.txt", "".join([*LINES, "more\n"]))
        binary = "your file is no text: the file is binary (it has NUL bytes)"
        away = "the link 'away' leads out of the root"
        told = {
            "written.bin": binary, "removed.bin": binary, "away": away, "away/f.txt": away,
        }  # fmt: skip
        await stage.until(lambda: stage.rehearsal.record.left_out == told)
        assert set(stage.edits()) == {"a.txt"}


async def test_a_save_leaves_what_no_branch_holds(folder: Path, tmp_path: Path) -> None:
    (folder / "b.bin").write_bytes(b"\0")
    async with living(folder, tmp_path / "state") as stage:
        truth = stage.rehearsal.truth
        await stage.do("printf '\\0' > a.txt; echo text > b.bin")
        await stage.until(lambda: truth.sweeper.left_out.keys() == {"a.txt", "b.bin"})
        stage.save("a.txt", "saved\n")
        stage.save("b.bin", "saved\n")
        n_looks = truth.n_looks + 3
        await stage.until(lambda: truth.n_looks >= n_looks)
        assert await stage.do("od -An -c a.txt; cat b.bin") == "  \\0\ntext\n"


async def test_both_sides_meet_on_the_stage_at_a_pause(folder: Path, tmp_path: Path) -> None:
    async with living(folder, tmp_path / "state", pause_s=0.0) as stage:
        await stage.do("sed -i 's/line 1$/agent/' a.txt b.txt")
        await stage.has("b.txt", "".join(["line 0\n", "agent\n", *LINES[2:]]))
        stage.save("a.txt", "".join([*LINES[:9], "user\n", *LINES[10:]]))
        stage.save("b.txt", "".join(["line 0\n", "user\n", *LINES[2:]]))
        merged = "".join(["line 0\n", "agent\n", *LINES[2:9], "user\n", *LINES[10:]])
        await stage.shows("a.txt", merged)
        edit = await stage.has("a.txt", merged)
        assert edit.base == (folder / "a.txt").read_bytes()
        await stage.until(lambda: stage.rehearsal.truth.collisions == {"b.txt"})
        assert "agent" in await stage.do("cat b.txt")


@pytest.mark.ring
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nobodys_text_is_lost(folder: Path, tmp_path: Path, seed: int) -> None:
    """Two writers race in three files, each in lines of its own; the model knows every merge."""
    chance = random.Random(seed)
    model = {name: list(LINES) for name in ("a.txt", "b.txt", "sub/d.txt")}
    user = {name: list(LINES) for name in model}
    async with living(folder, tmp_path / "state", pause_s=0.05) as stage:
        for step in range(20):
            name = chance.choice(sorted(model))
            line = chance.randrange(0, 12, 4)
            if chance.random() < 0.5:
                user[name][line] = model[name][line] = f"user {step}\n"
                stage.save(name, "".join(user[name]), in_place=chance.random() < 0.3)
            else:
                line += 2
                text = model[name][line] = f"agent {step}\n"
                way = chance.choice(("sed -i", "perl -i -pe", "in-place"))
                await stage.do(_edit(way, name, line, text))
            if chance.random() < 0.3:
                n_looks = stage.rehearsal.truth.n_looks + 2
                await stage.until(lambda n=n_looks: stage.rehearsal.truth.n_looks >= n)
        for name, lines in model.items():
            await stage.until(partial(_has_settled, stage, name, "".join(lines)))
    found = stage.edits()
    n_merged = 0
    for name, lines in model.items():
        edit = found.get(name)
        now = Text.decode((folder / name).read_bytes())
        assert now.content == "".join(user[name])
        if edit is None:
            assert lines == user[name]
            continue
        if not edit.base_known:
            continue  # either text could be its base: the user is asked, and both are kept
        base, after = (Text.decode(data or b"") for data in (edit.base, edit.after))
        merged = merge_texts(base, after, now)
        if merged.text is not None:  # else the user is asked: a save came and went unseen
            assert merged.text.content == "".join(lines), name
            n_merged += 1
    assert n_merged > 0


async def _has_settled(stage: Stage, name: str, text: str) -> bool:
    """Whether the shell sees all of both sides, or the path waits for the user to decide."""
    edit = stage.edits().get(name)
    is_asked = name in stage.rehearsal.truth.collisions
    if edit is not None and (is_asked or not edit.base_known):
        return (await stage.do(f"cat {name}")).encode() == edit.after
    return await stage.do(f"cat {name}") == text


def _edit(way: str, name: str, line: int, text: str) -> str:
    if way == "in-place":
        return f"sed '{line + 1}s/.*/{text.strip()}/' {name} > /tmp/x && cat /tmp/x > {name}"
    if way == "sed -i":
        return f"sed -i '{line + 1}s/.*/{text.strip()}/' {name}"
    return f"perl -i -pe 's/.*/{text.strip()}/ if $. == {line + 1}' {name}"


def test_a_record_of_before_collisions_and_ports_were_told_is_read(tmp_path: Path) -> None:
    place = RehearsalPlace(tmp_path, tmp_path)
    shown = ("http://b1.localhost:8000/",)
    record = Record("b1", ("sh",), 1, "/work", 2, collisions=("a.txt",), published=shown)
    place.write_record(record)
    assert place.record() == replace(record, left_out={})
    written = tmp_path / "rehearsal.json"
    told = json.loads(written.read_bytes())
    assert told.pop("collisions") == ["a.txt"]
    assert told.pop("published") == list(shown)
    written.write_text(json.dumps(told))
    assert place.record() == Record("b1", ("sh",), 1, "/work", 2, left_out={})
