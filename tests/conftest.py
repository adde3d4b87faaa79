"""Where the tests run must not matter: what they start stands at a terminal, in no repository.

No check leaves a host behind, but where a test is about that (`tests/e2e/warm_hosts.py`).
"""

from __future__ import annotations

import os
import signal
import tempfile

import pytest

_OF_KEYS = ("SIGINT", "SIGQUIT", "SIGTSTP")


def pytest_configure(config: pytest.Config) -> None:
    """Undo what a test run in the background, or in a folder of a repository, has inherited.

    A shell has programs in the background ignore the signals of keys, and all that they start. Git
    looks for a repository in each folder above.
    """
    for name in _OF_KEYS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            signal.signal(number, default)
    os.environ["CI"] = "true"
    temporary = os.path.realpath(tempfile.gettempdir())
    known = os.environ.get("GIT_CEILING_DIRECTORIES")
    os.environ["GIT_CEILING_DIRECTORIES"] = os.pathsep.join(filter(None, (temporary, known)))
