"""What agents may read of skills: the files that the index of now vouches for, nothing beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import open_session
from understudy.app.context.search import SearchQuestion, search_context
from understudy.app.context.skills import index_skills, skill_file
from understudy.app.context.stored_text import StoredWish, stored_text
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.workspace.session import Session

SKILL = "---\nname: {}\ndescription: Mends the walrus.\n---\nFeed it first.\n"
ONE = ".agents/skills/one"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's, with a skill in it."""
    made = tmp_path / "home"
    write(made / ".claude/skills/mine/SKILL.md", SKILL.format("mine"))
    monkeypatch.setenv("HOME", str(made))
    return made


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


async def read(session: Session, path: Path | str) -> list[str]:
    return await stored_text(session, str(path), StoredWish("read"))


async def refused(session: Session, path: Path | str) -> str:
    with pytest.raises(BadInput) as caught:
        await read(session, path)
    return caught.value.code


async def test_what_a_search_finds_can_be_read_by_its_path(tmp_path: Path, home: Path) -> None:
    files = {f"{ONE}/SKILL.md": SKILL.format("one"), f"{ONE}/docs/more.md": "More.\n"}
    async with open_session(tmp_path, files, {}) as session:
        skills = index_skills(session.root, trusted=True)
        found = await search_context(
            session.context, session.workers, skills, SearchQuestion("walrus", kinds=("skills",))
        )
        paths = {hit.path for hit in found.hits}
        own, mine = session.root.path / ONE, home / ".claude/skills/mine"
        assert paths == {str(own / "SKILL.md"), str(mine / "SKILL.md")}
        for path in paths:
            head, *lines = await read(session, path)
            assert head.startswith(f"{path}: ")
            assert lines[-1] == "5: Feed it first."
        assert (await read(session, own / "docs/more.md"))[1] == "1: More."
        assert await refused(session, own / "gone.md") == "no-such-file"


async def test_nothing_beside_the_skills(tmp_path: Path, home: Path) -> None:
    files = {f"{ONE}/SKILL.md": SKILL.format("one"), "secret.txt": "s"}
    secret = write(home / "secret.txt", "s")
    write(home / "elsewhere/SKILL.md", SKILL.format("linked"))
    write(home / ".claude/skills/two/SKILL.md", SKILL.format("one"))  # shadowed by the project's
    write(home / ".claude/skills/broken/SKILL.md", "no frontmatter")
    async with open_session(tmp_path, files, {}) as session:
        project = session.root.path
        own = project / ONE
        (own / "link").symlink_to(secret)
        (own / "up").symlink_to(home, target_is_directory=True)
        (own / "loop").symlink_to(own / "loop")
        linked = project / ".agents/skills/linked"
        linked.symlink_to(home / "elsewhere", target_is_directory=True)
        hidden = project / ".agents/skills/hidden"
        hidden.mkdir()
        (hidden / "SKILL.md").symlink_to(home / "elsewhere/SKILL.md")
        for path in (
            project / "secret.txt", secret, own / "link", own / "up/secret.txt",
            f"{own}/../../../secret.txt", f"{ONE}/SKILL.md", own.parent, hidden / "SKILL.md",
            linked / "SKILL.md", home / ".claude/skills/two/SKILL.md",
            home / ".claude/skills/broken/SKILL.md",
        ):  # fmt: skip
            assert await refused(session, path) == "not-kept", path
        for path in (own, own / "loop", f"{own}/a\0b"):
            assert await refused(session, path) in ("no-such-file", "not-kept"), path


def test_a_project_that_is_not_trusted_has_none(tmp_path: Path, home: Path) -> None:
    file = write(tmp_path / "work" / ONE / "SKILL.md", SKILL.format("one"))
    root = Root.open(tmp_path / "work")
    assert skill_file(root, str(file), trusted=True) == file
    assert skill_file(root, str(file), trusted=False) is None
    mine = home / ".claude/skills/mine/SKILL.md"
    assert skill_file(root, str(mine), trusted=False) == mine


def test_a_users_skill_may_be_kept_elsewhere(tmp_path: Path, home: Path) -> None:
    """As programs that look after configuration files do: each is a link."""
    kept = write(home / "kept/SKILL.md", SKILL.format("kept"))
    write(home / "kept/secret.txt", "s")
    folder = home / ".agents/skills/kept"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to(kept)
    (folder / "secret.txt").symlink_to(home / "kept/secret.txt")
    root = Root.open(home.parent)
    assert skill_file(root, str(folder / "SKILL.md"), trusted=False) == kept
    assert skill_file(root, str(folder / "secret.txt"), trusted=False) is None
