"""What a terminal's text and marks mean for its log: which record they open, fill and close."""

from __future__ import annotations

from datetime import datetime, timezone

from understudy.terminal.log.file import End, LogFile
from understudy.terminal.marks import Begun, Ended, Mark
from understudy.terminal.screen.transcript import Transcript
from understudy.terminal.secrets.redaction import FULL, OPEN, plain
from understudy.terminal.switch import is_off

MAX_TYPED = 65_536


def time_text(seconds: float) -> str:
    """A time since 1970 in ISO 8601."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class SessionLog:
    """Keeps the records of one terminal; one whose program makes no marks has a single one.

    A record is closed by its own end mark alone. Where that was not seen, the record says so.
    """

    transcript: Transcript

    def __init__(self, log: LogFile, *, has_marks: bool) -> None:
        self._log = log
        self._is_open = not has_marks
        self._is_marked = not has_marks
        self._is_off = False
        self._clock = 0.0
        self._time = 0
        self._begun = 0.0
        self._raw = 0
        self._missed = 0
        self._in_doubt = False
        """Whether marks were missed, so that the next end may be another command's."""
        self._hidden = 0
        self._unkept = 0
        """Bytes that were not kept because the user had switched the recording off."""
        self._prompt: str | None = None
        """The line of the prompt, while the user's line is being typed behind it."""
        self._typed = ""

    def now(self, clock: float, time: int) -> None:
        """Take the recorder's clock (s since its start) and time (s since 1970, 0: not said)."""
        self._clock, self._time = clock, time or self._time

    def feed(self, data: bytes) -> None:
        """Take the bytes between two marks."""
        self._raw += len(data)
        if self._is_off:
            self._unkept += len(data)
        self.transcript.feed(data)

    def write(self, text: str) -> None:
        """Take text that never changes again."""
        if self._prompt is not None and len(self._typed) < MAX_TYPED:
            self._typed += text[:MAX_TYPED].replace(FULL, "\n")
        if not self._is_off:
            self._log.write(text)

    def mark(self, mark: Mark) -> None:
        """Act on a mark."""
        if not self._is_marked:
            self._is_marked = True
            self._log.say("marks", "")
        if isinstance(mark, Begun):
            self._begin(mark)
        elif isinstance(mark, Ended):
            if self._is_open:
                self.transcript.settle()
                self._close(None if self._in_doubt else mark.exit_code)
            if mark.cwd and not self._is_off:
                self._log.update(cwd=mark.cwd)
        elif not self._is_open:
            lines = self.transcript.live()
            self._prompt, self._typed = lines[-1].split(FULL)[-1] if lines else "", ""

    def miss(self, n_bytes: int, n_marks: int, why: str = "the output was too fast") -> None:
        """Note that bytes, and perhaps marks in them, were not kept."""
        self._missed += n_bytes
        self._in_doubt = self._in_doubt or n_marks > 0
        self.transcript.settle(cuts=True)
        self.note(f"{n_bytes} bytes missed: {why}")

    def on_alternate(self, is_on: bool) -> None:
        """Note a full-screen program."""
        if is_on:
            self.transcript.settle(cuts=True)
            self.note("a full-screen program drew here; what it drew is not kept")

    def note(self, text: str) -> None:
        """Say what is not in the log here."""
        if not self._is_off:
            self._log.note(text)

    def show(self) -> None:
        """Write what a program may still change."""
        lines = [] if self._is_off else self.transcript.live()
        if lines:
            lines[-1] += OPEN
        self._log.show(lines)

    def finish(self, code: int | None) -> None:
        """Close what is open: the program has ended."""
        self.transcript.finish()
        if self._is_open:
            self._close(None if self._in_doubt else code)
        self._say_unkept()

    def look_for_switch(self, *, is_stopped: bool = False) -> None:
        """Stop or go on writing, as the user wishes: of this log, or of its terminal's process."""
        wish = is_stopped or is_off(self._log.path)
        if wish == self._is_off:
            return
        self.transcript.settle(cuts=True)
        if wish:
            self.note("the recording was switched off here")
        else:
            self._is_off = False
            self._say_unkept()
        self._is_off = wish
        self._log.say("off", "recording=off" if wish else "")
        if wish:
            self._log.update(status="off", active_command=None)
        else:
            self._log.update(status="running" if self._is_open else "idle")

    def withdraw(self) -> None:
        """Say that from here on nothing may be kept: what comes is not known."""
        self.transcript.settle(cuts=True)
        self.note("the recording was switched off here")

    # ---- records

    def _begin(self, mark: Begun) -> None:
        self.transcript.settle()
        command = self._typed_line() if mark.command is None else plain(mark.command)
        self._prompt, self._typed = None, ""
        if mark.left_out and command is not None:
            command += f" [{mark.left_out} characters more]"
        if self._is_open:
            self._close(None)
        self._begun, self._raw, self._missed, self._in_doubt = self._clock, 0, 0, False
        if not self._is_off:
            self._is_open = True
            self._log.begin(command, plain(mark.cwd), time_text(self._time))

    def _close(self, code: int | None) -> None:
        hidden, self._hidden = self._hidden, self.transcript.hidden
        if self.transcript.hidden > hidden:
            n_hidden = self.transcript.hidden - hidden
            self.note(f"{n_hidden} characters of overlong control strings not shown")
        seconds = max(self._clock - self._begun, 0.0)
        self._log.end(End(code, seconds, self._missed, self._raw))
        self._is_open = False
        if self._is_off:
            self._log.update(status="off")

    def _typed_line(self) -> str | None:
        """What the user typed, by what the terminal showed of it."""
        if not self._prompt:
            return None
        lines = self._typed.split("\n")
        starts = [at for at, line in enumerate(lines) if line.startswith(self._prompt)]
        if not starts:
            return None
        first = lines[starts[-1]][len(self._prompt) :]
        return "\n".join([first, *lines[starts[-1] + 1 :]]).strip() or None

    def _say_unkept(self) -> None:
        if self._unkept:
            self._log.note(f"{self._unkept} bytes not kept: the recording was switched off")
            self._unkept = 0
