"""What a file of an agent's configuration becomes: with what is ours in it, and without."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import cast

from understudy.app.setup.json_text import JsonText
from understudy.app.setup.words import HOOK, Words
from understudy.values.toml import loads
from understudy.workspace.agents.profile import AgentFile, Entry

_HOOKS = (HOOK, " check >&2; case", " check --format hook; case")
"""What the hooks of this version and of earlier ones have in them."""
_OURS = "`understudy setup "
_BEGIN, _END = "understudy: begin, made by `understudy setup`", "understudy: end"


def merged(file: AgentFile, words: Words, text: str | None) -> str:
    """The text with what is ours in it; raises ValueError where that cannot be without loss."""
    if file.form == "file":
        if text is not None and _OURS not in text:
            raise ValueError("a file of another's stands there")
        return words.text(file.text).lstrip("\n")
    if file.form == "block":
        return _with_block(file, words, text or "")
    found = JsonText(text or "", comments=file.form == "jsonc")
    before = found.value()
    for entry in file.entries:
        _put(found, entry, words)
    undone = (without(file, words, one, before) for one in (text or "{}", found.whole))
    if len({json.dumps(held(file, one)) for one in undone}) != 1:
        raise ValueError("nobody could take it out again")
    return found.whole


def without(file: AgentFile, words: Words, text: str, before: object = None) -> str | None:
    """The text with nothing of ours in it; None where nothing else is in it.

    `before` is what the file held when ours was put in, as far as anybody knows: what was empty
    then stays. Raises ValueError where the text cannot be read.
    """
    if file.form == "file":
        return None if _OURS in text else text
    if file.form == "block":
        return _without_block(file, text)
    found = JsonText(text, comments=file.form == "jsonc")
    for entry in file.entries:
        at = words.at(entry.at)
        if entry.item is not None:
            found.take_items(at, _is_ours(words.value(entry.item)))
        elif len(at) > 1:
            found.take_value(at)
    for entry in file.entries:
        at = words.at(entry.at)
        places = [at[:length] for length in range(len(at), 0, -1)]
        for place in places if entry.item is not None else places[1:]:
            if not _stood(before, place):
                found.take_empty(place)
    left = cast("dict[str, object]", found.value())
    at_top = [entry.at for entry in file.entries if len(entry.at) == 1]
    if before is not None or {(key,) for key in left} <= set(at_top):
        for at in at_top:
            if not _stood(before, at):
                found.take_value(at)
    is_nothing = not found.text.strip("{} \t\r\n")
    return None if is_nothing and before is None else found.whole


def held(file: AgentFile, text: str | None) -> object:
    """What a file says, however it is written; a file that is not says nothing."""
    if file.form not in ("json", "jsonc"):
        return text or ""
    return JsonText(text or "", comments=file.form == "jsonc").value()


def lines_by_hand(file: AgentFile, words: Words) -> str:
    """What a user can put into the file instead of us."""
    if file.entries:
        return merged(file, words, None).rstrip("\n")
    return words.text(file.text).strip("\n")


def _put(found: JsonText, entry: Entry, words: Words) -> None:
    at = words.at(entry.at)
    if entry.item is None:
        if len(at) > 1 or not _stood(found.value(), at):  # at the top it is not ours alone
            found.put_value(at, words.value(entry.value))
        return
    item = words.value(entry.item)
    found.put_item(at, item, _is_ours(item))


def _is_ours(wanted: object) -> Callable[[object], bool]:
    def is_ours(item: object) -> bool:
        text = json.dumps(item)
        is_hook = "understudy" in text and any(mark in text for mark in _HOOKS)
        return item == wanted or (isinstance(item, dict) and is_hook)

    return is_ours


def _stood(value: object, at: tuple[str, ...]) -> bool:
    """Whether there is something at a place."""
    for key in at:
        if not isinstance(value, dict) or key not in value:
            return False
        value = cast("dict[str, object]", value)[key]
    return True


def _marks(file: AgentFile) -> tuple[str, str]:
    begins, *ends = file.comment
    tail = f" {ends[0]}" if ends else ""
    return f"{begins} {_BEGIN}{tail}", f"{begins} {_END}{tail}"


def _with_block(file: AgentFile, words: Words, text: str) -> str:
    rest = _without_block(file, text) or ""
    if file.path.endswith(".toml"):
        loads(rest.removeprefix("\ufeff"))
    taken = file.taken and re.search(file.taken, rest, re.MULTILINE)
    if taken:
        raise ValueError(f"it says `{taken[0].strip()}` already")
    begin, end = _marks(file)
    line = "\r\n" if "\r\n" in rest else "\n"
    body = words.text(file.text).strip("\n").replace("\n", line)
    block = line.join((begin, body, end))
    # Whether the last line had an end is told by whether ours has one.
    whole = rest + (block + line if not rest or rest.endswith("\n") else line + block)
    if file.path.endswith(".toml"):
        loads(whole.removeprefix("\ufeff"))
    return whole


def _without_block(file: AgentFile, text: str) -> str | None:
    begin, end = (re.escape(mark) for mark in _marks(file))
    found = re.search(rf"^{begin}\r?\n.*?^{end}[ \t]*(\r?\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if found is None:
        return text or None
    head, tail = text[: found.start()], text[found.end() :]
    if not found[1]:  # the user's last line had no end
        head = head.removesuffix("\n").removesuffix("\r")
    return head + tail or None
