"""What the journal gives back: the very branches, or a named error."""

import asyncio
import contextlib
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.workspace import state_of, text_of
from understudy.disk.journal.file import SCHEMA_VERSION
from understudy.disk.journal.journal import Journal
from understudy.shadow.asks import Ask
from understudy.shadow.branch import Branch, BranchFile
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.texts import PackedText, Text

LONG = "".join(f"line {number}\r\n" for number in range(3000))


def packed(content: str | None, form: str = "utf-8", bom: bool = False) -> PackedText | None:
    return None if content is None else PackedText.pack(Text(content, form, bom))


def branch(number: int = 1, **files: tuple[str | None, str | None]) -> Branch:
    made = Branch(f"b{number}", f"title {number}", created=10.0 + number, used=20.0 + number)
    changes = {f"{name}.py": BranchFile(packed(b), packed(a)) for name, (b, a) in files.items()}
    return made.with_files(changes, made.used)


async def reopened(path: Path):
    journal = await Journal.open(path)
    held = await journal.load()
    await journal.close()
    return held


def texts_of(found: Branch) -> dict[str, tuple[object, ...]]:
    return {
        path: (
            file.base and file.base.unpack(),
            file.after and file.after.unpack(),
            file.origin,
        )
        for path, file in found.files.items()
    }


texts = st.none() | st.builds(
    lambda content, form: PackedText.pack(Text(content, *form)),
    st.text(max_size=40) | st.just(LONG) | st.just("caf\udce9"),
    st.sampled_from([("utf-8", False), ("utf-8", True)]),
)
names = st.text(min_size=1, max_size=8) | st.just("caf\udce9.py")
states = st.dictionaries(names, st.builds(BranchFile, texts, texts, st.none() | names), max_size=4)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(states, min_size=1, max_size=4))
def test_any_history_of_branches_comes_back_as_it_was(tmp_path: Path, steps: list):
    async def check() -> None:
        path = tmp_path / "journal.sqlite"
        path.unlink(missing_ok=True)
        journal = await Journal.open(path)
        now = Branch("b1", "caf\udce9", created=1.5, used=2.5)
        await journal.record(None, now)
        for number, files in enumerate(steps):
            after = now.with_files(files, 3.5 + number)
            await journal.record(now, after, [{"n": number, "odd": "\ud800"}])
            now = after
        sent = await journal.batches("b1")
        await journal.close()
        held = await reopened(path)
        (found,) = held.branches
        assert (found.id, found.title, found.created) == (now.id, now.title, now.created)
        assert (found.used, found.revision, found.stamp) == (now.used, now.revision, now.stamp)
        assert texts_of(found) == texts_of(now)
        assert sent == [[{"n": n, "odd": "\ud800"}] for n in range(len(steps))]
        assert held.next_number == 2

    asyncio.run(check())


async def test_a_text_that_branches_share_is_kept_once(tmp_path: Path):
    journal = await Journal.open(tmp_path / "journal.sqlite")
    for number in range(1, 21):
        await journal.record(None, branch(number, a=(LONG, LONG + str(number)), b=(LONG, None)))
    held = await journal.load()
    await journal.close()
    assert len({id(found.files["a.py"].base) for found in held.branches}) == 1
    count = sqlite3.connect(tmp_path / "journal.sqlite")
    assert count.execute("SELECT count(*) FROM blobs").fetchone() == (21,)
    count.close()


async def test_a_batch_that_cannot_be_written_leaves_the_branch_as_it_was(tmp_path: Path):
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path)
    first = branch(a=("1", "2"))
    await journal.record(None, first)
    second = first.with_files({"b.py": BranchFile(None, packed("x"))}, 9.0)
    await journal.record(first, second, ["batch"])
    third = first.with_files({"c.py": BranchFile(None, packed("y"))}, 9.0)
    with pytest.raises(OutsideFailure) as caught:
        await journal.record(first, third, ["the same revision again"])
    assert caught.value.code == "journal-failed"
    await journal.close()
    assert texts_of((await reopened(path)).branches[0]) == texts_of(second)


async def test_the_archive_lists_revives_and_purges(tmp_path: Path):
    journal = await Journal.open(tmp_path / "journal.sqlite")
    one, two = branch(1, a=("1", LONG)), branch(2, a=("1", "2"), b=(None, "3"))
    await journal.record(None, one)
    await journal.record(None, two)
    await journal.archive("b1", 100.0, "expired")
    await journal.archive("b2", 200.0, "discarded")
    held = await journal.load()
    assert held.branches == ()
    assert [(a.id, a.title, a.n_files, a.archived, a.ended) for a in held.archived] == [
        ("b1", "title 1", 1, 100.0, "expired"),
        ("b2", "title 2", 2, 200.0, "discarded"),
    ]
    back = await journal.revive("b2", 250.0)
    assert texts_of(back) == texts_of(two)
    assert await journal.purge(archived_before=100.0) == []
    assert await journal.purge(archived_before=100.5) == ["b1"]
    held = await journal.load()
    assert [found.id for found in held.branches] == ["b2"]
    assert held.archived == ()
    assert held.next_number == 3
    await journal.close()
    database = sqlite3.connect(tmp_path / "journal.sqlite")
    kept = {row[0] for row in database.execute("SELECT digest FROM blobs")}
    database.close()
    assert kept == {
        text.digest for f in two.files.values() for text in (f.base, f.after) if text is not None
    }


async def test_numbers_of_deleted_branches_do_not_come_back(tmp_path: Path):
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path)
    await journal.record(None, branch(1))
    await journal.archive("b1", 1.0, "discarded")
    await journal.purge(archived_before=2.0)
    await journal.close()
    assert (await reopened(path)).next_number == 2


async def test_only_the_user_reads_the_journal(tmp_path: Path):
    journal = await Journal.open(tmp_path / "journal.sqlite")
    await journal.record(None, branch(a=("1", "2")))
    modes = {path: state[2] for path, state in state_of(tmp_path).items() if "sqlite" in path}
    await journal.close()
    assert len(modes) == 3
    assert set(modes.values()) == {stat.S_IFREG | 0o600}


async def test_a_journal_of_a_newer_schema_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "journal.sqlite"
    await (await Journal.open(path)).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    database.close()
    before = state_of(tmp_path)
    with pytest.raises(Refused) as caught:
        await Journal.open(path)
    assert caught.value.code == "journal-newer"
    assert state_of(tmp_path)[str(path)][0] == before[str(path)][0]


@pytest.mark.parametrize("damage", ["not a database", "torn page", "missing text"])
async def test_a_damaged_journal_is_kept_aside_never_deleted(tmp_path: Path, damage: str):
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path)
    for number in range(1, 30):
        await journal.record(None, branch(number, a=(None, LONG + str(number))))
    await journal.close()
    if damage == "not a database":
        path.write_bytes(b"\xff" * 4096)
    elif damage == "torn page":
        data = bytearray(path.read_bytes())
        data[4096:12288] = b"\xaa" * 8192
        path.write_bytes(data)
    else:
        database = sqlite3.connect(path)
        database.execute("DELETE FROM blobs")
        database.commit()
        database.close()
    damaged = path.read_bytes()
    with pytest.raises(OutsideFailure) as caught:
        await reopened(path)
    assert caught.value.code == "journal-damaged"
    assert "journal.sqlite.damaged-1" in caught.value.text
    assert (tmp_path / "journal.sqlite.damaged-1").read_bytes() == damaged
    assert (await reopened(path)).branches == ()
    assert (tmp_path / "journal.sqlite.damaged-1").read_bytes() == damaged


async def test_a_closed_journal_says_so(tmp_path: Path):
    journal = await Journal.open(tmp_path / "journal.sqlite")
    await journal.close()
    await journal.close()
    with pytest.raises(OutsideFailure) as caught:
        await journal.record(None, branch())
    assert caught.value.code == "journal-failed"


def test_an_empty_branch_is_a_value():
    assert branch().files == MappingProxyType({})


@pytest.mark.parametrize("schema", range(1, SCHEMA_VERSION))
async def test_a_journal_of_a_schema_before_goes_on_as_it_was(tmp_path: Path, schema: int):
    """`journal-1.sql` is what the version before the second schema wrote, and so on."""
    path = tmp_path / "journal.sqlite"
    dump = Path(__file__).parent.parent / "data" / "states" / f"journal-{schema}.sql"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(dump.read_text())
    held = await reopened(path)
    (found,) = held.branches
    assert (found.id, found.title, found.revision, held.next_number) == (
        "b1",
        "a kept branch",
        1,
        3,
    )
    assert {
        name: (text_of(f.base), text_of(f.after), f.origin) for name, f in found.files.items()
    } == {
        "a.py": ("old\n", "new\n", None),
        "gone.py": ("gone\n", None, None),
        "moved.py": (None, "gone\n", "gone.py"),
    }
    assert [entry.id for entry in held.archived] == ["b2"]
    journal = await Journal.open(path)
    assert await journal.begun_accepts() == []
    assert (found.asks, found.n_asked) == (
        ((Ask(2, 1, "a.py", 0, 1, "longer"),), 2) if schema == 3 else ((), 0)
    )
    seen = packed("what the branch has not\n")
    asks = Ask(1, 1, "a.py", 0, 1, "shorter"), Ask(2, 1, "caf\udce9.py", 3, 5, "", seen)
    asked = replace(found, asks=asks, n_asked=7)
    await journal.record(found, asked)
    await journal.purge(0.0)
    assert (await journal.load()).branches == (asked,)
    await journal.record(asked, found)
    assert (await journal.load()).branches == (found,)
    assert await journal.batches("b1") == [[{"kind": "write", "path": "a.py", "text": "new\n"}]]
    await journal.close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
