"""Of what a program printed, the first error is told: whole, once, on one line."""

from __future__ import annotations

import pytest

from understudy.checkers.first_error import MOST_CHARACTERS, first_error

DEPENDENCY = """\
    Updating index
error: no matching package named `not-there` found
location searched: index
required by package `one v0.1.0`
"""
MANIFEST = """\
warning: unused key
error: invalid float, expected nothing
 --> Cargo.toml:3:14
  |
3 | version = 0.1.0
  |              ^^
"""
PANIC = """\
   Compiling one v0.1.0
error: failed to run custom build command for `one v0.1.0`

Caused by:
  thread 'main' (23456) panicked at build.rs:1:42:
  no such library
  stack backtrace:
     0: one
     1: two
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    import nothing
ModuleNotFoundError: No module named 'nothing'
"""
TOLD = [
    (
        DEPENDENCY,
        (
            "error: no matching package named `not-there` found | location searched: index "
            "| required by package `one v0.1.0`"
        ),
    ),
    (MANIFEST, "error: invalid float, expected nothing | --> Cargo.toml:3:14"),
    (
        PANIC,
        (
            "error: failed to run custom build command for `one v0.1.0` | Caused by: "
            "| thread 'main' panicked at build.rs:1:42: | no such library "
            "… (2 lines of a stack more)"
        ),
    ),
    ("tool: error: one\n  more of it\nerror: two\n", "tool: error: one | more of it"),
    (TRACEBACK, "ModuleNotFoundError: No module named 'nothing'"),
    ("what is this\n\neven here\n", "what is this | even here"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "told"), TOLD)
def test_the_first_error(text: str, told: str) -> None:
    assert first_error(text) == told


def test_what_is_left_out_of_a_long_one_is_counted() -> None:
    told = first_error("error: " + "x" * 2 * MOST_CHARACTERS)
    assert told == f"error: {'x' * (MOST_CHARACTERS - 7)} … ({MOST_CHARACTERS + 7} more characters)"
