"""Fuzzes one target in this process, by libFuzzer through atheris: `python -m tests.fuzz.child`.

The first argument is the target's name, the rest is libFuzzer's.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Give the target bytes until an input is found that it does not take, or the time is over."""
    atheris: Any = import_module("atheris")  # without types, and only where it fuzzes
    with atheris.instrument_imports(include=["understudy"]):
        from tests.fuzz.targets import TARGETS  # noqa: PLC0415 - what is imported is instrumented
    target = TARGETS[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
