"""The verb `log`: append what happened to a session's log; long results become receipts first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from understudy.app.context.put import put_output
from understudy.context import entries
from understudy.context.attachment import attachment, known
from understudy.context.events import MODEL_KINDS, Event, History, Kind, Left, last_of, refs_of
from understudy.context.messages import messages_of
from understudy.context.pack import pack
from understudy.context.policy import INGEST, Policy
from understudy.context.receipt import is_text, receipt_text, totals_of
from understudy.context.same import same_text, shown_before
from understudy.context.server_news import ServerChange, news
from understudy.context.summary import accepted
from understudy.context.worth import kind_of, kinds_in, least_tokens, rates_of
from understudy.disk.store.tool_folder import McpFolder
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace, seconds_now

Outlines = Mapping[str, str]
"""SHA-256 of a long attached text -> its outline."""


@frozen
class Recorded:
    """The events as they stand in the log; `failures` say why something stayed in the prompt."""

    events: tuple[Event, ...]
    failures: tuple[OutsideFailure, ...]


def record(
    place: ContextPlace,
    name: str,
    raw: Sequence[object],
    policy: Policy,
    outlines: Outlines | None = None,
) -> Recorded:
    """Append entries in order, all or none.

    Raises BadInput `bad-log-name`, `bad-event`, `bad-summary`, `no-such-log` (a sub-agent's);
    OutsideFailure `log-damaged`, `state-unwritable`, `busy`. The log is then as it was.
    """
    log = place.log(name)
    given = [entries.given(item, f"events[{index}]") for index, item in enumerate(raw)]
    changes = McpFolder(place.store.folder).changes()
    failures: list[OutsideFailure] = []

    def build(history: History) -> list[Event]:
        writer = _Writer(place, policy, outlines or {}, failures, history)
        for index, item in enumerate(given):
            writer.take(item, f"events[{index}]")
        writer.tell(changes)
        return writer.made

    return Recorded(log.append(build, seconds_now()), tuple(failures))


class _Writer:
    """Makes the events of one batch, each with those before it in view."""

    def __init__(
        self,
        place: ContextPlace,
        policy: Policy,
        outlines: Outlines,
        failures: list[OutsideFailure],
        history: History,
    ) -> None:
        self._place = place
        self._policy = policy
        self._outlines = outlines
        self._failures = failures
        self._name = history.name
        self._events = list(history.events)
        self.made: list[Event] = []

    def take(self, item: entries.Given, where: str) -> None:
        """Make the event of an entry; raises BadInput where it cannot stand here."""
        maker = self._makers().get(type(item.entry))
        if maker is not None:
            event = maker(item.entry, where)
        else:
            event = self._plain(item.kind, item.entry, where)
        event = event.numbered(len(self._events) + 1, item.at or 0)
        self._events.append(event)
        self.made.append(event)

    def tell(self, changes: Sequence[ServerChange]) -> None:
        """Add what the prompt does not know of the tool servers, if this is a place for it."""
        event = news(self._events, changes)
        if event is not None:
            self.made.append(event.numbered(len(self._events) + 1, 0))

    def _makers(self) -> Mapping[type[Any], Callable[[Any, str], Event]]:
        return {
            entries.Call: self._call, entries.Result: self._result, entries.Attach: self._attach,
            entries.SkillEntry: self._skill, entries.ReportEntry: self._report,
            entries.Tools: self._tools, entries.Summary: self._summary,
            entries.Usage: self._usage,
        }  # fmt: skip

    @property
    def _history(self) -> History:
        return History(self._name, self._events)

    def _plain(self, kind: str, entry: entries.Entry, where: str) -> Event:
        if kind == "system" and any(e.kind not in ("tools", "repair") for e in self._events):
            text = "the system prompt comes first and once: another one would undo the cache"
            raise BadInput("bad-event", text, where)
        if isinstance(entry, entries.Availability):
            return Event(0, "availability", mode=entry.mode, names=entry.prefixes)
        if isinstance(entry, entries.States):
            return Event(0, "states", definitions=tuple(asdict(row) for row in entry.rows))
        if isinstance(entry, entries.Topic):
            return Event(0, "topic")
        if isinstance(entry, entries.SummaryWish):
            return Event(0, "wish", text=entry.instructions)
        return Event(0, cast("Kind", kind), text=cast("entries.MessageEntry", entry).text)

    def _call(self, entry: entries.Call, where: str) -> Event:
        text = entries.input_of(entry, where)
        return Event(0, "call", text=text, tool=entry.tool, call=entry.call)

    def _result(self, entry: entries.Result, where: str) -> Event:
        data = entries.output_of(entry, where)
        event = Event(0, "result", tool=entry.tool, call=entry.call, exit=entry.exit)
        source = entry.source or self._read_by(entry)
        if source is not None:
            # What was read from the store lies in the store: a second receipt would hide it again.
            if not self._place.holder(source).contains(source):
                raise BadInput("bad-event", "`source` is no file of the store", where)
            event = replace(event, path=source)
        else:
            before = shown_before(self._events, data)
            if before is not None:
                text = same_text(before, data)
                return replace(event, text=text, form="again", upto=before.seq)
            if len(data) > self._limit(entry, len(data)):
                return self._stored(event, data, entry.tool)
        if not is_text(data):
            return self._stored(event, data, entry.tool)
        return replace(event, text=data.decode())

    def _read_by(self, entry: entries.Result) -> str | None:
        """The one file of the store that the call itself has read, by a harness's own tool."""
        call = self._call_of(entry)
        if call is None or kind_of(entry.tool, call.text) == "run":
            return None
        named = [ref for ref in refs_of([call]) if ref in refs_of(self._events[: call.seq - 1])]
        known = len(named) == 1 and self._place.holder(named[0]).contains(named[0])
        return named[0] if known else None

    def _call_of(self, entry: entries.Result) -> Event | None:
        wanted = (e for e in reversed(self._events) if e.kind == "call" and e.call == entry.call)
        return next(wanted, None)

    def _limit(self, entry: entries.Result, size: int) -> float:
        """Bytes above which a result of `size` bytes becomes a receipt."""
        policy = self._policy
        if policy.ingest is not None or policy.rule != "auto":
            return policy.ingest or INGEST
        if size <= policy.receipt_bytes:  # the limit is never less, and asks the whole log
            return policy.receipt_bytes
        kinds = kinds_in(self._events)
        call = self._call_of(entry)
        kind = kind_of(entry.tool, "" if call is None else call.text)
        prompt = sum(message.tokens for message in messages_of(self._history, policy))
        rates = rates_of(self._events, kinds)
        return policy.receipt_bytes + 4 * least_tokens(policy, kind, rates, prompt, policy.kept)

    def _stored(self, event: Event, data: bytes, label: str) -> Event:
        """The event with a receipt; with the text itself where the disk is full (fail open)."""
        put = put_output(self._place, data, label, event.exit, policy=self._policy)
        if put.failure is not None:
            self._failures.append(put.failure)
            return replace(event, text=data.decode("utf-8", "surrogateescape"))
        assert put.receipt is not None
        found = put.receipt
        return replace(event, text=found.text, ref=found.path, sha256=found.sha256, size=found.size)

    def _attach(self, entry: entries.Attach, where: str) -> Event:
        if not entry.path or "\0" in entry.path:
            raise BadInput("bad-event", "not a path", where)
        data = entry.text.encode("utf-8", "surrogatepass")
        before = known(self._events, entry.path)
        try:
            blob = self._place.store.put(data, entry.path, "file")
        except OutsideFailure as failure:
            self._failures.append(failure)
            return Event(0, "attach", text=entry.text, path=entry.path, by=entry.by, form="full")
        made = attachment(
            self._events, entry.path, blob.sha256, entry.by,
            None if before is None or entry.by == "agent" else self._text_of(before),
            entry.text, self._policy.outline_lines,
        )  # fmt: skip
        event = Event(
            0, "attach", text=made.text, ref=blob.path, sha256=blob.sha256, size=blob.size,
            path=entry.path, by=entry.by, form=made.form,
        )  # fmt: skip
        if made.form == "full":
            return replace(event, text=entry.text)
        if made.form != "outline":
            return event
        outline = self._outlines.get(blob.sha256)
        if outline is not None:
            return replace(event, text=outline)
        receipt = receipt_text(data, totals_of(data, blob.path), self._policy)
        return replace(event, form="receipt", text=receipt)

    def _text_of(self, before: Event) -> str | None:
        """The text that the model knows, None if it is lost; then the new one is shown whole."""
        try:
            data = self._place.store.get(before.ref, before.sha256) if before.ref else None
        except UnderstudyError:
            return None
        return before.text if data is None else data.decode("utf-8", "surrogatepass")

    def _skill(self, entry: entries.SkillEntry, where: str) -> Event:
        del where
        first = next(
            (e for e in self._events if e.kind == "skill" and e.path == entry.name and not e.form),
            None,
        )
        if first is not None and first.text == entry.text:
            text = f"[skill {entry.name} is loaded already, at #{first.seq}]"
            return Event(0, "skill", text=text, path=entry.name, form="again", fixed=True)
        return Event(0, "skill", text=entry.text, path=entry.name, fixed=True)

    def _report(self, entry: entries.ReportEntry, where: str) -> Event:
        if entry.log == self._name:
            raise BadInput("bad-event", "a log does not report to itself", where)
        child = self._place.log(entry.log).read()
        tokens = sum(message.tokens for message in messages_of(child, self._policy))
        data = entry.text.encode("utf-8", "surrogatepass")
        event = Event(
            0, "report", tool=entry.log, call=entry.call, ref=child.path,
            text=f"[understudy] sub-agent {entry.log}: {len(child.events)} events, {tokens} "
            f"tokens; its log is {child.path}",
        )  # fmt: skip
        answer = entry.text
        if len(data) > (self._policy.ingest or INGEST):
            stored = self._stored(event, data, entry.log)
            answer = stored.text
            if stored.ref != event.ref:
                item = Left(0, "", stored.ref, stored.sha256, stored.size)
                event = replace(event, items=(item,))
        return replace(event, text=f"{event.text}\n{answer}" if answer else event.text)

    def _tools(self, entry: entries.Tools, where: str) -> Event:
        if last_of(self._events, "tools") is not None:
            text = "the tools are given once: say what may be chosen by `availability`"
            raise BadInput("bad-event", text, where)
        if not all(isinstance(item, Mapping) and "name" in item for item in entry.definitions):
            raise BadInput("bad-event", "each definition is a table with a name", where)
        return Event(0, "tools", definitions=tuple(entry.definitions))

    def _usage(self, entry: entries.Usage, where: str) -> Event:
        """The counts beside our own estimate of the prompt that they are about."""
        del where
        end = len(self._events)
        while end and self._events[end - 1].kind not in MODEL_KINDS:
            end -= 1
        while end and self._events[end - 1].kind in MODEL_KINDS:
            end -= 1
        made = pack(History(self._name, self._events[:end]), self._policy)
        return Event(0, "usage", definitions=(asdict(entry),), size=made.stats.bytes // 4)

    def _summary(self, entry: entries.Summary, where: str) -> Event:
        del where
        body = accepted(self._history, entry.text, entry.upto, self._policy)
        return Event(0, "summary", text=body, upto=entry.upto)
