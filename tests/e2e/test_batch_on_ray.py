"""`understudy batch --on ray`: a cluster of its own, of which workers, seats and driver die."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.command_line import Shell
from tests.e2e.test_cli_batch import RIGHT, Batch, without_times
from tests.support.programs import children_with
from tests.support.servers import python_packages
from understudy.app.batch.on_ray import refuse_unheard
from understudy.values.errors import OutsideFailure

N_ROWS = 40


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    made = Batch(tmp_path)
    packages = {"PYTHONPATH": str(python_packages("ray"))}
    made.shell = Shell(made.shell.folder, made.shell.state, packages)
    return made


def below(pid: int, word: str) -> list[psutil.Process]:
    """What a process has started, however far down, whose command line has the word."""
    return children_with(word, pid, recursive=True)


def await_rows(process: subprocess.Popen[bytes], out: Path, n_rows: int) -> None:
    while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < n_rows):
        os.sched_yield()
    assert process.poll() is None, process.communicate()


def turns() -> Iterator[tuple[str, int]]:
    """Whom to kill, and after how many rows."""
    yield "seat_process", 3
    yield "ray::SeatHolder", 12


def test_kills_lose_and_double_nothing(batch: Batch) -> None:
    rows = [
        batch.row(
            f"r{n:02}", RIGHT.replace("n + n", f"n * {n + 3}" if n % 3 else f"str({n})"),
            base_commit=(batch.first, batch.second)[n % 2],
        )
        for n in range(N_ROWS)
    ]  # fmt: skip
    file, mirrors = batch.write(rows), batch.folder / "mirrors.json"
    ask = ("batch", file, "-o", batch.out, "--mirrors", mirrors, "--format", "json")
    on_ray = (*ask, "--on", "ray", "--seats", "2")
    process = batch.shell.start(*on_ray)
    for word, n_rows in turns():
        await_rows(process, batch.out, n_rows)
        below(process.pid, word)[0].kill()
    await_rows(process, batch.out, 20)
    seats = below(process.pid, "seat_process")
    started = [*seats, *(child for one in seats for child in one.children(recursive=True))]
    started += [*below(process.pid, "ray::SeatHolder"), *below(process.pid, "raylet")]
    process.kill()
    process.communicate(timeout=60)
    _, alive = psutil.wait_procs(started, timeout=60)
    assert (len(seats) >= 1, alive) == (True, [])
    n_before = batch.out.read_bytes().count(b"\n")
    process = batch.shell.start(*on_ray)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    told = json.loads(out)
    assert (told["missing"], told["seats_lost"], told["found"]) == (0, 0, n_before), said
    killed = batch.rows()
    assert len(killed) == N_ROWS
    batch.out.unlink()
    quiet = batch.shell(*ask)
    assert quiet.code == 0, quiet
    assert {name: without_times(row) for name, row in killed.items()} == {
        name: without_times(row) for name, row in batch.rows().items()
    }


def test_an_engine_that_is_not_there(batch: Batch) -> None:
    rows = batch.write([batch.row("right", RIGHT)])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"ray://127.0.0.1:{free.getsockname()[1]}"
        for engine, status, code in (
            (nobody, 4, "no-engine"),
            ("ray://", 2, "bad-engine"),
            ("dask", 2, "bad-engine"),
        ):
            done = batch.run(rows, "--on", engine)
            assert (done.code, done.out) == (status, ""), done
            assert done.err.startswith(f"understudy: {code}: "), done.err
        free.listen()
        here = nobody.removeprefix("ray://")
        refuse_unheard(here, "127.0.0.1", nobody)
        with pytest.raises(OutsideFailure, match=r"-address 127\.0\.0\.2`") as refused:
            refuse_unheard(here, "127.0.0.2", nobody)
        assert refused.value.code == "no-engine"
    without = Shell(batch.shell.folder, batch.shell.state)
    mirrors = batch.folder / "mirrors.json"
    done = without("batch", rows, "-o", batch.out, "--mirrors", mirrors, "--on", "ray")
    assert (done.code, "pip install 'understudy[ray]'" in done.err) == (4, True), done
    assert batch.out.read_text() == ""
