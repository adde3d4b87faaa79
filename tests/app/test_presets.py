"""What an agent on a stage is shown, what the user agrees to, and what comes back to the home."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import tarfile
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.support.stages.field import playing, sh
from understudy.disk.agreements import agree, has_agreed
from understudy.disk.layout import trust_file
from understudy.stage.model import Additions
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace.agents.catalogue import shipped_agents
from understudy.workspace.agents.given_back import GivenBack, HomeBefore
from understudy.workspace.agents.presets import check_agreed, preset_of
from understudy.workspace.agents.profile import LifeOnStage, parse_agent

LIFE = LifeOnStage(
    private=("~/.hal.json", "~/.hal/settings.json"), read_only=("~/.hal/skills",),
    login=("~/.hal/login.json", "~/.hal/other.json"), history=("~/.hal/talks",),
    variables=("HAL_KEY",), sets={"HAL_SANDBOX": "off"},
)  # fmt: skip
FILES = {
    ".hal.json": '{"servers": {}}', ".hal/settings.json": "{}", ".hal/skills/one.md": "skill\n",
    ".hal/login.json": '{"token": 1}', ".hal/other.json": '{"token": 2}',
    ".hal/talks/a.jsonl": "one\n", ".hal/talks/b.jsonl": "one\n", ".hal/secret": "secret\n",
    ".ssh/id": "key\n",
}  # fmt: skip
AGENT = """set -e
test "$(cat ~/.hal/skills/one.md)" = skill
test ! -e ~/.ssh && test ! -e ~/.hal/secret
test "$HAL_KEY$HAL_SANDBOX" = xoff
echo '{"servers": {"evil": {"command": "evil"}}}' > ~/.hal.json
printf '{"hooks": "evil"}' > ~/.hal/settings.json
! echo more >> ~/.hal/skills/one.md
echo '{"token": 10}' > ~/.hal/new && mv ~/.hal/new ~/.hal/login.json
echo '{"token": 20}' > ~/.hal/other.json
echo two >> ~/.hal/talks/a.jsonl
echo other > ~/.hal/talks/b.jsonl
mkdir -p ~/.hal/talks/deep && echo new > ~/.hal/talks/deep/c.jsonl
ln -s /etc/passwd ~/.hal/talks/link
ln -s ../../.ssh ~/.hal/talks/out
mkfifo ~/.hal/talks/pipe
echo x > ~/.hal/hooks.json
"""
WRITTEN = ("~/.hal/login.json", "~/.hal/talks/a.jsonl", "~/.hal/talks/deep/c.jsonl")
LEFT = {
    "~/.hal/other.json": "it has changed in your home meanwhile",
    "~/.hal/talks/b.jsonl": "it was rewritten, not continued",
}
CHANGED = {
    **FILES, ".hal/login.json": '{"token": 10}\n', ".hal/talks/a.jsonl": "one\ntwo\n",
    ".hal/talks/deep/c.jsonl": "new\n", ".hal/other.json": '{"token": "the user\'s own"}',
}  # fmt: skip
"""What the agent's work leaves in a home in which `other.json` has changed meanwhile."""


async def test_only_login_and_transcripts_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_folder(tmp_path / "home", FILES)
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "HAL_KEY": "x"}
    monkeypatch.setenv("HOME", str(home))
    added = Additions(
        tuple(home / p[2:] for p in (*LIFE.private, *LIFE.login, *LIFE.history)),
        (home / ".hal/skills",), LIFE.variables, LIFE.sets,
    )  # fmt: skip
    before = HomeBefore.of(LIFE, environ)
    async with (
        playing(tmp_path / "field") as field,
        field.stage(environ=environ, added=added) as stage,
    ):
        said = await sh(stage, AGENT, environ=environ)
        assert said.ended.status == 0, said.text
        (home / ".hal/other.json").write_text('{"token": "the user\'s own"}')
        back = await before.give_back(stage)
    assert (back.written, dict(back.left)) == (WRITTEN, LEFT)
    now = {str(p.relative_to(home)): p.read_text() for p in home.rglob("*") if p.is_file()}
    assert now == CHANGED


@pytest.mark.parametrize(
    "text", ["[]", "#!/bin/sh\n", '{"a": "' + "x" * (1 << 20) + '"}', "[" * 200_000]
)
async def test_what_is_no_login_does_not_come_back(tmp_path: Path, text: str) -> None:
    home = make_folder(tmp_path / "home", {".hal/login.json": "{}"})
    life = LifeOnStage(login=LIFE.login[:1])
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    before = HomeBefore.of(life, environ)
    async with playing(tmp_path / "field") as field:
        (field.project / "new").write_text(text)
        added = Additions((home / ".hal/login.json",))
        async with field.stage(environ=environ, added=added) as stage:
            await sh(stage, "cat new > ~/.hal/login.json", environ=environ)
            back = await before.give_back(stage)
    assert back.written == ()
    assert [path for path, _ in back.left] == ["~/.hal/login.json"]
    assert (home / ".hal/login.json").read_text() == "{}"


async def given_back(tmp_path: Path, home: Path, archive: bytes) -> GivenBack:
    """What comes of an archive that an agent has put in the place of its home's own."""
    path = tmp_path / "field/project/bin"
    environ = {"HOME": str(home), "PATH": f"{path}:/usr/bin:/bin"}
    before = HomeBefore.of(LIFE, environ)
    async with playing(tmp_path / "field") as field:
        make_folder(path, {"tar": f"#!/bin/sh\ncat {path}/archive\n"})
        (path / "tar").chmod(0o755)
        (path / "archive").write_bytes(archive)
        async with field.stage(environ=environ) as stage:
            return await asyncio.wait_for(before.give_back(stage), 60)


def archived(name: str, data: bytes = b"", **pax: str) -> bytes:
    """An archive of one file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size, member.pax_headers = len(data), pax
        archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


async def test_no_place_is_read_that_an_archive_only_names(tmp_path: Path) -> None:
    home = make_folder(tmp_path / "home", {".hal/talks/a.jsonl": "one\n", "key": "key"})
    for name in ("key", ".hal/talks/../../key", str(home / "key")):
        back = await given_back(tmp_path, home, archived(name, b"key"))
        assert dict(back.left) == {f"~/{name}": "not where it keeps transcripts"}


async def test_an_archive_that_no_tar_has_made_ends_early(tmp_path: Path) -> None:
    home = make_folder(tmp_path / "home", {".hal/talks/a.jsonl": "one\n"})
    members = [archived(".hal/talks/b.jsonl", b"b")[:1024], archived("x", path="x\0y")[:1536]]
    odd = {"GNU.sparse.map": "x", "GNU.sparse.size": "1"}
    back = await given_back(tmp_path, home, b"".join((*members, archived("z", b"", **odd))))
    assert back.written == ("~/.hal/talks/b.jsonl",)
    (end, said), nul = back.left
    assert (end, nul) == ("~", ("~/x\0y", "not where it keeps transcripts"))
    assert said.startswith("the archive ends early: ")


async def test_a_file_of_holes_is_not_taken(tmp_path: Path) -> None:
    home = make_folder(tmp_path / "home", {".hal/talks/a.jsonl": "one\n"})
    holes = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 20)}
    back = await given_back(tmp_path, home, archived(".hal/talks/b.jsonl", b"b", **holes))
    assert back.left == (("~/.hal/talks/b.jsonl", "no regular file"),)
    assert back.written == ()


async def test_no_pipe_in_the_home_is_read(tmp_path: Path) -> None:
    home = make_folder(tmp_path / "home", {".hal/talks/a.jsonl": "one\n"})
    os.mkfifo(home / ".hal/talks/pipe")
    kept_open = os.open(home / ".hal/talks/pipe", os.O_RDWR)
    try:
        back = await given_back(tmp_path, home, archived(".hal/talks/pipe", b"x"))
    finally:
        os.close(kept_open)
    assert dict(back.left) == {"~/.hal/talks/pipe": "what is there is no regular file"}
    assert (home / ".hal/talks/pipe").is_fifo()


async def test_what_cannot_be_read_in_the_home_is_not_replaced(tmp_path: Path) -> None:
    home = make_folder(tmp_path / "home", {".hal/talks/a.jsonl": "one\n"})
    (home / ".hal/talks/b.jsonl").symlink_to("/proc/self/mem")  # a regular file, of which no byte
    back = await given_back(tmp_path, home, archived(".hal/talks/b.jsonl", b"x"))
    assert (back.written, back.left) == ((), (("~/.hal/talks/b.jsonl", os.strerror(errno.EIO)),))


def test_a_preset_is_found_by_the_program_and_agreed_to_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "state"))
    assert preset_of(("make",)) is None
    assert preset_of(()) is None
    preset = preset_of(("/opt/x/codex", "exec", "work"))
    assert preset is not None
    off = ("--sandbox", "danger-full-access")
    assert preset.argv(("codex", "exec")) == ("codex", *off, "exec")
    assert preset.argv(("codex", "exec", *off)) == ("codex", "exec", *off)
    with pytest.raises(Refused) as refused:
        check_agreed(preset)
    assert refused.value.code == "not-agreed"
    for opened in ("api.openai.com", "~/.codex/auth.json", "OPENAI_API_KEY", "danger-full-access"):
        assert opened in refused.value.text
    agree("codex", preset.digest)
    check_agreed(preset)
    assert not has_agreed("codex", "another digest")
    assert not has_agreed("claude", preset.digest)
    trust_file().with_name("agreed.json").write_text("{")
    with pytest.raises(OutsideFailure, match="agreed"):
        check_agreed(preset)


@pytest.mark.parametrize(
    ("life", "where"),
    [
        ({"login": ["~/.hal/settings.json"]}, "rehearsal"),
        ({"history": ["~/.hal/hooks"]}, "rehearsal"),
        ({"login": ["~/.hal/config.toml"]}, "rehearsal"),
        ({"login": ["~/.hal.json"], "private": ["~/.hal.json"]}, "rehearsal"),
        ({"login": ["/etc/passwd"]}, "rehearsal.login"),
        ({"private": ["~/../x"]}, "rehearsal.private"),
        ({"read_only": ["~"]}, "rehearsal.read_only"),
        ({"hosts": ["http://x"]}, "rehearsal.hosts"),
        ({"host": ["x.org"]}, "rehearsal.host"),
    ],
)
def test_a_preset_that_cannot_be_is_refused(life: dict[str, list[str]], where: str) -> None:
    record = {"title": "HAL", "binary": "hal", "files": [], "rehearsal": life}
    with pytest.raises(BadInput) as refused:
        parse_agent("hal", record)
    assert refused.value.code == "bad-setting"
    assert refused.value.where == f"agents.hal.{where}"


def test_every_client_that_the_tests_drive_has_a_preset() -> None:
    lives = {agent.name: agent.rehearsal for agent in shipped_agents()}
    for name in ("claude", "codex", "copilot", "gemini", "opencode", "qwen", "aider"):
        assert lives[name] is not None, name
