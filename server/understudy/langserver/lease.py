"""A lease: one owner's turn at a server, from showing a snapshot to the proven answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from understudy.langserver.configuration_errors import configuration_errors
from understudy.langserver.connection import Dead, ErrorAnswer
from understudy.langserver.diagnostics import Malformed, Proof, findings_of, told_of
from understudy.langserver.documents import StillReading
from understudy.langserver.folder_follower import NeedsRestart, hidden_reason
from understudy.langserver.freshness import RULES
from understudy.langserver.json_values import Json
from understudy.langserver.proven.life import alive
from understudy.langserver.recode import Recoder
from understudy.langserver.seat import Seat
from understudy.langserver.server import Server
from understudy.langserver.waiting import all_of
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.findings import Finding
from understudy.values.positions import LineIndex
from understudy.values.verdicts import Answer, Reason, ReasonCode

_LIVES = 2
"""Processes that one judgement may use: one that dies of something else is replaced at once."""

_MAX_SILENT = 3
"""Judgements in a row without a single message from the server before it counts as hung."""


class Lease:
    """Holds a seat's turn (or, with `refusal`, did not get it in time)."""

    def __init__(self, seat: Seat, refusal: Reason | None = None) -> None:
        self._seat = seat
        self._refusal = refusal
        self._moved: list[Moved] = []
        self._answering: Server | None = None

    async def judge(
        self,
        snapshot: Snapshot,
        paths: Sequence[str],
        deadline: float,
        asking: Callable[[], None] = lambda: None,
    ) -> dict[str, Answer]:
        """What the server proves about each path of the snapshot, or why nothing; loop time.

        Every path gets an answer. `asking` is called as the server gets to work. Raises Moved when
        the disk has gone on before its text was read.
        """
        able, answers = self._sort_out(snapshot, paths)
        for _ in range(_LIVES):
            if not able:
                break
            server, found = await self._judge_once(snapshot, able, deadline, asking)
            answers |= found
            self._answering = server
            if server is None or server.dead is None:
                break
            able = [path for path in able if _has_crashed(answers[path])]
        return {path: answers[path] for path in paths}

    async def configuration_errors(
        self, snapshot: Snapshot, paths: Sequence[str], deadline: float
    ) -> frozenset[str] | Reason:
        """What the process that answered last says against its configuration, or why nothing."""
        server = self._answering
        if server is None:
            return Reason("crashed", f"{self._seat.spec.name} gave no answer")
        try:
            return await configuration_errors(server, snapshot, paths, deadline)
        except Dead as end:
            return Reason("crashed", server.explain(str(end)))
        except asyncio.TimeoutError:
            text = f"{server.spec.name} did not say in time whether it can use its configuration"
            text += self._seat.urgency.why_late()
            return Reason("timeout", text)

    async def request(
        self,
        snapshot: Snapshot,
        path: str,
        method: str,
        params: Json,
        deadline: float,
        beside: Sequence[str] = (),
    ) -> Json:
        """A request's raw result on the snapshot, positions in UTF-16 both ways.

        `beside` are files that are open meanwhile, as far as they can be shown.
        Raises OutsideFailure with a reason's code (`timeout`, `crashed`, ...), `refused` for an
        error answer, `not-offered` where the server never said that it knows the method and gave
        nothing; BadInput for a path that cannot be shown, Moved.
        """
        judged = self._seat.spec.profile.language_of
        others = [other for other in beside if other != path and judged(other) is not None]
        server = await self._able(snapshot, [path, *others], deadline, anew=False)
        return await self._asked(server, snapshot, path, method, params, deadline, others)

    async def follow_up(
        self, snapshot: Snapshot, path: str, method: str, params: Json, deadline: float
    ) -> Json:
        """A request on what `diagnostics` has shown: clangd forgets its fixes with a document."""
        assert self._answering is not None
        return await self._asked(self._answering, snapshot, path, method, params, deadline)

    @property
    def action_kinds(self) -> tuple[str, ...]:
        """The kinds of code actions that the server knows that `diagnostics` has asked."""
        return () if self._answering is None else self._answering.client.action_kinds

    async def _able(
        self, snapshot: Snapshot, paths: Sequence[str], deadline: float, *, anew: bool = True
    ) -> Server:
        """A server that shows the first of the paths, at least; raises as `request` does."""
        shown = await self._showing(snapshot, paths, deadline, anew=anew)
        if isinstance(shown, Reason):
            raise OutsideFailure(shown.code, shown.text, self._seat.spec.name)
        refused, server = shown
        if paths[0] in refused:
            raise refused[paths[0]]
        return server

    async def _asked(
        self,
        server: Server,
        snapshot: Snapshot,
        path: str,
        method: str,
        params: Json,
        deadline: float,
        beside: Sequence[str] | None = None,
    ) -> Json:
        """Ask; `beside` None: of what is shown, without another look at it."""
        recoder = Recoder(server.client, snapshot, path)
        server.client.edit_in_utf16 = recoder.incoming
        mark = server.client.connection.n_received
        try:
            if beside is not None:
                await server.documents.reopen(snapshot, path, deadline)
                await server.documents.read_by_server(beside, deadline)
            result = await server.client.connection.request(
                method, recoder.outgoing(params), deadline
            )
            if result is None and not server.client.offers(method):
                raise OutsideFailure("not-offered", f"it has no {method}", self._seat.spec.name)
            return recoder.incoming(result)
        except ErrorAnswer as error:
            code = "refused" if server.client.offers(method) else "not-offered"
            raise OutsideFailure(code, str(error), self._seat.spec.name) from error
        except Dead as end:
            raise OutsideFailure("crashed", server.explain(str(end)), server.spec.name) from end
        except asyncio.TimeoutError as late:
            self._note_silence(server, mark)
            text = f"no answer to {method}{self._seat.urgency.why_late()}"
            raise OutsideFailure("timeout", text, server.spec.name) from late

    async def diagnostics(
        self, snapshot: Snapshot, path: str, deadline: float
    ) -> list[tuple[Finding, Json]]:
        """The proven findings of a path, each with its diagnostic as the server said it, in UTF-16.

        Raises OutsideFailure with a reason's code where nothing is proven, BadInput, Moved.
        """
        name = self._seat.spec.name
        server = self._answering = await self._able(snapshot, [path], deadline)
        try:
            outcome = await self._outcome(server, snapshot, path, deadline)
            if isinstance(outcome, Reason):
                raise OutsideFailure(outcome.code, outcome.text, name)
            told = told_of(outcome, path, name, _index(snapshot, path))
        except Malformed as error:
            raise OutsideFailure("unproven", str(error), name) from error
        except Dead as end:
            raise OutsideFailure("crashed", server.explain(str(end)), name) from end
        except asyncio.TimeoutError as late:
            reason = self._timeout_reason(server)
            raise OutsideFailure(reason.code, reason.text, name) from late
        recoder = Recoder(server.client, snapshot, path)
        return [(finding, recoder.incoming(raw)) for finding, raw in told]

    async def _judge_once(
        self,
        snapshot: Snapshot,
        paths: Sequence[str],
        deadline: float,
        asking: Callable[[], None],
    ) -> tuple[Server | None, dict[str, Answer]]:
        """The answers of one server process, and that process."""
        began = time.perf_counter()
        shown = await self._showing(snapshot, paths, deadline)
        if isinstance(shown, Reason):
            return None, {path: self._unknown(path, shown, began) for path in paths}
        refused, server = shown
        answers = {
            path: self._unknown(path, _reason_of(error), began) for path, error in refused.items()
        }
        asked = server.documents.in_turn([path for path in paths if path not in refused])
        asking()
        return server, answers | await self._ask_all(server, snapshot, asked, deadline)

    def _sort_out(
        self, snapshot: Snapshot, paths: Sequence[str]
    ) -> tuple[list[str], dict[str, Answer]]:
        """Paths that can be judged, and the answers for the others."""
        able: list[str] = []
        answers: dict[str, Answer] = {}
        for path in paths:
            reason = None
            if self._seat.spec.profile.language_of(path) is None:
                reason = Reason("unsupported", f"{self._seat.spec.name} does not judge such files")
            elif not snapshot.exists(path):
                reason = Reason("unsupported", "there is no such file in this snapshot")
            if reason is None:
                able.append(path)
            else:
                answers[path] = self._unknown(path, reason, time.perf_counter())
        return able, answers

    async def _showing(
        self, snapshot: Snapshot, paths: Sequence[str], deadline: float, *, anew: bool = True
    ) -> tuple[dict[str, BadInput], Server] | Reason:
        """A server that shows the snapshot; the paths that cannot be shown come with it."""
        if self._refusal is not None:
            return self._refusal
        reason = Reason("unproven", "the folder changes faster than the server can be restarted")
        for _ in range(_LIVES):  # a new process has nothing to catch up with
            server = await self._seat.running(deadline, snapshot)
            if isinstance(server, Reason):
                return server
            self._serve_content(server, snapshot)
            mark = server.client.connection.n_received
            try:
                refused = await server.documents.show(snapshot, paths, deadline, anew=anew)
                await server.client.connection.drain(deadline)
            except NeedsRestart as why:
                self._seat.give_up(str(why), crashed=False)
            except Dead as end:
                reason = Reason("crashed", server.explain(str(end)))
            except OutsideFailure as failure:
                reason = Reason("crashed", f"its stage failed: {failure}")
                self._seat.give_up(reason.text, crashed=True)
            except BadInput as refusal:
                self._seat.give_up("its stage is half-way to another snapshot", crashed=False)
                return Reason("unsupported", f"it cannot be staged: {refusal}")
            except StillReading:
                self._note_silence(server, mark)
                return self._timeout_reason(server)
            except asyncio.TimeoutError:
                server.spoiled = "it stopped reading its input"
                late = self._seat.urgency.why_late()
                return Reason("timeout", f"{server.spec.name} does not read its input{late}")
            else:
                hidden = server.documents.hidden
                if hidden and server.spec.profile.scope == "project":
                    return hidden_reason(hidden)
                return refused, server
        return reason

    async def _ask_all(
        self, server: Server, snapshot: Snapshot, paths: Sequence[str], deadline: float
    ) -> dict[str, Answer]:
        """Ask for all paths, a few at a time; evidence counts only if nothing else was sent."""
        mark = server.client.connection.n_received
        gate = asyncio.Semaphore(max(server.spec.profile.at_once, 1))

        async def gated(path: str) -> Answer:
            async with gate:
                return await self._ask(server, snapshot, path, deadline)

        if len(paths) == 1:
            answers = [await self._ask(server, snapshot, paths[0], deadline)]
        else:
            answers = await all_of([gated(path) for path in paths])
        if self._moved:
            raise self._moved[0]
        answers = await alive(server, self._seat.voices, snapshot, answers, deadline)
        if any(answer.reason is None for answer in answers):
            self._seat.proved()
        if any(answer.reason is not None and answer.reason.code == "timeout" for answer in answers):
            self._note_silence(server, mark)
        else:
            server.n_silent = 0
        return {answer.path: answer for answer in answers}

    async def _ask(self, server: Server, snapshot: Snapshot, path: str, deadline: float) -> Answer:
        began = time.perf_counter()
        rule = server.spec.profile.rule
        try:
            outcome = await self._outcome(server, snapshot, path, deadline)
            if isinstance(outcome, Proof):
                name, showing = server.spec.name, server.showing(path)
                findings = findings_of(outcome, path, name, _index(snapshot, path))
                return Answer(path, name, rule, findings, None, _ms_since(began), showing)
        except Malformed as error:
            outcome = Reason("unproven", str(error))
        except Dead as end:
            outcome = Reason("crashed", server.explain(str(end)))
        except asyncio.TimeoutError:
            outcome = self._timeout_reason(server)
        return self._unknown(path, outcome, began)

    async def _outcome(
        self, server: Server, snapshot: Snapshot, path: str, deadline: float
    ) -> Proof | Reason:
        """What the server's rule accepts of a path that is shown; raises as rules do."""
        digest = server.documents.shown(path).digest
        outcome = await RULES[server.spec.profile.rule](server, snapshot, path, deadline)
        if server.dead is not None:
            return Reason("crashed", server.explain(server.dead))
        if server.documents.shown(path).digest != digest:
            return Reason("unproven", "another text was shown before the answer came")
        return outcome

    def _serve_content(self, server: Server, snapshot: Snapshot) -> None:
        """Answer the server's own requests for files with the snapshot's text.

        None for any other address, and for what is no text; Moved is raised when the answers are.
        """

        def content(uri: str) -> str | None:
            path = server.client.path_of(uri)
            if path is None:
                return None
            try:
                text = snapshot.read(path)
            except Moved as signal:
                self._moved.append(signal)
                return None
            except BadInput:
                return None
            return None if text is None else text.sendable

        self._moved = []
        server.client.content = content

    def _unknown(self, path: str, reason: Reason, began: float) -> Answer:
        spec = self._seat.spec
        return Answer(path, spec.name, spec.profile.rule, None, reason, _ms_since(began))

    def _timeout_reason(self, server: Server) -> Reason:
        name, late = server.spec.name, self._seat.urgency.why_late()
        if server.spec.profile.rule == "pull" and not server.client.pulls:
            return Reason("starting", f"{name} has not offered diagnostics yet{late}; ask again")
        return Reason("timeout", f"{name} gave no proven answer in time{late}")

    def _note_silence(self, server: Server, mark: int) -> None:
        """A server that says nothing at all, again and again, is replaced, if it could speak."""
        silent = server.client.connection.n_received == mark and not self._seat.urgency.is_starved
        server.n_silent = server.n_silent + 1 if silent else 0
        if server.n_silent >= _MAX_SILENT:
            server.spoiled = "it has stopped answering"


def _index(snapshot: Snapshot, path: str) -> Callable[[], LineIndex]:
    def index() -> LineIndex:
        text = snapshot.read(path)
        assert text is not None
        return LineIndex(text.sendable)

    return index


def _reason_of(error: BadInput) -> Reason:
    code: ReasonCode = "too-large" if error.code == "too-large" else "unsupported"
    return Reason(code, error.text)


def _has_crashed(answer: Answer) -> bool:
    return answer.reason is not None and answer.reason.code == "crashed"


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
