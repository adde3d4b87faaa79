"""The receipt: a short text in the place of a long one, totals and path first."""

from __future__ import annotations

import re
from itertools import islice
from mmap import mmap

from understudy.context.policy import DEFAULT, Policy
from understudy.context.telling_lines import plain, telling
from understudy.values.frozen import frozen

SEARCHED_BYTES = 4 * 1024 * 1024
"""So much of each end of an output is searched for telling lines."""

_LINE_BYTES = 240
_GAP_BYTES = 28
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@frozen
class Totals:
    """What the first line of a receipt says; `path` is relative to the store, 0 lines is empty."""

    path: str
    size: int
    lines: int
    is_text: bool
    exit: int | None = None


@frozen
class OutputReceipt:
    """`text` stands for the exact bytes in the store's file `path`, `sha256` being theirs."""

    path: str
    sha256: str
    size: int
    lines: int
    text: str


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 without NULs, so that a prompt can hold them as they are."""
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def totals_of(data: bytes, path: str, exit_status: int | None = None) -> Totals:
    """Count an output."""
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    return Totals(path, len(data), lines, is_text(data), exit_status)


def notice(totals: Totals) -> str:
    """The first line of a receipt."""
    status = "" if totals.exit is None else f", exit status {totals.exit}"
    kind = f"{totals.lines} lines" if totals.is_text else "not text"
    return f"[understudy] {totals.size} bytes, {kind}{status}; the whole is in {totals.path}"


def hint(path: str, size: int, exit_status: int | None) -> str:
    """The line that an old input or output leaves behind: there are hundreds of them."""
    status = f", exit status {exit_status}" if exit_status else ""
    return f"[understudy] {size} bytes{status}: {path}"


def receipt_text(data: bytes | mmap, totals: Totals, policy: Policy = DEFAULT) -> str:
    """The notice, then numbered lines from the head, the tail, and those that look like errors.

    At most `policy.receipt_bytes` bytes in UTF-8, no line over 240; what is cut is counted.
    """
    first = notice(totals)
    if not totals.is_text or totals.lines == 0:
        return first
    pages = _pages(data, totals.lines)
    wanted = _by_importance(pages, totals.lines, policy)
    chosen: dict[int, str] = {}
    room = policy.receipt_bytes - len(first.encode()) - 1
    for number in wanted:
        shown = f"{number}| {_shown(pages[number])}"
        cost = len(shown.encode()) + 1 + _GAP_BYTES
        if cost <= room:
            chosen[number] = shown
            room -= cost
    return "\n".join([first, *_with_gaps(chosen, totals.lines)])


def reasons(receipt: str) -> str:
    """The lines of a failure's receipt that tell most, each behind a line break."""
    rest = receipt.split("\n")[1:]
    texts = [line.partition("| ")[2] for line in rest]
    chosen: list[int] = []
    room = _REASON_BYTES
    for index in telling(texts, _MOST_REASONS) or range(len(rest) - 1, len(rest)):
        room -= len(rest[index].encode()) + 1
        if room >= 0:
            chosen.append(index)
    return "".join(f"\n{rest[index]}" for index in sorted(chosen))


_REASON_BYTES, _MOST_REASONS = 400, 4


def _pages(data: bytes | mmap, n_lines: int) -> dict[int, bytes]:
    """Line number (from 1) -> line, of both ends of the data; all of it if it is not too long."""
    if isinstance(data, bytes) and len(data) <= 2 * SEARCHED_BYTES:
        return dict(enumerate(_lines(data), 1))
    pages: dict[int, bytes] = {}
    at, number = 0, 1
    while at < SEARCHED_BYTES:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        pages[number] = data[at:end]
        at, number = end + 1, number + 1
    end, number = len(data) - (data[-1:] == b"\n"), n_lines
    while end > len(data) - SEARCHED_BYTES and number not in pages:
        start = data.rfind(b"\n", 0, end) + 1
        pages[number] = data[start:end]
        end, number = start - 1, number - 1
    return pages


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _by_importance(pages: dict[int, bytes], n_lines: int, policy: Policy) -> list[int]:
    """Line numbers, the most important first: what does not fit is left out at the end."""
    head = [n for n in range(1, policy.head_lines + 1) if n in pages]
    tail = [n for n in range(n_lines, max(0, n_lines - policy.tail_lines), -1) if n in pages]
    # More than are shown: those in the head and tail are no news.
    ends = {*head, *tail}
    numbers = list(pages)
    ranked = [numbers[i] for i in telling(_searched(pages), policy.error_lines + len(ends))]
    errors = list(islice((n for n in ranked if n not in ends), policy.error_lines))
    known = [n for n in ranked if n in ends]
    order = [*known[:3], *errors[:5], *tail[:5], *head[:2], *known, *errors, *tail, *head]
    return list(dict.fromkeys(order))


def _searched(pages: dict[int, bytes]) -> list[str]:
    """The lines as they are searched; decoded at once, as there may be very many."""
    text = _decoded(b"\n".join([line[:1000] for line in pages.values()]))
    lines = text.split("\n")
    return [plain(line) for line in lines] if "\x1b" in text or "\r" in text else lines


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _shown(line: bytes) -> str:
    """A line without colours and control characters, cut in its middle, the cut counted."""
    text = _CONTROL.sub("\ufffd", plain(_decoded(line) if len(line) < 100_000 else _ends(line)))
    raw = text.encode()
    if len(raw) <= _LINE_BYTES and len(line) < 100_000:
        return text
    left, right = raw[:120].decode("utf-8", "ignore"), raw[-60:].decode("utf-8", "ignore")
    cut = max(0, len(line) - len(left.encode()) - len(right.encode()))
    return f"{left} [{cut} bytes left out] {right}"


def _ends(line: bytes) -> str:
    return _decoded(line[:2000]) + _decoded(line[-2000:])


def _with_gaps(chosen: dict[int, str], n_lines: int) -> list[str]:
    found: list[str] = []
    before = 0
    for number in sorted(chosen):
        if number > before + 1:
            found.append(_gap(number - before - 1))
        found.append(chosen[number])
        before = number
    if before < n_lines:
        found.append(_gap(n_lines - before))
    return found


def _gap(count: int) -> str:
    return f"[{count} {'line' if count == 1 else 'lines'} left out]"
