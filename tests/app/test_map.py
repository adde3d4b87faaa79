"""Maps of folders: stable text, only what changed is read again, and no file is the end of it."""

import asyncio
import codecs
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.programs import worker_processes
from tests.support.workspace import state_of
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.workspace.outlines import mapper as map_module
from understudy.workspace.outlines.conclude import MapAnswer, MapWish
from understudy.workspace.outlines.mapper import Mapper
from understudy.workspace.progress import Progress
from understudy.workspace.workers import Workers

HANGS = Path(__file__).parent.parent / "data" / "hangs_the_parser.js"
UNREADABLE = (Path("/proc/self/mem"), Path("/proc/self/clear_refs"))
CORE = """\
class Engine:
    limit = 3

    def start_up(self, gear: int = 1) -> bool:
        def helper(): ...
        return True


def unused(): ...
"""
USER = "from app.core import Engine\n\n\ndef use{0}():\n    Engine().start_up()\n"


class Project:
    """A folder and a mapper of its own cache."""

    def __init__(self, tmp_path: Path, workers: Workers) -> None:
        self.folder = tmp_path / "project"
        self.cache = tmp_path / "cache.sqlite"
        self.workers = workers
        self.write("app/core.py", CORE)
        for number in range(4):
            self.write(f"app/user{number}.py", USER.format(number))
        self.steps: list[tuple[int, int]] = []

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    async def map(self, progress: Progress | None = None, **wish: object) -> MapAnswer:
        self.steps = []
        mapper = Mapper(self.workers, self.cache)
        wished = MapWish(**{"budget": 1000, **wish})
        return await mapper.map(Root.open(self.folder), wished, progress=progress or self._note)

    def _note(self, message: str, done: int, total: int) -> None:
        self.steps.append((done, total))

    def n_read(self) -> int:
        """How many files the last map read."""
        return self.steps[-1][1] if self.steps else 0


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers()
    yield made
    await made.close()


@pytest.fixture
def project(tmp_path: Path, workers: Workers) -> Project:
    return Project(tmp_path, workers)


async def test_the_most_referenced_come_first_with_what_holds_them(project: Project):
    before = state_of(project.folder)
    answer = await project.map(name="project")
    assert answer.text.splitlines() == [
        f"# map of project: 5 files, 29 lines, 7 declarations, stamp {answer.stamp}",
        "# most referenced first; START-END are lines; .gitignore is honoured",
        "app/core.py",
        " 1-6: class Engine",
        "  4-6: def start_up(self, gear: int = 1) -> bool: ...",
        " 9: def unused(): ...",
        *(
            line
            for number in range(4)
            for line in (f"app/user{number}.py", f" 4-5: def use{number}(): ...")
        ),
    ]
    assert state_of(project.folder) == before


async def test_only_what_changed_is_read_again(project: Project):
    first = await project.map()
    assert project.steps[0] == (0, 5)
    assert project.steps[-1] == (5, 5)
    assert await project.map() == first
    assert project.n_read() == 0
    os.utime(project.folder / "app/core.py")
    assert (await project.map()).text == first.text
    project.write("app/user2.py", "from app.core import unused\nunused()\n")
    project.write("app/new.py", "class New: ...\n")
    (project.folder / "app/user3.py").unlink()
    changed = await project.map()
    assert project.n_read() == 2
    assert "class New" in changed.text
    assert "use3" not in changed.text
    assert changed.stamp != first.stamp


async def test_a_text_that_is_known_is_not_parsed_again_elsewhere(
    project: Project, tmp_path: Path, workers: Workers
):
    await project.map()
    twin = Project(tmp_path / "twin", workers)
    twin.cache = project.cache
    begun = worker_processes()
    before = sum(child.cpu_times().user for child in begun)
    await twin.map()
    assert twin.n_read() == 5  # it is read, but the content is in the cache
    assert sum(child.cpu_times().user for child in begun) - before < 2


async def test_the_same_tree_gives_the_same_text_from_any_cache(project: Project, tmp_path: Path):
    first = await project.map(budget=120)
    project.cache = tmp_path / "other.sqlite"
    assert await project.map(budget=120) == first
    assert len(first.text.encode()) <= 480


async def test_the_task_and_the_budget_change_the_text_not_the_reading(project: Project):
    project.write("app/side.py", "class Sidecar: ...\n")
    project.write("app/task.py", "from app.side import Sidecar\nSidecar()\n")
    plain = await project.map()
    task = await project.map(task=("app/task.py", "no/such.py"))
    assert project.n_read() == 0
    assert "# weighted for app/task.py\n# not in it: 1 of the task\n" in task.text
    assert plain.text.index("class Engine") < plain.text.index("class Sidecar")
    assert task.text.index("class Sidecar") < task.text.index("class Engine")
    assert await project.map() == plain


async def test_unsaved_text_and_a_branch_lie_over_the_folder(project: Project, workers: Workers):
    overlay = {
        "app/core.py": PackedText.pack(Text(CORE.replace("Engine", "Motor"))),
        "app/user0.py": None,
        "app/fresh.py": PackedText.pack(Text("from app.core import Motor\nMotor()\n")),
        "README.md": PackedText.pack(Text("# no source\n")),
    }
    mapper = Mapper(workers, project.cache)
    answer = await mapper.map(Root.open(project.folder), MapWish(1000), overlay)
    assert "class Motor" in answer.text
    assert "use0" not in answer.text
    assert answer.n_files == 5
    assert answer.missing == {}
    assert "class Engine" in (await project.map()).text


async def test_what_is_no_source_is_left_out_and_what_cannot_be_read_is_counted(project: Project):
    project.write("binary.py", b"\0\1\2")
    project.write("huge.py", b"#" * (20 * 1024 * 1024 + 1))
    project.write("notes.md", "# Notes\n")
    project.write("plain", "no script\n")
    project.write("tool", "#!/usr/bin/env python3\ndef tool_main(): ...\n")
    project.write("wide.py", codecs.BOM_UTF16_LE + "def wide_one(): ...\n".encode("utf-16-le"))
    project.write("latin.py", "def latin_one(): '\xe9'\n".encode("latin-1"))
    project.write("empty.py", b"")
    (project.folder / "loop").symlink_to(project.folder)
    answer = await project.map()
    for name in ("tool_main", "wide_one", "latin_one"):
        assert f"def {name}()" in answer.text
    assert answer.missing == {"too-large": 1, "folders behind links": 1}
    assert answer.unread == (("huge.py", "too-large"),)
    assert "# not in it: 1 folders behind links, 1 too-large" in answer.text


async def test_a_file_that_cannot_be_read_is_counted_and_tried_again_when_it_changes(
    project: Project,
):
    """Nobody may read it, not even the superuser, if it is a part of the kernel's own files."""
    unreadable = next(path for path in UNREADABLE if path.exists())
    (project.folder / "kernel.py").symlink_to(unreadable)
    answer = await project.map()
    assert answer.unread == (("kernel.py", "unreadable"),)
    (project.folder / "kernel.py").unlink()
    project.write("kernel.py", "def kernel_one(): ...\n")
    assert (await project.map()).unread == ()


async def test_a_poisonous_file_costs_one_worker_and_is_marked(
    project: Project, workers: Workers, monkeypatch: pytest.MonkeyPatch
):
    """The grammar never returns from these bytes; the files around it are mapped all the same."""
    monkeypatch.setattr(map_module, "_FILE_SECONDS", 3.0)
    project.write("app/hangs.js", HANGS.read_bytes())
    answer = await project.map()
    assert answer.unread == (("app/hangs.js", "work-too-long"),)
    assert answer.missing == {"work-too-long": 1}
    assert "class Engine" in answer.text
    assert answer.n_files == 5
    assert project.steps[-1] == (6, 6)
    again = await project.map()
    assert (again, project.n_read()) == (answer, 0)
    project.write("app/hangs.js", "function mended() {}\n")
    mended = await project.map()
    assert (mended.unread, project.n_read()) == ((), 1)
    assert "function mended()" in mended.text


async def test_a_worker_that_is_killed_costs_the_file_it_was_at(project: Project):
    for number in range(40):
        project.write(f"big/b{number}.py", f"def big{number}(): ...\n" + "x = [1, 2]\n" * 9000)
    killed: list[int] = []

    def kill_one(message: str, done: int, total: int) -> None:
        if done and not killed:
            child = worker_processes()[0]
            killed.append(child.pid)
            os.kill(child.pid, signal.SIGKILL)

    answer = await project.map(kill_one)
    assert killed
    assert len(answer.unread) <= 1
    assert {reason for _, reason in answer.unread} <= {"worker-died"}
    assert answer.n_files == 45 - len(answer.unread)


async def test_one_map_at_a_time_and_giving_up_leaves_nothing(project: Project, workers: Workers):
    mapper = Mapper(workers, project.cache)
    wish = MapWish(1000)
    root = Root.open(project.folder)
    first, second = await asyncio.gather(mapper.map(root, wish), mapper.map(root, wish))
    assert first == second
    task = asyncio.ensure_future(mapper.map(root, wish))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await mapper.map(root, wish) == first


async def test_what_cannot_be_mapped(project: Project, tmp_path: Path):
    with pytest.raises(BadInput) as caught:
        await project.map(budget=10)
    assert caught.value.code == "budget-too-small"
    empty = tmp_path / "nothing"
    empty.mkdir()
    project.folder = empty
    answer = await project.map()
    assert answer.text.startswith("# map of .: 0 files, 0 lines, 0 declarations")
