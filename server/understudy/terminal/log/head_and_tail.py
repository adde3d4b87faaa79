"""What is kept of a long output: its head at once, its tail at the end, the middle as a count."""

from __future__ import annotations

from collections import deque

from understudy.terminal.log.lines import MARK

_PIECE = 16 * 1024


class HeadAndTail:
    """Splits a growing output into what is settled now and what may still be pushed out."""

    def __init__(self, head: int, tail: int) -> None:
        self.dropped_bytes = 0
        self.dropped_lines = 0
        self._room = head
        self._tail_bytes = tail
        self._pieces: deque[bytes] = deque()
        self._n_bytes = 0

    def add(self, data: bytes) -> bytes:
        """Take whole or partial lines; returns those that belong to the head."""
        head = b""
        if not self._pieces:
            cut = len(data)
            if cut > self._room:
                cut = data.rfind(b"\n", 0, self._room) + 1
                self._room = cut
            self._room -= cut
            head, data = data[:cut], data[cut:]
        if data:
            self._hold(data)
        return head

    def held(self) -> bytes:
        """The tail as it is now, behind a line that counts what was dropped before it."""
        if not self._pieces:
            return b""
        note = ""
        if self.dropped_bytes:
            n_bytes, n_lines = self.dropped_bytes, self.dropped_lines
            note = f"{MARK}   left out here: {n_bytes} bytes, {n_lines} lines\n"
        return note.encode() + b"".join(self._pieces)

    def settle(self) -> bytes:
        """The tail, which is the output's end; nothing is held any more."""
        tail = self.held()
        self._pieces.clear()
        self._n_bytes = 0
        return tail

    def _hold(self, data: bytes) -> None:
        """Hold the end of the output; what is pushed out of it goes by whole lines."""
        while data:
            cut = data.rfind(b"\n", 0, _PIECE) + 1 or _PIECE
            piece, data = data[:cut], data[cut:]
            self._pieces.append(piece)
            self._n_bytes += len(piece)
        while self._n_bytes - len(self._pieces[0]) >= self._tail_bytes:
            gone = self._pieces.popleft()
            self._n_bytes -= len(gone)
            self.dropped_bytes += len(gone)
            self.dropped_lines += gone.count(b"\n")
