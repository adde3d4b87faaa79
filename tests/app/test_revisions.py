"""A revision as a side: the folder turned back into it, whatever git does to files on the way."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.support.repositories import GitRepository, git
from tests.support.revisions import FILES, content, edits_against, session_in, snapshots
from understudy.app.check.check import check
from understudy.disk.folder.git_index import read_git_index
from understudy.workspace.options import CheckOptions
from understudy.workspace.revisions.sides import RevisionSides, revision_sides


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "project")
    made.commit(FILES)
    return made


async def test_nothing_differs(tmp_path: Path, repository: GitRepository):
    assert await edits_against(tmp_path) == {}


async def test_changed_new_deleted_and_renamed(tmp_path: Path, repository: GitRepository):
    repository.write({"a.txt": "one\nTWO\n", "new.txt": "n\n", "sub/b.txt": None, "x.dat": "y"})
    repository.git("mv", "link.txt", "moved.txt")
    async with session_in(tmp_path) as session:
        before, after = await snapshots(session)
        assert {path: content(before, path) for path in before.edits} == {
            "a.txt": "one\ntwo\n",
            "new.txt": None,
            "sub/b.txt": "bee\n",
            "link.txt": "kept\n",
            "moved.txt": None,
        }
        assert before.unread == {"x.dat"}
        assert after.origins == {"moved.txt": "link.txt"}
        assert content(after, "a.txt") == "one\nTWO\n"


async def test_staged_and_unstaged_are_one(tmp_path: Path, repository: GitRepository):
    repository.write({"a.txt": "staged\n"})
    repository.git("add", "a.txt")
    repository.write({"a.txt": "one\ntwo\n"})
    repository.write({"added.txt": "then deleted\n"})
    repository.git("add", "added.txt")
    repository.write({"added.txt": None})
    repository.git("rm", "-q", "--cached", "sub/b.txt")
    assert await edits_against(tmp_path) == {}


async def test_ignored_files_are_on_both_sides(tmp_path: Path, repository: GitRepository):
    repository.commit({".gitignore": "*.log.txt\nout/\n"})
    repository.write({"build.log.txt": "x", "out/o.txt": "o", "sub/.gitignore": "mine.txt\n"})
    repository.write({"sub/mine.txt": "m", ".git/info/exclude": "private.txt\n"})
    repository.write({"private.txt": "p"})
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session)
        assert dict(before.edits) == {}
        assert content(before, "out/o.txt") == "o"


@pytest.mark.parametrize("seed", range(6))
async def test_any_mixture_reads_as_the_revision(
    tmp_path: Path, repository: GitRepository, seed: int
):
    """Random work over several commits: `before` reads as the tree, for every path of it."""
    random_work(repository, random.Random(seed))
    tree = {
        path: git(repository.folder, "cat-file", "blob", f"HEAD:{path}")
        for path in git(repository.folder, "ls-tree", "-rz", "--name-only", "HEAD").split("\0")[:-1]
    }
    listed = repository.git("ls-files", "-z", "--others", "--cached", "--exclude-standard")
    known = {path for path in listed.split("\0") if path.endswith(".txt")} | tree.keys()
    async with session_in(tmp_path) as session:
        before, after = await snapshots(session)
        assert before.edits.keys() | before.unread, "the test is to change something"
        for path in known:
            if path.endswith(".txt"):
                assert content(before, path) == tree.get(path), path
                now = repository.folder / path
                assert content(after, path) == (now.read_text() if now.exists() else None)
                assert (path in before.edits) == (tree.get(path) != content(after, path)), path


def random_work(repository: GitRepository, choose: random.Random) -> None:
    for step in range(60):
        files = [p for p in repository.folder.rglob("*.txt") if ".git" not in p.parts]
        path = choose.choice(files) if files else repository.folder / "a.txt"
        kind = choose.choice(("edit", "back", "new", "delete", "move", "add", "commit", "mode"))
        if kind == "new" or not files:
            name = f"d{choose.randrange(3)}/n{step}.{choose.choice(('txt', 'txt', 'dat'))}"
            repository.write({name: f"new {step}\n" * choose.randrange(4)})
        elif kind == "edit":
            path.write_text(f"{path.read_text()}line {step}\n")
        elif kind == "back":
            path.write_text(path.read_text()[:-5])
        elif kind == "delete":
            path.unlink()
        elif kind == "move":
            path.rename(path.with_name(f"m{step}.txt"))
        elif kind == "mode":
            path.chmod(0o755)
        elif kind == "add":
            repository.git("add", "-A", choose.choice((".", path.parent)))
        elif step < 40:
            repository.commit()
    repository.write({"a.txt": "surely another\n"})


async def test_a_subfolder_as_root(tmp_path: Path):
    outer = GitRepository(tmp_path)
    outer.commit({".gitignore": "state/\n", "project/a.txt": "a\n", "other/o.txt": "o\n"})
    outer.write({"project/a.txt": "changed\n", "other/o.txt": "changed\n", "project/n.txt": "n"})
    assert await edits_against(tmp_path) == {"a.txt": "a\n", "n.txt": None}


async def test_a_branch_means_its_merge_base(tmp_path: Path, repository: GitRepository):
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit({"mine.txt": "m\n"})
    repository.git("checkout", "-q", "main")
    repository.commit({"a.txt": "theirs, later\n"})
    repository.git("tag", "later")
    repository.git("checkout", "-q", "topic")
    assert await edits_against(tmp_path, "main") == {"mine.txt": None}
    assert await edits_against(tmp_path, "later") == {
        "mine.txt": None, "a.txt": "theirs, later\n",
    }  # fmt: skip
    repository.git("update-ref", "refs/remotes/origin/main", "main")
    assert await edits_against(tmp_path, "origin/main") == {"mine.txt": None}
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "main")
        assert sides.revision.text.endswith("the merge base of main and HEAD")


async def test_the_empty_tree(tmp_path: Path, repository: GitRepository):
    empty = repository.git("mktree", stdin="").strip()
    edits = await edits_against(tmp_path, empty)
    assert edits == {"a.txt": None, "sub/b.txt": None, "link.txt": None}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("version", ["2", "3", "4"])
async def test_the_index_spares_reading(tmp_path: Path, object_format: str, version: str):
    """What the index knows is not read: an unreadable file that has not changed is no change."""
    repository = GitRepository(tmp_path / "project", f"--object-format={object_format}")
    repository.git("config", "index.version", version)
    repository.commit({**FILES, "sub/deeper/a-longer-name.txt": "x\n"})
    settle(repository)
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "HEAD")
        assert (await sides.before(await session.fresh_base())).edits == {}
        assert hashed(sides) == set()
        repository.write({"a.txt": "one\ntwX\n"})
        assert (await sides.before(await session.fresh_base())).edits.keys() == {"a.txt"}
        assert hashed(sides) == {"a.txt"}


def hashed(sides: RevisionSides) -> set[str]:
    return set(sides.worktree._hashed)


def settle(repository: GitRepository) -> None:
    """Let the index be younger than every file in it, as it is a moment after a checkout."""
    newest = max(path.stat().st_mtime_ns for path in repository.folder.rglob("*") if path.is_file())
    while (repository.folder / ".git/index").stat().st_mtime_ns <= newest:
        (repository.folder / ".git/index").touch()


async def test_a_change_within_the_clock_tick_of_the_index(
    tmp_path: Path, repository: GitRepository
):
    """Same size, same times: only the racy rule (the index is no younger) sees the change."""
    path = repository.folder / "a.txt"
    state = path.stat()
    path.write_text("one\ntwX\n")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    os.utime(repository.folder / ".git/index", ns=(0, state.st_mtime_ns))
    assert await edits_against(tmp_path) == {"a.txt": "one\ntwo\n"}


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\x01", b"\xff" * 400])
async def test_an_index_that_is_not_understood(
    tmp_path: Path, repository: GitRepository, damage: bytes
):
    """Its statistics are not used then; git itself may refuse, which is a named error."""
    path = tmp_path / "index"
    path.write_bytes(damage)
    assert read_git_index(path, b"", 20) == {}
    whole = (repository.folder / ".git/index").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert read_git_index(path, b"", 20) == {}


async def test_split_and_sparse(tmp_path: Path, repository: GitRepository):
    repository.git("update-index", "--split-index")
    repository.write({"a.txt": "changed\n"})
    assert (await edits_against(tmp_path)).keys() == {"a.txt"}
    repository.git("update-index", "--no-split-index")
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "elsewhere")
    assert not (repository.folder / "sub").exists()
    assert (await edits_against(tmp_path)).keys() == {"a.txt"}


LINE_ENDS = [
    # configuration, attributes, on disk, does it differ
    ("core.autocrlf", "true", "", "one\r\ntwo\r\n", False),
    ("core.autocrlf", "input", "", "one\r\ntwo\r\n", False),
    ("core.autocrlf", "false", "", "one\r\ntwo\r\n", True),
    ("core.autocrlf", "false", "*.txt text eol=crlf\n", "one\r\ntwo\r\n", False),
    ("core.autocrlf", "true", "*.txt -text\n", "one\r\ntwo\r\n", True),
    ("core.autocrlf", "true", "", "one\r\nTWO\r\n", True),
]


@pytest.mark.parametrize(("key", "value", "attributes", "text", "differs"), LINE_ENDS)
async def test_line_ends(
    tmp_path: Path,
    repository: GitRepository,
    key: str,
    value: str,
    attributes: str,
    text: str,
    differs: bool,
):
    repository.git("config", key, value)
    repository.commit({".gitattributes": attributes})
    repository.write({"a.txt": text})
    edits = await edits_against(tmp_path)
    assert edits.keys() == ({"a.txt"} if differs else set())
    if "TWO" in text:
        assert edits["a.txt"] == "one\r\ntwo\r\n", "as a checkout would have written it"


async def test_a_filtered_file_is_not_known(tmp_path: Path, repository: GitRepository):
    repository.commit({".gitattributes": "*.txt filter=upper\n"})
    repository.git("config", "filter.upper.clean", "tr a-z A-Z")
    repository.write({"a.txt": "changed\n"})
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "HEAD")
        before = await sides.before(await session.fresh_base())
        assert before.forgotten == {"a.txt"}
        checked = await check(session, sides.before, sides.after, CheckOptions())
        assert checked.report.verdict == "clean", "no findings after: clean needs no before"
        repository.write({"a.txt": "BAD\n"})
        checked = await check(session, sides.before, sides.after, CheckOptions())
        assert checked.report.verdict == "unknown"
        assert [finding.path for finding in checked.report.unattributed] == ["a.txt"]
        (file,) = checked.report.files
        assert file.reason is not None
        assert file.reason.code == "base-unknown"


async def test_a_filter_that_is_only_a_name(tmp_path: Path, repository: GitRepository):
    repository.commit({".gitattributes": "*.txt filter=nowhere\n"})
    repository.write({"a.txt": "changed\n"})
    assert await edits_against(tmp_path) == {"a.txt": "one\ntwo\n"}


@pytest.mark.parametrize("then", [b"\0binary", b"x" * (21 * 1024 * 1024)], ids=["binary", "huge"])
async def test_what_was_no_text_then(tmp_path: Path, repository: GitRepository, then: bytes):
    repository.commit({"a.txt": then})
    repository.write({"a.txt": "BAD\n"})
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "HEAD")
        checked = await check(session, sides.before, sides.after, CheckOptions())
        assert checked.report.verdict == "unknown"
        (repository.folder / "a.txt").unlink()
        checked = await check(session, sides.before, sides.after, CheckOptions())
        (file,) = checked.report.files
        assert file.reason is not None
        assert (file.verdict, file.reason.code) == ("unknown", "unproven"), "nobody proved anything"


@pytest.mark.parametrize("now", [b"\0binary", b"x" * (21 * 1024 * 1024)], ids=["binary", "huge"])
async def test_what_is_no_text_now(tmp_path: Path, repository: GitRepository, now: bytes):
    repository.write({"a.txt": now, "picture.png": now})
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "HEAD")
        checked = await check(session, sides.before, sides.after, CheckOptions())
        assert checked.report.verdict == "unknown"
        assert [file.path for file in checked.report.files] == ["a.txt"]
        assert checked.report.unjudged == ("picture.png",)


async def test_links(tmp_path: Path, repository: GitRepository):
    (repository.folder / "to.txt").symlink_to("sub/b.txt")
    (repository.folder / "away.txt").symlink_to("a.txt")
    repository.commit()
    repository.write({"sub/b.txt": "changed\n"})
    (repository.folder / "away.txt").unlink()
    (repository.folder / "away.txt").symlink_to("link.txt")
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session)
        assert {path: content(before, path) for path in before.edits} == {
            "sub/b.txt": "bee\n",
            "to.txt": "bee\n",
        }
        assert before.forgotten == {"away.txt"}


async def test_submodules_are_compared_with_their_commit(tmp_path: Path, repository: GitRepository):
    other = GitRepository(tmp_path / "other")
    first = other.commit({"s.txt": "s\n"})
    second = other.commit({"s.txt": "s2\n"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.folder, "m")
    git(repository.folder / "m", "checkout", "-q", first)
    repository.commit()
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session)
        assert (before.edits, before.unread) == ({}, frozenset())
    git(repository.folder / "m", "checkout", "-q", second)
    (repository.folder / "m" / "new.txt").write_text("new\n")
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session)
        assert {path: content(before, path) for path in before.edits} == {
            "m/s.txt": "s\n",
            "m/new.txt": None,
        }
        assert (before.unread, before.closed) == (frozenset(), {})


async def test_a_linked_work_tree(tmp_path: Path):
    main = GitRepository(tmp_path / "main")
    main.commit(FILES)
    main.git("worktree", "add", "-q", "-b", "side", tmp_path / "project")
    (tmp_path / "project" / "a.txt").write_text("changed\n")
    assert await edits_against(tmp_path) == {"a.txt": "one\ntwo\n"}


async def test_odd_names(tmp_path: Path, repository: GitRepository):
    names = ["with space.txt", 'quote".txt', "tab\t.txt", "line\nbreak.txt", "-dash.txt", ":x.txt"]
    names.append(os.fsdecode(b"latin-\xe9.txt"))
    repository.commit(dict.fromkeys(names, "then\n"))
    repository.write(dict.fromkeys(names, "now\n"))
    assert await edits_against(tmp_path) == dict.fromkeys(names, "then\n")
