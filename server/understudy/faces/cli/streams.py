"""The one door of a command's text to standard output and standard error.

On a terminal, what would steer it or hide from its user is made visible; in a pipe or a file the
bytes are exact. Bytes that are the user's own business (what a command on a stage prints) go past
it, by `sys.stdout.buffer`.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO, cast

from understudy.values.errors import OutsideFailure
from understudy.values.printable import printable, visible

_ERRORS = "understudy"
_CLEAR_LINE = b"\r\x1b[K"


class _Terminal(io.TextIOWrapper):
    """A terminal's stream; whoever writes text to it, a library or a traceback, is escaped."""

    def write(self, text: str, /) -> int:
        super().write(visible(text))
        return len(text)


def open_streams() -> None:
    """Put the door before both standard streams, for all that this process will write.

    A standard input that the caller has closed has ended: nothing else gets its descriptor.
    """
    if cast("TextIO | None", sys.stdin) is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(os.devnull)), encoding="utf-8")
    sys.stdout = _opened(sys.stdout)
    sys.stderr = _opened(sys.stderr)


def say(text: str = "", *, err: bool = False, end: str = "\n") -> None:
    """Write text for the caller.

    Raises BrokenPipeError when nobody reads any more, OutsideFailure `cannot-write` of an answer.
    """
    if err and sys.stderr is not None:  # it is None where the caller has closed it
        sys.stderr.write(text + end)
        sys.stderr.flush()
    elif not err and sys.stdout is not None:
        with writing_output():
            sys.stdout.write(text + end)
            sys.stdout.flush()


def complain(text: str) -> None:
    """Write one line about a problem to standard error; nothing in it begins another line."""
    say(printable(f"understudy: {text}"), err=True)


def hand_over(data: bytes) -> None:
    """Put stored bytes on standard output; exact but on a terminal."""
    if sys.stdout.isatty():
        say(data.decode("utf-8", "surrogateescape"), end="")
        return
    with writing_output():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@contextmanager
def writing_output(what: str = "the answer") -> Generator[None, None, None]:
    """Around what writes standard output: raises OutsideFailure `cannot-write` for a full disk."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        text = f"{what} cannot be written: {error.strerror}"
        raise OutsideFailure("cannot-write", text, "stdout") from error


def drop_output() -> None:
    """Let what is left to write go nowhere: Python would try it again, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_status(line: str) -> None:
    """Replace the line that stands on standard error, a terminal; an empty one clears it."""
    sys.stderr.flush()
    sys.stderr.buffer.write(_CLEAR_LINE + printable(line).encode("utf-8"))
    sys.stderr.buffer.flush()


def _opened(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):  # closed, or another program's stream
        return stream
    standard = cast("io.TextIOWrapper[io.BufferedWriter]", stream)
    # Names and source lines must come out whatever the locale; undecodable bytes as such. A line
    # feed is a line feed on Windows too, or a diff in a pipe would be another one.
    codecs.register_error(_ERRORS, _encoded)
    if standard.isatty():
        standard.flush()
        return _Terminal(_whole(standard), encoding="utf-8", errors=_ERRORS, line_buffering=True)
    whole = _whole(standard)
    if whole is standard.buffer:
        standard.reconfigure(encoding="utf-8", errors=_ERRORS, newline="\n")
        return standard
    return io.TextIOWrapper(
        whole, encoding="utf-8", errors=_ERRORS, newline="\n", line_buffering=True
    )


def _whole(stream: io.TextIOWrapper) -> io.BufferedWriter:
    """The bytes of a stream, by what writes all of them.

    Where Python runs unbuffered (`PYTHONUNBUFFERED`, as in most containers), a stream writes once,
    and lets go what a signal in the middle, as `fg` sends one, has kept from being written.
    """
    held = cast("io.BufferedWriter | io.RawIOBase", stream.buffer)
    return held if isinstance(held, io.BufferedWriter) else io.BufferedWriter(held)


def _encoded(error: UnicodeError) -> tuple[str | bytes, int]:
    """Undecodable bytes as themselves; a lone half of a pair, which has no bytes, escaped."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeEncodeError:
        return codecs.lookup_error("backslashreplace")(error)
