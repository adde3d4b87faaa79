"""An overlay stage that a command lives on, and that is looked through and changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from understudy.stage.beneath import check_path
from understudy.stage.inside.disk_use import written
from understudy.stage.live import (
    NEVER_NS,
    CapturedFile,
    FileMark,
    Replaced,
    Replacement,
    SeenPath,
    Sightings,
)
from understudy.stage.model import Command
from understudy.stage.overlay.handles import Handles
from understudy.stage.overlay.replace import Swap, remove_empty
from understudy.stage.overlay.sightings import layer_of, look, take
from understudy.stage.overlay.stage import OverlayStage
from understudy.stage.overlay.starting import portable
from understudy.stage.staged_process import Staged
from understudy.values.errors import OutsideFailure


class LiveOverlayStage(OverlayStage):
    """What `live.LiveStage` asks for beside a stage."""

    began: Mapping[str, FileMark] | None = None

    @property
    def followed_until_ns(self) -> int | None:
        """See `live.Looked.followed_until_ns`."""
        return None if self.frozen.folder is None else NEVER_NS

    async def refresh(self) -> None:
        """See `model.Stage.refresh`; what lies on a snapshot has nothing to forget."""
        if self.frozen.folder is None:
            await super().refresh()

    async def terminal(self) -> tuple[int, int]:
        """See `live.LiveStage.terminal`."""
        reply, sides = await self._open_channel().request({"do": "terminal"})
        if "failed" in reply:
            text = f"the stage has no terminal: {reply['text']}"
            raise OutsideFailure("stage-failed", text)
        return sides[0], sides[1]

    async def launch(
        self, command: Command, streams: tuple[int, int, int], *, controls: bool
    ) -> Staged:
        """See `live.LiveStage.launch`."""
        started = await self._start(command, streams, controls=controls)
        staged = Staged(*started)
        self._register(started[1], staged)
        return staged

    async def sightings(self, enters: Callable[[str], bool]) -> Sightings:
        """See `live.LiveStage.sightings`."""
        return await self._work(
            lambda handles: look(handles.layers, enters, lambda: self._is_closing)
        )

    async def seen(self, path: str, enters: Callable[[str], bool]) -> SeenPath | None:
        """See `live.LiveStage.seen`."""
        found = await self._work(lambda handles: look(handles.layers, enters, _never, path))
        return found.items.get(path)

    async def taken(self, path: str) -> CapturedFile | None:
        """See `live.LiveStage.taken`."""
        return await self._work(lambda handles: take(handles.layers, path))

    async def written(self) -> int:
        """See `live.LiveStage.written`."""
        return await self._work(lambda handles: written(handles.layers[0].upper))

    async def replace(self, wanted: Replacement) -> Replaced:
        """See `live.LiveStage.replace`."""
        check_path(wanted.path)
        readers = wanted.readers_count
        if wanted.instead_of is not None and await self.is_used(wanted.path, readers=readers):
            return Replaced(done=False)
        swap = await self._work(lambda handles: Swap(handles.root, wanted))
        if not await self._work(lambda _: swap.begin()):
            return Replaced(done=False)
        is_it = await self._work(lambda _: swap.holds_what_it_should())
        is_free = is_it and not await self.is_used(swap.other_path, readers=readers)

        def end(handles: Handles) -> FileMark | None:
            layer = layer_of(handles.layers, wanted.path)
            if not is_free:
                swap.undo()
                return swap.mark(layer, wanted.instead_of) if is_it else None
            swap.finish()
            if wanted.data is None:
                remove_empty(handles.root, wanted.path, self.root)
                return ()
            return swap.mark(layer, wanted.data)

        return Replaced(is_free, await self._work(end))

    async def is_used(self, path: str, *, readers: bool) -> bool:
        """See `live.LiveStage.is_used`."""
        absolute = portable(str(self.root / path))
        message = {"do": "who uses", "path": absolute, "readers": readers}
        reply, _ = await self._open_channel().request(message)
        return bool(reply.get("is_used", True))


def _never() -> bool:
    return False
