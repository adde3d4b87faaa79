"""Scans are shared, and each caller's started after its call."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from understudy.disk.folder import scanner as scanner_module
from understudy.disk.folder.scan import Scan
from understudy.disk.folder.scanner import FolderScanner
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import OutsideFailure


class Folder:
    """Scans that take until they are let go; each scan is numbered in the order of its start."""

    def __init__(self) -> None:
        self.n_started = 0
        self.started = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.error: Exception | None = None

    def scan(self) -> Scan:
        self.n_started += 1
        number = self.n_started
        self.started.release()
        assert self.go.acquire(timeout=60)
        if self.error is not None:
            raise self.error
        return Scan({}, str(number))


@pytest.fixture
def folder() -> Iterator[Folder]:
    made = Folder()
    yield made
    for _ in range(10):
        made.go.release()


async def begun(folder: Folder) -> None:
    assert await asyncio.to_thread(folder.started.acquire, timeout=60)


async def test_who_asks_during_a_scan_shares_the_next_one(folder: Folder):
    scanner = FolderScanner(folder.scan)
    first = asyncio.ensure_future(scanner.fresh())
    await begun(folder)
    later = [asyncio.ensure_future(scanner.fresh()) for _ in range(5)]
    await asyncio.sleep(0)
    folder.go.release()
    assert (await first).environment == "1"
    folder.go.release()
    assert {result.environment for result in await asyncio.gather(*later)} == {"2"}
    assert folder.n_started == 2


async def test_one_callers_end_does_not_end_the_others(folder: Folder):
    scanner = FolderScanner(folder.scan)
    first = asyncio.ensure_future(scanner.fresh())
    await begun(folder)
    second, third = (asyncio.ensure_future(scanner.fresh()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    second.cancel()
    folder.go.release()
    folder.go.release()
    assert (await third).environment == "2"


@pytest.mark.parametrize("passes", range(5))
async def test_a_cancellation_that_comes_with_the_end_is_not_lost(folder: Folder, passes: int):
    """So many passes of the event loop after it: else who was cancelled goes on, with no limit."""
    with ThreadPoolExecutor(1) as executor:
        asyncio.get_running_loop().set_default_executor(executor)
        asked = asyncio.ensure_future(FolderScanner(folder.scan).fresh())
        await asyncio.sleep(0)
        assert folder.started.acquire(timeout=60)
        folder.go.release()
        executor.submit(int).result()  # the scan has ended, and the event loop does not know it yet
        for _ in range(passes):
            await asyncio.sleep(0)
        was_cancelled = asked.cancel()
        await asyncio.wait([asked])
    assert asked.cancelled() == was_cancelled


async def test_a_failure_reaches_all_who_share_it_and_the_next_scan_is_new(folder: Folder):
    scanner = FolderScanner(folder.scan)
    first = asyncio.ensure_future(scanner.fresh())
    await begun(folder)
    shared = [asyncio.ensure_future(scanner.fresh()) for _ in range(2)]
    await asyncio.sleep(0)
    folder.go.release()
    await first
    await begun(folder)
    folder.error = OSError("gone")
    folder.go.release()
    results = await asyncio.gather(*shared, return_exceptions=True)
    assert [type(result) for result in results] == [OSError, OSError]
    folder.error = None
    folder.go.release()
    assert (await scanner.fresh()).environment == "3"


async def test_a_scan_that_hangs_is_given_up_with_a_named_error(folder: Folder):
    scanner = FolderScanner(folder.scan)
    with pytest.raises(OutsideFailure) as caught:
        await scanner.fresh(timeout=0.01)
    assert caught.value.code == "folder-slow"
    folder.go.release()  # the loop's end waits for its threads


async def test_short_scans_run_at_once_without_a_thread(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scanner_module, "_INLINE_BELOW", 60.0)  # short also on a busy machine
    threads: list[int] = []

    def scan() -> Scan:
        threads.append(threading.get_ident())
        return Scan({}, "")

    scanner = FolderScanner(scan)
    await scanner.fresh()  # how long it takes is not known before
    await scanner.fresh()
    assert threads[1] == threading.get_ident()


async def test_a_scan_that_found_nothing_new_gives_the_very_same_value():
    found = iter(
        (
            Scan({"a.py": Fingerprint(1, 1, 1)}, ""),
            Scan({"a.py": Fingerprint(1, 1, 1)}, ""),
            Scan({"a.py": Fingerprint(2, 1, 1)}, ""),
        )
    )
    scanner = FolderScanner(lambda: next(found))
    first, second, third = [await scanner.fresh() for _ in range(3)]
    assert second is first
    assert third.files == {"a.py": Fingerprint(2, 1, 1)}
