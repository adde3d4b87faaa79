"""The names of what is done to set a stage up, so that a failure says where."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class StepFailed(Exception):
    """A system call failed in a named step."""

    def __init__(self, step: str, error: OSError) -> None:
        super().__init__(f"{step}: {error}")
        self.step = step
        self.number = error.errno or 0
        self.text = error.strerror or str(error)


@contextmanager
def step(name: str) -> Generator[None, None, None]:
    """Give the errors in it this name; an inner name stays."""
    try:
        yield
    except OSError as error:
        raise StepFailed(name, error) from error
