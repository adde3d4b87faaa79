"""The store on a real disk: every byte comes back, nothing else is opened, what is used stays."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.context.events import Event
from understudy.disk.store.history_log import HistoryLog
from understudy.disk.store.retention import DAY, Retention, forget, forget_users
from understudy.disk.store.store import ContextStore
from understudy.values.errors import BadInput, OutsideFailure

BYTES = st.one_of(
    st.binary(max_size=3000),
    st.text(st.characters(codec=None)).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from([b"line\r\n", b"\n", b"\r", b"\0", b'{"a": 1}', b"\xff"])).map(
        b"".join
    ),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> ContextStore:
    return ContextStore(tmp_path_factory.mktemp("shared") / "context")


@settings(deadline=None, max_examples=60)
@given(BYTES, st.text(max_size=60))
def test_every_byte_comes_back(shared: ContextStore, data: bytes, label: str) -> None:
    blob = shared.put(data, label)
    assert shared.get(blob.path, blob.sha256) == data
    assert shared.put(data, label) == blob
    assert len(Path(blob.path).parts) == 2


def test_a_line_of_50_mb_and_nothing_at_all(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    for data in (b"x" * 50_000_000, b""):
        assert store.get(store.put(data, "cat").path) == data


def test_private(tmp_path: Path) -> None:
    store = ContextStore(tmp_path / "context")
    old = os.umask(0)
    try:
        blob = store.put(b'{"a":' + b"1" * 3000 + b"}", "api")
    finally:
        os.umask(old)
    files = [path for path in (tmp_path / "context").rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "context/tool").stat().st_mode) == 0o700
    assert blob.path.endswith(".json")
    twin = store.folder / blob.path.replace(".json", ".pretty.json")
    assert twin.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize(
    "path",
    [
        "../secret", "tool/../../secret", "/etc/passwd", "tool", "", "secret", "tool/\0",
        "tool/link.txt", "tool/folder", "search-1.sqlite",
    ],
)  # fmt: skip
def test_nothing_else_is_opened(tmp_path: Path, path: str) -> None:
    store = ContextStore(tmp_path / "context")
    store.put(b"x", "a")
    (tmp_path / "secret").write_text("secret")
    (store.folder / "tool/link.txt").symlink_to(tmp_path / "secret")
    (store.folder / "tool/folder").mkdir()
    with pytest.raises(BadInput) as caught:
        store.get(path)
    assert caught.value.code in ("bad-store-path", "no-such-blob")
    assert tmp_path / "context/tool/link.txt" not in store.files(), "nor is it searched"


def test_the_users_store_names_its_files_apart(tmp_path: Path) -> None:
    store, workspace = ContextStore(tmp_path / "user", "user"), ContextStore(tmp_path / "context")
    blob, other = store.put(b"x", "a"), workspace.put(b"x", "a")
    assert blob.path == f"user/{other.path}"
    assert store.get(blob.path, blob.sha256) == b"x"
    assert store.get(str(store.file_of(blob.path))) == b"x"
    (store.folder / "history").mkdir()
    (store.folder / "history/s.md").write_text("no log of the user's")
    for path in (
        other.path, f"/{blob.path}", f"x/../{blob.path}", f"user/{blob.path}", f"./{blob.path}",
        "user/../context/" + other.path, "user", "user/", "user/tool", "user/history/s.md",
        "user/README.md", "user/tool/\0", str(workspace.folder / other.path), "",
    ):  # fmt: skip
        with pytest.raises(BadInput) as caught:
            store.get(path)
        assert caught.value.code in ("bad-store-path", "no-such-blob")
    assert not workspace.contains(blob.path)
    assert store.put(b"[" + b"1," * 999 + b"1]", "b").path.endswith(".json")
    names = [store.name_of(file) for file in store.files()]
    assert [store.file_of(name) for name in names] == store.files()
    assert all(store.contains(name) for name in names)


def test_a_missing_and_an_altered_file_are_named(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    blob = store.put(b"exact", "a")
    file = tmp_path / blob.path
    file.write_bytes(b"exalt")
    with pytest.raises(OutsideFailure) as altered:
        store.get(blob.path)
    assert (altered.value.code, altered.value.where) == ("blob-altered", blob.path)
    assert store.put(b"exact", "a") == blob, "putting them again mends it"
    assert store.get(blob.path) == b"exact"
    file.unlink()
    with pytest.raises(BadInput) as missing:
        store.get(blob.path)
    assert missing.value.code == "no-such-blob"


def test_an_absolute_path_of_the_store_will_do(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    blob = store.put(b"x", "a")
    assert store.get(str(tmp_path / blob.path)) == b"x"
    assert store.contains(str(tmp_path / blob.path))
    assert not store.contains("/etc/passwd")


def test_a_write_that_fails_in_the_midst_leaves_no_receipt_and_no_file(tmp_path: Path) -> None:
    """By the limit on a file's size; `tests/app/test_full_disk.py` has a disk that is full."""
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from understudy.workspace.context_place import ContextPlace\n"
        "from understudy.app.context.put import put_output\n"
        "from understudy.app.context.record import record\n"
        "from understudy.context.policy import Policy\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))\n"
        "place = ContextPlace(*[Path(sys.argv[1])] * 2)\n"
        "done = put_output(place, b'y' * 100000, 'big')\n"
        "assert done.receipt is None and done.failure.code == 'state-unwritable', done\n"
        "for letter in 'yz':\n"
        "    entry = {'kind': 'result', 'tool': 'a', 'call': 'c', 'text': letter * 9000}\n"
        "    made = record(place, 's', [entry], Policy(ingest=4096))\n"
        "    print(made.events[0].ref != '', len(made.failures))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["True 0", "True 0"]
    assert [file.stat().st_size for file in (tmp_path / "tool").iterdir()] == [9000, 9000]
    assert len(HistoryLog(tmp_path, "s").read().events) == 2


def test_retention_never_takes_what_a_log_in_use_refers_to(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    used, unused, young = (store.put(name, "a") for name in (b"used", b"unused", b"young"))
    child = HistoryLog(tmp_path, "child")
    of_child = store.put(b"of the child", "a")
    child.append(lambda _: [Event(0, "result", ref=of_child.path)], 0)
    parent = HistoryLog(tmp_path, "parent")
    parent.append(
        lambda _: [Event(0, "result", ref=used.path), Event(0, "report", ref="history/child.md")], 0
    )
    HistoryLog(tmp_path, "old").append(lambda _: [Event(0, "user", text="x")], 0)
    now = parent.file.stat().st_mtime + 40 * DAY
    for file in store.files(("tool", "history")):
        if file.name not in ("parent.jsonl", Path(young.path).name):
            os.utime(file, (now - 35 * DAY, now - 35 * DAY))
    for file in (parent.file, tmp_path / young.path):
        os.utime(file, (now, now))
    done = forget(store, Retention(), now)
    assert (done.logs, done.files, done.size) == (1, 1, 6)
    assert not (tmp_path / unused.path).exists()
    assert not (tmp_path / "history/old.md").exists()
    for blob in (used, of_child, young):
        assert store.get(blob.path)
    assert child.read().events


def test_retention_by_size_takes_the_longest_unused_first(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    blobs = [store.put(f"{n}".encode() * 1000, "a") for n in range(5)]
    now = (tmp_path / blobs[0].path).stat().st_mtime + DAY
    for age, blob in enumerate(blobs, 1):
        os.utime(tmp_path / blob.path, (now - age * 7200, now - age * 7200))
    forget(store, Retention(total_bytes=2500), now)
    assert [(tmp_path / blob.path).exists() for blob in blobs] == [True, True, False, False, False]


def test_reading_makes_young_again_once_a_day(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    file = tmp_path / store.put(b"x", "a").path
    for hours, is_noted in ((30, True), (20, False)):
        then = file.stat().st_mtime - hours * 3600
        os.utime(file, (then, then))
        store.get(store.name_of(file))
        assert (file.stat().st_mtime != then) == is_noted


def test_the_users_store_heeds_the_logs_of_all_workspaces(tmp_path: Path) -> None:
    store = ContextStore(tmp_path / "user", "user")
    quoted, called, stale, unused = (store.put(n, "a").path for n in (b"1", b"2", b"3", b"4"))
    workspaces = [tmp_path / name for name in ("one", "two", "empty")]
    texts = ((f"[understudy] the whole is in {quoted}", 0), (f'{{"path":"{called}"}}', 40))
    for folder, (text, days) in zip(workspaces, texts, strict=False):
        log = HistoryLog(folder, "s")
        log.append(lambda _, text=text: [Event(0, "call", text=text)], 0)
        now = log.file.stat().st_mtime + 200 * DAY
        os.utime(log.file, (now - days * DAY, now - days * DAY))
    (workspaces[1] / "tidied").write_text("50.0\n")
    old = HistoryLog(workspaces[0], "old")
    old.append(lambda _: [Event(0, "user", text=f"see {stale}")], 0)
    assert forget_users(store, workspaces, Retention(), now).files == 2
    assert [store.contains(path) for path in (quoted, called, stale, unused)] == [1, 1, 0, 0]
    (workspaces[1] / "tidied").write_text("nan")
    assert forget_users(store, workspaces, Retention(), now).files == 1
    assert [store.contains(path) for path in (quoted, called)] == [True, False]
    os.utime(old.file, (now, now))
    old.file.write_text("{}\n")
    os.utime(old.file, (now, now))
    late = now + 20 * DAY
    assert forget_users(store, workspaces, Retention(total_bytes=0), late).files == 0


def test_nothing_is_forgotten_while_a_log_cannot_be_read(tmp_path: Path) -> None:
    store = ContextStore(tmp_path)
    blob = store.put(b"x", "a")
    (tmp_path / "history").mkdir()
    (tmp_path / "history/damaged.jsonl").write_text("{}\n")
    done = forget(store, Retention(blob_days=0), (tmp_path / blob.path).stat().st_mtime + DAY)
    assert (done.files, store.get(blob.path)) == (0, b"x")
