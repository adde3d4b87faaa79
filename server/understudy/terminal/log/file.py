"""One terminal's log on disk: a header in place, records that only grow, a live tail.

A record opens and closes with a line that begins with `#|`; no output line can, as such a line is
written as `#\\|`. Between records stands what the terminal showed between commands: prompts, typed
lines, background jobs. A file that has grown is left behind under a number, and a record that is
open goes on in the next one. What makes room for newer output is counted there.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from understudy.terminal.log import header as log_header
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log import writing as log_writing
from understudy.terminal.log.header import Header
from understudy.terminal.log.lines import MARK, MAX_LINE, Lines, escaped
from understudy.terminal.secrets.redaction import FULL, OPEN, Redactor
from understudy.terminal.secrets.rules import Rule
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

_LIVE_LINE = 4 * MAX_LINE
"""Characters that are looked at of a line that may still change; far more than are shown."""
_END = re.compile(f"[\n{FULL}]")

MAX_FILE_BYTES = 8_000_000
"""A log that has grown past this goes on in a new file: editors switch highlighting off in larger
ones."""

KEPT_BYTES = 64_000_000
"""What is kept of one terminal, where the settings do not say."""


@frozen
class End:
    """How a command ended: its exit code (None: unknown), seconds, and bytes that were missed."""

    exit_code: int | None
    seconds: float
    missed: int
    raw_bytes: int


class LogFile:
    """Writes `<name>.txt` and `<name>.cmds.jsonl`.

    A disk that fails is never an error for the terminal: `failure` says what happened, the header
    says it if it can still be written, and every later record is incomplete. So is each record of
    a log that is not exact: where what comes here may be only a part of what was shown.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        header: Header,
        rules: Sequence[Rule] = (),
        max_file_bytes: int = MAX_FILE_BYTES,
        *,
        is_exact: bool = True,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self.path = folder / f"{name}.txt"
        self.failure: str | None = None
        self._redactor = Redactor(rules)
        self.find = self._redactor.find
        self._header = header
        self._kept_bytes = kept_bytes
        self._max_file_bytes = min(max_file_bytes, kept_bytes // 4)
        self._full_at = self._max_file_bytes
        """Bytes at which the file is left behind: more where that has failed before."""
        self._is_exact = is_exact
        self._file, self._index = log_writing.create(self.path)
        self._settled = log_header.SIZE
        """Bytes of the file that never change again."""
        self._n_lines = 10
        self._lines = Lines()
        self._entry: dict[str, object] | None = None
        """The open record's facts."""
        self._opening = b""
        """The line that opens it."""
        self._part = self._first_part = 1
        """The number that this file will have, and that of the one in which the record begins."""
        self._counted, self._count_from = 0, 0
        """Lines of the record in earlier files, and the line behind which this one has more."""
        self._lost = self._lost_lines = 0
        """What of the record made room for newer output."""
        self._refused: int = 0
        """Bytes that the disk has not taken, behind what is in the file."""
        self._kept_out = self._since_tried = 0
        """Bytes for which a new file was missing: in all, and since one was tried last."""
        self._ends_in_line: bool = False
        """Whether the last line in the file has no end yet."""
        self._redacted_before = 0
        self._gaps = 0
        self._removed = 0
        """Bytes of older files that made room for newer ones."""
        self._words: dict[str, str] = {}
        """Words of the header's last line, by what they are about."""
        self._is_whole = True
        """Whether nothing of the record's output was left out by a note or a cut line."""
        self.update()

    # ---- records

    def begin(self, command: str | None, cwd: str, started: str) -> None:
        """Open a record; `started` is a time in ISO 8601. None: the command is not known."""
        self._end_section()
        if self._settled > self._full_at:
            self._go_on()
        self._redactor.begin_another()
        self._redacted_before = self._redactor.count
        shown = None if command is None else self._redactor.redact(command).replace("\x00", "")
        cwd = self._redactor.redact(cwd)
        number = self._header.record + 1
        self._entry = {
            "id": number, "command": shown, "cwd": cwd, "start": started,
            "offset": self._settled, "line": self._n_lines + 1,
        }  # fmt: skip
        quoted = f"cwd={json.dumps(cwd)} command={json.dumps(shown)}"
        self._opening = f"{MARK} {number} start={started} {quoted}\n".encode()
        self._append(self._opening)
        self._first_part, self._counted, self._count_from = self._part, 0, self._n_lines
        self._lost = self._lost_lines = self._lines.n_cut = 0
        self._is_whole = True
        self.update(status="running", cwd=cwd, active_command=_named(shown), record=number)

    def write(self, text: str) -> None:
        """Add text that never changes again; a line may come in several pieces."""
        cut = ""
        if self._lines.is_full:  # what comes of this line is counted alone
            end = _END.search(text)
            at = len(text) if end is None else end.start()
            cut, text = text[:at], text[at:]
        clean = self._lines.clean(cut) + self._lines.clean(self._redactor.redact(text))
        self._keep(clean.encode("utf-8", "replace"))

    def note(self, text: str) -> None:
        """Say what is not in the log here; no output line looks like this one."""
        if self._lines.is_open:
            self.write("\n")
        self._is_whole = False
        self._keep(f"{MARK}   {text}\n".encode())
        if self._entry is None:
            self._note_gap()

    def show(self, lines: list[str]) -> None:
        """Replace the live tail: the lines that a program may still change."""
        looked_at = "".join(_begun(line) + "\n" for line in lines)
        shown = self._redactor.peek(looked_at).split("\n")[:-1]
        text = "".join(f"{escaped(line)[:MAX_LINE]}\n" for line in shown)
        live = text.encode("utf-8", "replace")
        self._put(live, self._settled)
        self._truncate(self._settled + len(live))
        self.update()  # who follows need not look again at what is settled by now

    def end(self, end: End) -> None:
        """Close the record."""
        entry = self._entry
        assert entry is not None, "a record is open"
        self._end_section()
        self._look_for_the_file()
        n_lines = self._counted + self._n_lines - self._count_from
        is_cut = end.missed or self._lost or self._lines.n_cut or not self._is_whole
        is_known = self._is_exact and end.exit_code is not None
        is_complete = not is_cut and is_known and self.failure is None
        code = "unknown" if end.exit_code is None else end.exit_code
        mark = (
            f"{MARK} {entry['id']} exit={code} dur={end.seconds:.2f}s lines={n_lines} "
            f"bytes={end.raw_bytes} missed={end.missed} complete={str(is_complete).lower()}\n"
        )
        self._append(mark.encode())
        entry |= {
            "exit_code": end.exit_code, "seconds": round(end.seconds, 3), "lines": n_lines,
            "end": self._settled, "raw_bytes": end.raw_bytes, "missed": end.missed,
            "dropped_bytes": self._lost,
            "redacted": self._redactor.count - self._redacted_before,
            "complete": is_complete and self.failure is None,
        }  # fmt: skip
        if self._first_part != self._part:
            entry["from"] = log_rotation.numbered(self.path, self._first_part).name
        self._guard(lambda: log_writing.add_line(self._index, json.dumps(entry).encode() + b"\n"))
        self._entry = None
        self.update(
            status="idle", active_command=None, last_command=_named(entry["command"]),
            last_exit_code=end.exit_code,
        )  # fmt: skip

    # ---- the header

    def update(self, **changes: object) -> None:
        """Change the header."""
        self._header = replace(self._header, **changes)  # pyright: ignore[reportArgumentType]
        self._put(self._rendered(self._header, self._settled), 0)

    def _rendered(self, header: Header, settled: int) -> bytes:
        words = [header.note, *self._words.values()]
        if self._redactor.count:
            words.append(f"redacted={self._redactor.count}")
        if self.failure is not None:
            words.append(f"failed={json.dumps(self.failure)}")
        return log_header.render(replace(header, note=" ".join(words)), settled)

    def say(self, about: str, words: str) -> None:
        """Have the header's last line say something more; empty words take it back."""
        if words:
            self._words[about] = words
        else:
            self._words.pop(about, None)
        self.update()

    def fail(self, reason: str) -> None:
        """Say in the header that no more is written, and why."""
        self.failure = reason
        self.update(status="closed")

    def close(self) -> None:
        """Say that the terminal is closed, and close the files."""
        self._end_section()
        self.update(status="closed", active_command=None)
        os.close(self._file)
        os.close(self._index)

    def is_gone(self) -> bool:
        """Whether the file was moved or removed."""
        try:
            return not os.path.samestat(self.path.stat(), os.fstat(self._file))
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # of a disk that does not answer for now
            return False

    # ---- text

    def _keep(self, data: bytes) -> None:
        """Append text; files that are full by it end with the last line that has an end."""
        while self._settled <= self._kept_bytes:
            cut, room = 0, max(self._full_at - self._settled, 0)
            if len(data) > room:
                cut = data.rfind(b"\n", 0, room) + 1 or data.find(b"\n") + 1
            self._append(data[:cut] if cut else data)
            if not cut:
                return
            data = data[cut:]
            self._go_on()
        self._kept_out += len(data)  # no new file could be made so far
        self._since_tried += len(data)
        if self._since_tried > self._max_file_bytes // 8:
            self._since_tried = 0
            self._go_on()

    def _end_section(self) -> None:
        """End the last line of what was shown so far."""
        if self._lines.is_open:
            self.write("\n")
        self._append(b"")  # nothing of it may still change
        if self._entry is None and self._lines.n_cut:
            self._note_gap()

    def _note_gap(self) -> None:
        """Count in the header what is missing between commands."""
        self._gaps += 1
        self.say("gaps", f"gaps={self._gaps}")

    def _go_on(self) -> None:
        """Go on in a new file; the old one keeps its place in a row of numbered ones."""
        if self._guard(self._leave_file):
            self._full_at = self._max_file_bytes
            if self._entry is not None:
                before = log_rotation.numbered(self.path, self._part - 1).name
                self._append(self._opening + f"{MARK}   goes on from {before}\n".encode())
            self._guard(self._make_room)
            self._count_from = self._n_lines
        else:  # the disk may take one later
            self._full_at = self._settled + self._max_file_bytes // 8
        self.update()

    def _leave_file(self) -> None:
        file, index = log_writing.create(log_rotation.next_of(self.path))
        try:  # it has a header when it comes into its place
            log_writing.write(file, self._rendered(self._header, log_header.SIZE), 0)
            log_rotation.leave(self.path, self._part)
        except BaseException:  # whatever it is: the old one is still ours
            os.close(file)
            os.close(index)
            log_rotation.next_of(self.path)  # nothing of it stays
            raise
        old, end, ends_in_line = (self._file, self._index), self._settled, self._ends_in_line
        self._file, self._index = file, index
        self._counted += self._n_lines - self._count_from
        self._settled, self._n_lines, self._ends_in_line = log_header.SIZE, 10, False
        self._part += 1
        if self._entry is not None:
            going_on = b"\n" * ends_in_line + f"{MARK}   goes on in the next file\n".encode()
            self._guard(lambda: log_writing.write(old[0], going_on, end))
            self._guard(lambda: os.ftruncate(old[0], end + len(going_on)))
        closed = replace(self._header, status="closed", active_command=None)
        self._guard(lambda: log_writing.write(old[0], self._rendered(closed, end), 0))
        for one in old:
            os.close(one)

    def _make_room(self) -> None:
        """Have the oldest output make room, but for the beginning of the record that is open."""
        spared = None if self._entry is None else self._first_part
        room = self._kept_bytes - self._max_file_bytes
        for gone in log_rotation.make_room(self.path, room, spared):
            self._removed += gone.n_bytes
            if spared is not None and gone.number > spared:
                self._lost += gone.n_bytes
                self._lost_lines += gone.n_lines
        self._words["rotated"] = log_rotation.words(self.path, self._removed)
        if spared is not None and self._lost:
            text = f"left out by now: {self._lost} bytes, {self._lost_lines} lines"
            first = log_rotation.numbered(self.path, spared).name
            self._append(f"{MARK}   {text}, behind {first}\n".encode())

    # ---- bytes

    def _append(self, data: bytes) -> None:
        """Append lines; what the disk does not take is counted in front of what comes next."""
        counts = (
            (self._refused, "missed: the disk did not take them"),
            (self._kept_out, "not kept: no new file could be made"),
        )
        said = "".join(f"{MARK}   {n} bytes {why}\n" for n, why in counts if n).encode()
        whole = b"\n" * (self._ends_in_line and bool(said)) + said + data
        if whole and self._put(whole, self._settled):
            self._settled += len(whole)
            self._n_lines += whole.count(b"\n")
            self._refused = self._kept_out = 0
            self._ends_in_line = not whole.endswith(b"\n")
        else:
            self._refused += len(data)
        self._truncate(self._settled)

    def _put(self, data: bytes, at: int) -> bool:
        return self._guard(lambda: log_writing.write(self._file, data, at))

    def _truncate(self, size: int) -> None:
        self._guard(lambda: os.ftruncate(self._file, size))

    def _look_for_the_file(self) -> None:
        def look() -> None:
            if self.is_gone():
                raise FileNotFoundError(errno.ENOENT, "the log was moved or removed")

        self._guard(look)

    def _guard(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except (OSError, OutsideFailure) as error:
            if self.failure is None:
                self.failure = getattr(error, "strerror", None) or str(error)
            return False
        return True


def _begun(line: str) -> str:
    """A line's beginning, as much as may be shown, at whose end a secret may be cut in two."""
    return line if len(line) <= _LIVE_LINE else line[:_LIVE_LINE].replace(OPEN, "") + OPEN


def _named(command: object) -> str:
    return "(not known)" if command is None else str(command)
