"""What an agent in a fenced copy is shown of the home, and what comes back, as on an overlay."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.app.test_presets import AGENT, CHANGED, FILES, LEFT, LIFE, WRITTEN
from tests.e2e.folders import make_folder
from tests.support.live_stages import NEEDS_FENCE
from understudy.stage.copy.kind import CopyKind
from understudy.stage.copy.live_stage import LiveCopyStage
from understudy.stage.copy.stage import CopyStage
from understudy.stage.model import Additions, Command, StagePlan
from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.agents.given_back import HomeBefore
from understudy.workspace.stage_additions import named_places

pytestmark = NEEDS_FENCE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = Path(os.path.realpath(make_folder(tmp_path / "home", FILES)))
    make_folder(home / "project", {"README": "read me\n"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(home / ".local/state/understudy"))
    return home


@asynccontextmanager
async def living(
    home: Path, *places: str, read_only: tuple[str, ...] = (), data: Path | None = None
) -> AsyncIterator[CopyStage]:
    """A stage of the project that shows these places of the home."""
    kind = CopyKind(home / ".local/state/understudy/workspaces/one/stages")
    added = Additions(
        tuple(home / place for place in places), tuple(home / place for place in read_only),
        LIFE.variables, LIFE.sets,
    )  # fmt: skip
    asked = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    if data is not None:
        asked["XDG_DATA_HOME"] = str(data)
    try:
        yield await kind.open(StagePlan(home / "project", environ=asked, added=added, live=True))
    finally:
        await kind.close()


async def do(stage: CopyStage, script: str, **environ: str) -> str:
    """What a shell on the stage says; it has to end well."""
    said = bytearray()
    command = Command(("sh", "-c", script), environ={"PATH": "/usr/bin:/bin", **environ})
    ended = await stage.run(command, said.extend)
    assert ended.status == 0, said.decode()
    return said.decode()


def texts(home: Path) -> dict[str, str]:
    own = (home / ".local", home / "project")
    files = (path for path in home.rglob("*") if path.is_file())
    found = (path for path in files if not any(path.is_relative_to(one) for one in own))
    return {str(path.relative_to(home)): path.read_text() for path in found}


async def test_only_login_and_transcripts_come_back(home: Path) -> None:
    environ = {"HOME": str(home), "HAL_KEY": "x"}
    before = HomeBefore.of(LIFE, environ)
    (home / ".hal/other.json").chmod(0o600)
    shown = [place[2:] for place in (*LIFE.private, *LIFE.login, *LIFE.history)]
    async with living(home, *shown, read_only=(".hal/skills",)) as stage:
        assert stage.kind == "copy"
        await do(stage, AGENT, **environ)
        (home / ".hal/other.json").write_text('{"token": "the user\'s own"}')
        back = await before.give_back(stage)
    assert (back.written, dict(back.left)) == (WRITTEN, LEFT)
    assert texts(home) == CHANGED
    assert stat.S_IMODE((home / ".hal/other.json").stat().st_mode) == 0o600


async def test_a_login_that_nobody_touched_is_not_spoken_of(home: Path) -> None:
    """The user's own agent renews it meanwhile: the copy on the stage is no answer to that."""
    environ = {"HOME": str(home)}
    os.utime(home / ".hal/login.json", (1, 1))
    before = HomeBefore.of(LIFE, environ)
    async with living(home, ".hal/login.json", ".hal/talks") as stage:
        (home / ".hal/login.json").write_text('{"token": "renewed"}')
        back = await before.give_back(stage)
    assert (back.written, back.left) == ((), ())


async def test_a_folder_that_is_written_privately_is_a_copy_with_its_modes(home: Path) -> None:
    tool = make_folder(home / ".tool", {"run.sh": "#!/bin/sh\necho ran\n", "secret": "s", "a": "a"})
    (tool / "run.sh").chmod(0o750)
    (tool / "secret").chmod(0o400)
    make_folder(home / ".tool/only", {"read": "r"}).chmod(0o500)
    single = home / ".single.sh"
    single.write_text("#!/bin/sh\necho single\n")
    single.chmod(0o711)
    before = {path: path.lstat() for path in tool.rglob("*")}
    async with living(home, ".tool", ".single.sh") as stage:
        modes = await do(stage, "cd ~ && stat -c %a .tool/run.sh .tool/secret .tool/only")
        assert modes == "750\n400\n500\n"
        assert await do(stage, "stat -c %a ~/.single.sh; ~/.single.sh; ~/.tool/run.sh") == (
            "711\nsingle\nran\n"
        )
        await do(stage, "cd ~/.tool && echo b >> a && rm run.sh && mkdir new && echo x > new/x")
        assert await do(stage, "cat ~/.tool/a") == "ab\n"
    after = {path: path.lstat() for path in tool.rglob("*")}
    assert {p: (s.st_mode, s.st_mtime_ns, s.st_ctime_ns) for p, s in after.items()} == {
        p: (s.st_mode, s.st_mtime_ns, s.st_ctime_ns) for p, s in before.items()
    }
    assert (tool / "a").read_text() == "a"


async def test_no_link_leads_out_of_what_is_shown(home: Path) -> None:
    """A link stays one: what it leads to is shown, or not, by its own place."""
    tool = make_folder(home / ".tool", {"v1/x": "one"})
    for name, to in (
        ("within", "v1"), ("whole", str(tool / "v1")), ("beside", "../.hal/talks"),
        ("keys", "../.ssh"), ("key", str(home / ".ssh/id")), ("state", "../.local/state"),
        ("machine", "/etc"), ("gone", "nowhere"),
    ):  # fmt: skip
        (tool / name).symlink_to(to)
    (home / ".local/state/understudy").mkdir(parents=True, exist_ok=True)
    (home / ".local/state/understudy/trust.json").write_text("{}")
    async with living(home, ".tool", ".hal/talks") as stage:
        said = await do(stage, "cd ~/.tool && readlink -f within whole beside; pwd -P")
        within, whole, beside, tool_there = said.splitlines()
        assert within == whole == f"{tool_there}/v1"
        assert beside == f"{Path(tool_there).parent}/.hal/talks"
        await do(stage, "echo own > ~/.tool/beside/a.jsonl; echo two > ~/.tool/whole/x")
        await do(stage, "! cat ~/.tool/keys/id && ! cat ~/.tool/key && ! ls ~/.tool/state/*")
        await do(stage, "test -L ~/.tool/gone && test -L ~/.tool/keys && test -d ~/.tool/machine")
    assert (home / ".hal/talks/a.jsonl").read_text() == "one\n"
    assert (tool / "v1/x").read_text() == "one"


async def test_our_state_is_never_part_of_it(home: Path) -> None:
    make_folder(home / ".local/share", {"tool/x": "x"})
    make_folder(home / ".local/state", {"other/y": "y"})
    own = make_folder(
        home / ".local/state/understudy", {"trust.json": "{}", "workspaces/one/journal": "j"}
    )
    make_folder(home / ".config", {"understudy/understudy.toml": "", "tool/z": "z"})
    for shown in ((".local", ".config"), (".",), (".local/state/understudy", ".local/state")):
        async with living(home, *shown) as stage:
            found = await do(stage, "find -L ~ -name 'trust.json' -o -name understudy 2>/dev/null")
            assert found == "", shown
            await do(stage, "test -e ~/.local/state/other/y")
            # The fence lets names be listed, which its receipt says; nothing is read.
            await do(stage, f"! cat {own}/trust.json && ! cat {own}/workspaces/one/journal")
    async with living(home, read_only=(".local",)) as stage:
        assert await do(stage, "cat ~/.local/share/tool/x") == "x"
        await do(stage, "! cat ~/.local/state/understudy/trust.json && ! echo y > ~/.local/y")
    make_folder(own, {"turns/s.json": "{}", "setup/f.json": "{}"})
    for name in ("", "/workspaces", "/turns", "/setup"):
        place = f"~/.local/state/understudy{name}"
        with pytest.raises(BadInput, match="Understudy's own") as refused:
            named_places([place], {"HOME": str(home)}, "--home")
        assert refused.value.code == "unreadable-place"


async def test_a_part_that_is_read_alone_lies_in_a_copy(home: Path) -> None:
    """And the other way: a part of what is listed, which is read, is written."""
    make_folder(home / ".cache/pip", {"own/x": "x", "wheels/y": "y"})
    async with living(home, ".hal", ".cache/pip/own", read_only=(".hal/skills",)) as stage:
        await do(stage, "cd ~/.hal && echo x > secret && ! echo x >> skills/one.md && cat skills/*")
        await do(stage, "cd ~/.cache/pip && cat wheels/y && echo z > own/x && ! echo z > wheels/y")
    assert texts(home)[".hal/skills/one.md"] == "skill\n"
    assert texts(home)[".cache/pip/own/x"] == "x"


async def test_where_variables_put_the_home_of_programs(home: Path) -> None:
    make_folder(home / "data/hal", {"talks/a": "a"})
    environ = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": "/etc"}
    async with living(home, "data/hal/talks", data=home / "data") as stage:
        await do(stage, 'echo b >> "$XDG_DATA_HOME/hal/talks/a"', **environ)
        said = await do(stage, 'cat "$XDG_DATA_HOME/hal/talks/a"; echo $XDG_CONFIG_HOME', **environ)
        assert said == "ab\n/etc\n"
    assert (home / "data/hal/talks/a").read_text() == "a"


async def test_what_is_not_copied_is_said(home: Path, tmp_path: Path) -> None:
    tool = make_folder(home / ".tool", {"node_modules/p/index.js": "x", "a": "a"})
    os.mkfifo(tool / "pipe")
    elsewhere = make_folder(tmp_path / "elsewhere", {"x": "x"}).resolve()
    async with living(home, ".tool", str(elsewhere)) as stage:
        notes = "\n".join(stage.isolation.notes)
        assert "pipes, sockets and devices are not copied: ~/.tool/pipe" in notes
        assert f"read and not written: {elsewhere}" in notes
        await do(stage, f"cat {elsewhere}/x ~/.tool/node_modules/p/index.js")
        await do(stage, f"! echo y > {elsewhere}/x && ! echo y > ~/.tool/node_modules/p/index.js")
        assert (await stage.changes()).items == ()


async def test_a_copy_of_the_home_counts_for_nothing_that_was_written(home: Path) -> None:
    (home / ".hal/talks/large").write_bytes(b"x" * (4 << 20))
    async with living(home, ".hal/talks") as stage:
        assert isinstance(stage, LiveCopyStage)
        assert await stage.written() < 1 << 20
        await do(stage, "head -c 3000000 /dev/zero > ~/.hal/talks/more")
        assert await stage.written() > 2 << 20


async def test_a_home_that_is_too_large_is_refused_by_its_name(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.stage.copy.copier.MAX_ENTRIES", 4)
    make_folder(home / ".hal/talks", {f"{n}.jsonl": "x" for n in range(6)})
    with pytest.raises(OutsideFailure) as refused:
        async with living(home, ".hal/talks"):
            pass
    assert (refused.value.code, refused.value.where) == ("stage-too-large", f"{home}/.hal/talks")
    assert not list((home / ".local/state/understudy/workspaces/one/stages").glob("stage-*"))
