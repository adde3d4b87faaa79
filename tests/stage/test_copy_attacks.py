"""The copy kind under attack: as an unprivileged user, as root, and as a namespace's root."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.stages import fenced_copies
from tests.support.stages.identities import IDENTITIES, Identity, python_of

CROWD = """
import threading, time
for _ in range(250):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("there", flush=True)
time.sleep(60)
"""
FORKING = """
import os, resource, signal
from understudy.stage.inside.counted_tasks import counted_tasks
most = counted_tasks() + 20
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
made = []
try:
    while len(made) < 200:
        made.append(os.fork())
        if made[-1] == 0:
            signal.pause()
except BlockingIOError:
    pass
for pid in made:
    os.kill(pid, signal.SIGKILL)
print(len(made))
"""


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda identity: identity.name)
@pytest.mark.parametrize("scenario", fenced_copies.SCENARIOS, ids=lambda one: one.__name__)
def test_no_way_out(identity: Identity, scenario: Callable[..., Any]) -> None:
    with identity.home() as home:
        (home / "scratch").mkdir()
        (home / "scratch" / "helper.log").touch()
        played = identity.play(fenced_copies, scenario, home)
    assert played.returncode == 0, played.stdout + played.stderr


def test_what_the_same_user_runs_elsewhere_leaves_no_more_room_in_a_namespace() -> None:
    (inside,) = (one for one in IDENTITIES if one.in_namespace)
    beside = replace(inside, in_namespace=False)
    with inside.home() as home:
        python = python_of(inside.user)
        options = {**beside.options(home), "stdout": subprocess.PIPE}
        del options["capture_output"]
        crowd = subprocess.Popen([python, "-c", CROWD], **options)
        try:
            assert crowd.stdout is not None
            assert crowd.stdout.readline() == "there\n"
            wrapped = inside.command()[: -len(beside.command())]
            command = [*wrapped, python, "-c", FORKING]
            forked = subprocess.run(command, **inside.options(home), timeout=60, check=True)
        finally:
            crowd.kill()
            crowd.communicate()
    assert 15 <= int(forked.stdout) <= 20
