"""A rehearsal in this process: its loop in a thread of its own, the terminal in the main one."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
import threading
from base64 import b64decode
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.rehearse import GivenTexts, Rehearsal, RehearsalEnd, opened
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.faces.hosting.link import HostLink
from understudy.faces.rehearsal.again import again
from understudy.faces.rehearsal.loop import ENDING, RehearsalLoop, wait_heard
from understudy.faces.rehearsal.way import Way, opened_way, until_taken
from understudy.stage.live import LiveProgram, LiveStage
from understudy.terminal.program import set_size
from understudy.terminal.scribe import Size
from understudy.values.errors import UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.rehearsals.place import RehearsalPlace, place_of
from understudy.workspace.tasks import Tasks

T = TypeVar("T")
Tell = Callable[[str], None]
Streams = Callable[[str], tuple[int, int, int]]
"""The streams of a command, for the id of its branch."""
_ASK_AGAIN_S = 2.0
_HEED_S = 0.3
_GRACE_S = 5.0


def rehearse_here(
    folder: Path,
    branch: str | None,
    title: str,
    options: RehearseOptions,
    *,
    tell: Tell,
    until_clean: int | None = None,
    speaks_acp: bool = False,
) -> RehearsalEnd:
    """Have a command live in a branch (None: a new one), on this terminal if there is one.

    `tell` hears of what is wrong meanwhile. Raises as `rehearse.opened` and `Rehearsal.launch` do,
    and as coming to the folder's host does.
    """
    root = Root.open(folder)
    live = LiveRehearsal(root, branch, title, options, tell, until_clean, speaks_acp)
    is_terminal = os.isatty(0) and os.isatty(1) and not speaks_acp
    with RehearsalLoop() as loop:
        return live.on_terminal(loop) if is_terminal else live.on_streams(loop)


@frozen
class Fellows:
    """What rehearsals have in common that one command has started: they begin in order."""

    streams: Streams
    begun: list[Future[LiveProgram]] = field(default_factory=lambda: [])
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass
class LiveRehearsal:
    """A rehearsal that begins, as the main thread sees it: a program, perhaps on a terminal."""

    root: Root
    branch: str | None
    title: str
    options: RehearseOptions
    tell: Tell
    until_clean: int | None = None
    speaks_acp: bool = False
    fellows: Fellows | None = None
    _is_over: bool = False
    """Its end was asked for: it is not started again."""
    _program: LiveProgram | None = None
    """The one that runs now, where it is not the first."""
    _started: Future[LiveProgram] = field(default_factory=Future[LiveProgram])
    _terminal: tuple[int, int] | None = None
    _loop: RehearsalLoop | None = None
    _size: Size | None = None
    _is_on_terminal: bool = False
    _branch: str = ""

    def __post_init__(self) -> None:
        self.end, self._ending = os.pipe()

    # ---- in the main thread

    def on_terminal(self, loop: RehearsalLoop) -> RehearsalEnd:
        """Pass this terminal through."""
        from understudy.terminal.recorder import record  # noqa: PLC0415 - POSIX alone has it
        from understudy.terminal.shells import ShellStart  # noqa: PLC0415 - as above

        self._is_on_terminal, self._loop = True, loop
        self._running: Future[RehearsalEnd] | None = None
        log = _log(self.root.path, self.options.argv, self.tell)
        record(ShellStart(self.options.argv), log, self)
        assert self._running is not None
        return self._running.result()

    def begin(self, loop: RehearsalLoop) -> Future[RehearsalEnd]:
        """Have it begin, without a terminal."""
        self._loop = loop
        return loop.begin(self._run())

    def on_streams(self, loop: RehearsalLoop) -> RehearsalEnd:
        """Hand our own streams on; signals go to the command."""
        return wait_heard(lambda: [self.begin(loop)], self.send)[0].result()

    def start(self, size: Size, log: str | None) -> int:
        """See `TerminalProgram.start`."""
        del log  # it lies where the stage shows nothing
        assert self._loop is not None
        self._size = size
        self._running = self._loop.begin(self._run())
        self._started.result()
        assert self._terminal is not None
        return self._terminal[0]

    def poll(self) -> int | None:
        """See `TerminalProgram.poll`."""
        return self._started.result().exit_status

    def wait(self) -> int:
        """See `TerminalProgram.wait`."""
        os.read(self.end, 1)
        return self.poll() or 0

    def send(self, number: int) -> None:
        """See `TerminalProgram.send`; what asks for the end gets it, within a time.

        An interrupt does so among fellows. What has not started yet hears of it once it has.
        """
        if number in ENDING or self.fellows is not None:
            self._is_over = True
        self._started.add_done_callback(lambda started: self._sent(number, started))

    def _sent(self, number: int, started: Future[LiveProgram]) -> None:
        if self._loop is None or started.exception() is not None:
            return
        program = self._program or started.result()
        if number in ENDING:
            work = program.end_tree(_GRACE_S)
        elif self.fellows is not None:
            work = _interrupted(program)
        else:
            work = program.send(number)
        self._loop.begin(_silently(work))

    # ---- in the loop's thread

    async def _run(self) -> RehearsalEnd:
        try:
            return await self._live()
        except BaseException as error:  # whatever it is: who waits for the start hears of it
            if not self._started.done():
                self._started.set_exception(error)
            raise
        finally:
            os.close(self._ending)

    async def _live(self) -> RehearsalEnd:
        layout = workspace_layout(self.root).create()
        settings = settings_module.load(self.root, trusted=is_trusted(self.root))
        link = HostLink(self.root, agent=False, stays=True, leaves=True)
        tasks = Tasks()
        try:
            given = await self._in_turn(link)
            place = place_of(layout, given.branch)
            async with (
                opened_way(link, place, given.branch, self.until_clean) as way,
                opened(self.root, layout, settings, way.shown_by(self.options), given) as rehearsal,
            ):
                way.begun(rehearsal)
                self._branch = given.branch
                self._say_where(rehearsal.stage)
                keeping = [tasks.spawn(_keep(link), "stay with a host")]
                if self.fellows is not None:
                    keeping.append(tasks.spawn(self._heed(place), "heed the user's word"))
                try:
                    ended = await self._to_its_end(rehearsal, way)
                    with suppress(UnderstudyError, OSError):  # the next host takes it otherwise
                        await until_taken(link, place)
                finally:
                    for task in keeping:
                        task.cancel()
                return ended
        finally:
            await tasks.close()
            await link.close()

    async def _to_its_end(self, rehearsal: Rehearsal, way: Way) -> RehearsalEnd:
        """Have it live; once it has started it is finished, whatever has hindered its life."""
        try:
            await (self._between if self.speaks_acp else self._by_itself)(rehearsal, way)
            os.write(self._ending, b"+")
        except BaseException:  # whatever it is: what was written and committed is kept
            if self._started.done():
                await rehearsal.finish(self._program or self._started.result(), self.options)
            raise
        return await rehearsal.finish(self._program or self._started.result(), self.options)

    async def _heed(self, place: RehearsalPlace) -> None:
        """Ask for the end once the user wants that of this branch, and not of its fellows."""
        while True:
            if place.is_asked_to_end:
                self.send(signal.SIGTERM)
                return
            await asyncio.sleep(_HEED_S)

    async def _in_turn(self, link: HostLink) -> GivenTexts:
        """The branch; where the first of several does not start, the others have none."""
        if self.fellows is None:
            return await self._given(link)
        async with self.fellows.turn:
            for first in self.fellows.begun[:1]:
                await asyncio.wrap_future(first)
            self.fellows.begun.append(self._started)
            return await self._given(link)

    async def _given(self, link: HostLink) -> GivenTexts:
        told = await link.call("rehearse", {"branch": self.branch, "title": self.title})
        texts = {path: (_bytes(base), _bytes(shown)) for path, base, shown in told["texts"]}
        return GivenTexts(told["branch"], texts, self.fellows is not None)

    async def _between(self, rehearsal: Rehearsal, way: Way) -> None:
        """Stand between the editor on our streams and the agent; returns when it has ended."""
        from understudy.faces.rehearsal.acp import AcpSwitch  # noqa: PLC0415 - few speak it

        reading, for_agent = os.pipe()
        of_agent, writing = os.pipe()
        editor, agent = await _streams(0, 1), await _streams(of_agent, for_agent)
        streams = reading, writing, _written_to(2)
        program = await rehearsal.launch(way.shown_by(self.options), streams, controls=False)
        self._started.set_result(program)
        await AcpSwitch(self.root, rehearsal, way, self.tell).serve(program, editor, agent)

    def _say(self, text: str) -> None:
        self.tell(text if self.fellows is None else f"{self._branch}: {text}")

    def _say_where(self, stage: LiveStage) -> None:
        """Tell where it works if that is not the folder itself, and what is not as there."""
        if stage.frozen.folder is not None:
            self._say("it works over a snapshot of the folder; files that you save come in")
        if stage.root != self.root.path:
            self._say(f"it works in a copy of the folder, at {stage.root}: no overlay can be had")
            for note in stage.isolation.notes:
                self._say(f"  {note}")

    def _streams(self) -> tuple[int, int, int]:
        return _own_streams() if self.fellows is None else self.fellows.streams(self._branch)

    async def _by_itself(self, rehearsal: Rehearsal, way: Way) -> None:
        """Run the command to its end, and start it again with what is left to mend.

        On a terminal nobody is started again: its user ends a session that is meant to end.
        """
        options = way.shown_by(self.options)
        if self.fellows is not None:
            self._say(self.title)
        program = await self._launch(rehearsal, options)
        for shown in rehearsal.published:
            self._say(f"{shown.what} is shown at {shown.url}")
        self._started.set_result(program)
        await program.wait_exited()
        while self.until_clean and not self._is_on_terminal and program.exit_status == 0:
            if self._is_over or again(self.options.argv, "") is None:
                break
            try:
                text = await way.socket.tell_end()
            except (UnderstudyError, OSError) as error:
                self._say(f"the end of the turn was not judged: {error}")
                break
            argv = again(self.options.argv, text) if text else None
            if argv is None or self._is_over:
                break
            self._say("the agent is told what its branch has broken, and goes on")
            wanted, streams = replace(options, argv=argv), self._streams()
            self._program = program = await rehearsal.launch(wanted, streams, controls=False)
            if self._is_over:  # who asked for the end has reached the one before
                await _silently(program.end_tree(_GRACE_S))
            await program.wait_exited()

    async def _launch(self, rehearsal: Rehearsal, options: RehearseOptions) -> LiveProgram:
        if not self._is_on_terminal:
            return await rehearsal.launch(options, self._streams(), controls=False)
        ours, theirs = self._terminal = await rehearsal.stage.terminal()
        if self._size is not None:
            set_size(ours, self._size)
        termios.tcsetattr(theirs, termios.TCSANOW, termios.tcgetattr(0))
        return await rehearsal.launch(options, (theirs, theirs, theirs), controls=True)


async def _keep(link: HostLink) -> None:
    """Stay with a host, so that it stays; where it ends, come to the next one."""
    while True:
        await asyncio.sleep(_ASK_AGAIN_S)
        if not link.is_open:
            with suppress(UnderstudyError, OSError):  # what is written lies on disk meanwhile
                await link.open()


async def _streams(
    incoming: int, outgoing: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Two descriptors as streams of the loop, which owns them then."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    source = os.fdopen(incoming, "rb", buffering=0)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    target = os.fdopen(outgoing, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), target
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


async def _silently(work: Coroutine[Any, Any, object]) -> None:
    with suppress(UnderstudyError):
        await work


async def _interrupted(program: LiveProgram) -> None:
    await program.send(signal.SIGINT)
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(program.wait_exited(), _GRACE_S)
    if program.exit_status is None:
        await program.end_tree(_GRACE_S)


def _own_streams() -> tuple[int, int, int]:
    """Copies of our streams. A terminal itself is not handed on: it could be typed into."""
    return _copied(0), _written_to(1), _written_to(2)


def _copied(stream: int) -> int:
    if not os.isatty(stream):
        return os.dup(stream)
    reading, writing = os.pipe()
    threading.Thread(target=_copy, args=(stream, writing), daemon=True).start()
    return reading


def _written_to(stream: int) -> int:
    if not os.isatty(stream):
        return os.dup(stream)
    reading, writing = os.pipe()
    threading.Thread(target=_copy, args=(reading, stream)).start()
    return writing


def _copy(source: int, target: int) -> None:
    with suppress(OSError):
        while data := os.read(source, 65536):
            view = memoryview(data)
            while view:
                view = view[os.write(target, view) :]
    os.close(target if target > 2 else source)


def _log(folder: Path, argv: tuple[str, ...], tell: Tell) -> Any:  # noqa: ANN401 - loaded late
    """The file that this terminal is recorded in, where its user records."""
    from understudy.app.terminals import record as verb  # noqa: PLC0415 - without it, no recording
    from understudy.disk.recording_consent import consent  # noqa: PLC0415 - as above

    if consent() is not True or verb.is_recorded_already():
        return None
    try:
        return verb.open_log(folder, argv)
    except UnderstudyError as error:
        tell(f"not recorded: {error}")
        return None


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
