"""Where the tests run must not matter: what they start stands at a terminal, in no repository.

No check leaves a host behind, but where a test is about that (`tests/e2e/warm_hosts.py`). What
`make ring` runs instead of `make test` stands in `tests/rooms.toml`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from understudy.values import toml

_TESTS = Path(__file__).resolve().parent
_ROOMS = toml.loads((_TESTS / "rooms.toml").read_text())
_RING = {_TESTS.parent / place for place in _ROOMS["ring"]}
_LONG = {_TESTS.parent / place: number for number, place in enumerate(_ROOMS["long"])}
_INHERITED = ("SIGINT", "SIGQUIT", "SIGTSTP", "SIGHUP")


def pytest_configure(config: pytest.Config) -> None:
    """Undo what a test run in the background, or in a folder of a repository, has inherited.

    A shell has programs in the background ignore the signals of keys, and all that they start;
    `nohup` has them ignore the end of their terminal. Git looks for a repository in each folder
    above. Some containers forbid bytecode: then each process here compiles all tests anew, for 7 s.
    """
    sys.dont_write_bytecode = False
    for name in _INHERITED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            signal.signal(number, default)
    os.environ["CI"] = "true"
    temporary = os.path.realpath(tempfile.gettempdir())
    known = os.environ.get("GIT_CEILING_DIRECTORIES")
    os.environ["GIT_CEILING_DIRECTORIES"] = os.pathsep.join(filter(None, (temporary, known)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run without the ring does not even read what is of the ring as a whole."""
    return True if config.option.markexpr == "not ring" and collection_path in _RING else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: Python would look through all of it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # marks are chosen by after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the ring; where several processes run, long files come first.

    What takes minutes and began last would run alone at the end.
    """
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _LONG.get(item.path, len(_LONG)))
    ring = {path for path in {item.path for item in items} if _RING & {path, *path.parents}}
    for item in items:
        if item.path in ring:
            item.add_marker(pytest.mark.ring)
