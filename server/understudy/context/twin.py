"""The readable twin of a log: Markdown with an anchor for each event."""

from __future__ import annotations

from collections.abc import Iterable

from understudy.context.canonical import canonical
from understudy.context.events import Event


def twin_head(name: str) -> str:
    """What the file begins with."""
    return f"# history of {name}\n\nOne section an event; `#42` in a summary is `## 42` here.\n"


def twin_of(events: Iterable[Event]) -> str:
    """Sections in order; texts are indented by four, so that none of their lines is an anchor."""
    return "".join(_section(event) for event in events)


def _section(event: Event) -> str:
    title = " ".join(part for part in (event.kind, event.tool or event.path, event.form) if part)
    marks = [f"call {event.call}"] if event.call else []
    if event.exit is not None:
        marks.append(f"exit status {event.exit}")
    if event.ref:
        marks.append(f"{event.size} bytes in {event.ref}")
    if event.upto and event.kind == "summary":
        marks.append(f"up to #{event.upto}")
    head = f"\n## {event.seq} {_one_line(title)}\n"
    if marks:
        head += f"{_one_line('; '.join(marks))}\n"
    return head + _indented(_body(event))


def _body(event: Event) -> str:
    if event.kind == "offload":
        return "\n".join(f"#{item.seq}: {item.size} bytes in {item.ref}" for item in event.items)
    if event.kind == "tools":
        return "\n".join(str(tool.get("name", canonical(tool))) for tool in event.definitions)
    if event.kind == "availability":
        return f"{event.mode}: {', '.join(event.names) or 'every tool'}"
    return event.text


def _indented(text: str) -> str:
    if not text:
        return ""
    sound = text.encode("utf-8", "backslashreplace").decode()
    return "\n" + "".join(f"    {line}\n" for line in sound.split("\n"))


def _one_line(text: str) -> str:
    sound = text.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else "\ufffd" for c in sound)
