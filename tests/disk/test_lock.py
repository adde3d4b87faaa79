"""One host a workspace."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.disk.lock import HostLock, holder
from understudy.values.errors import Refused

HOLD = """
import sys, pathlib
from understudy.disk.lock import HostLock
lock = HostLock.acquire(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path):
    path = tmp_path / "host.lock"
    with HostLock.acquire(path), pytest.raises(Refused) as caught:
        HostLock.acquire(path)
    assert caught.value.code == "host-running"
    assert f"process {os.getpid()}" in caught.value.text
    assert caught.value.where == str(tmp_path)


def test_a_released_lock_can_be_taken_again(tmp_path: Path):
    path = tmp_path / "host.lock"
    lock = HostLock.acquire(path)
    lock.release()
    lock.release()
    assert holder(path) is None
    HostLock.acquire(path).release()


def test_the_lock_dies_with_its_holder_but_not_with_the_holders_children(tmp_path: Path):
    path = tmp_path / "host.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert holder(path) == process.pid
        with pytest.raises(Refused, match=f"process {process.pid}"):
            HostLock.acquire(path)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        HostLock.acquire(path).release()


def test_a_child_process_does_not_keep_the_lock(tmp_path: Path):
    path = tmp_path / "host.lock"
    lock = HostLock.acquire(path)
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False
    )
    with child:
        lock.release()
        HostLock.acquire(path).release()
        child.communicate(b"\n", timeout=60)
