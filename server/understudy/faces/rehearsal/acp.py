"""Between an editor and an agent that speak the Agent Client Protocol: the agent lives in a branch.

Files and terminals that it asks for are the stage's, whether the editor has such services or not; a
file that nobody has written to is the editor's, unsaved text included. All else passes as it is.
The frames are the protocol's own package's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.app.rehearse.rehearse import Rehearsal
from understudy.faces.rehearsal.acp_terminals import StageTerminals
from understudy.faces.rehearsal.way import Way
from understudy.langserver.json_values import fields_of
from understudy.stage.live import LiveProgram
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.lines import split_lines
from understudy.values.paths import Root
from understudy.values.texts import Text
from understudy.workspace.tasks import Tasks

if TYPE_CHECKING:
    from acp.connection import Connection

Json = dict[str, Any]
_SERVICES: Json = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
_TERMINAL = "terminal/"
_GRACE_S = 3.0


def refuse_missing() -> None:
    """Raise OutsideFailure `acp-missing` where the protocol's package is not installed."""
    try:
        import acp  # noqa: PLC0415 - it takes a while to load

        del acp
    except ImportError as error:
        text = "the protocol's package is not installed; the fix: pip install 'understudy[acp]'"
        raise OutsideFailure("acp-missing", text) from error


class AcpSwitch:
    """Passes messages between the two sides; `serve` it until one of them has gone."""

    def __init__(
        self, root: Root, rehearsal: Rehearsal, way: Way, tell: Callable[[str], None]
    ) -> None:
        self._root = root
        self._rehearsal = rehearsal
        self._way = way
        self._tell = tell
        self._terminals = StageTerminals(root, rehearsal.stage)
        self._editor_reads = False
        self._editor: Connection | None = None
        self._agent: Connection | None = None

    async def serve(
        self,
        program: LiveProgram,
        editor: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        agent: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Pass on until the agent ends; when the editor goes, the agent is ended."""
        from acp.connection import Connection  # noqa: PLC0415 - as above

        self._editor = Connection(self._from_editor, editor[1], editor[0], listening=False)
        self._agent = Connection(self._from_agent, agent[1], agent[0], listening=False)
        tasks = Tasks()
        here = tasks.spawn(self._editor.main_loop(), "what the editor says")
        tasks.spawn(self._agent.main_loop(), "what the agent says")
        gone = tasks.spawn(program.wait_exited(), "the agent's end")
        try:
            await asyncio.wait([here, gone], return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                await program.end_tree(_GRACE_S)
            await gone
        finally:
            await self._terminals.close()
            for connection in (self._agent, self._editor):
                with suppress(Exception):  # whoever is at the other end has gone
                    await connection.close()
            await tasks.close()

    async def _from_editor(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: ANN401 - JSON
        assert self._agent is not None
        if is_notification:
            await self._agent.send_notification(method, params)
            return None
        if method == "initialize":
            own: Json = params.get("clientCapabilities") or {}
            self._editor_reads = fields_of(own.get("fs")).get("readTextFile") is True
            params = {**params, "clientCapabilities": {**own, **_SERVICES}}
        answer = await self._agent.send_request(method, params)
        return await self._until_clean(params, answer) if method == "session/prompt" else answer

    async def _until_clean(self, params: Json, answer: Any) -> Any:  # noqa: ANN401 - JSON
        """Tell the agent what its turn has broken, in prompts of our own; its last answer."""
        assert self._agent is not None
        rounds = self._way.socket.rounds
        texts = [str(part["text"]) for part in params.get("prompt") or () if "text" in part]
        rounds.begin("\n".join(texts) or None)
        while rounds.limit is not None and answer.get("stopReason") == "end_turn":
            try:
                text = await self._way.socket.tell_end()
            except UnderstudyError as error:
                self._tell(f"the end of the turn was not judged: {error}")
                break
            if not text:
                break
            prompt = [{"type": "text", "text": text}]
            again = {"sessionId": params["sessionId"], "prompt": prompt}
            answer = await self._agent.send_request("session/prompt", again)
        return answer

    async def _from_agent(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: ANN401 - JSON
        assert self._editor is not None
        if is_notification:
            await self._editor.send_notification(method, params)
            return None
        if method == "fs/read_text_file":
            return await _told(self._read(params))
        if method == "fs/write_text_file":
            return await _told(self._write(params))
        if method.startswith(_TERMINAL):
            return await _told(self._terminals.answer(method.removeprefix(_TERMINAL), params))
        return await self._editor.send_request(method, params)

    async def _read(self, params: Json) -> Json:
        path = self._path(params)
        await self._from_base(path, params)
        data = await self._rehearsal.stage.read(path)
        if data is None:
            raise _not_found(params["path"])
        content = Text.decode(data, path).sendable
        first, limit = params.get("line"), params.get("limit")
        if first is not None or limit is not None:
            lines = split_lines(content)
            start = max((first or 1) - 1, 0)
            content = "".join(lines[start : None if limit is None else start + limit])
        return {"content": content}

    async def _write(self, params: Json) -> Json:
        path = self._path(params)
        await self._from_base(path, params)
        data = params["content"].encode("utf-8", "surrogateescape")
        await self._rehearsal.stage.write({path: data})
        return {}

    async def _from_base(self, path: str, params: Json) -> None:
        """Have the stage show the editor's text of a file that nobody has written to there."""
        if not self._editor_reads or await self._rehearsal.is_touched(path):
            return
        assert self._editor is not None
        from acp.exceptions import RequestError  # noqa: PLC0415 - as above

        asked = {"sessionId": params["sessionId"], "path": params["path"]}
        try:
            told = await self._editor.send_request("fs/read_text_file", asked)
        except RequestError:  # the editor has no such file: what the stage shows counts
            return
        content = told.get("content")
        if isinstance(content, str):
            await self._rehearsal.give(path, content.encode("utf-8", "surrogateescape"))

    def _path(self, params: Json) -> str:
        """Root-relative; raises BadInput `outside-root`: no other files are the agent's."""
        place = Path(os.path.normpath(str(params["path"])))
        if not place.is_absolute() or not place.is_relative_to(self._root.path):
            text = "only files of the folder are read and written for an agent in a branch"
            raise BadInput("outside-root", text, str(place))
        return self._root.relative(place.relative_to(self._root.path).as_posix())


async def _told(work: Awaitable[Json]) -> Json:
    """What it gives; our errors as the protocol's, with their names."""
    from acp.exceptions import RequestError  # noqa: PLC0415 - as above

    try:
        return await work
    except UnderstudyError as error:
        data = {"code": error.code, "text": error.text, "where": error.where}
        if error.code == "no-such-file":
            raise RequestError(-32002, f"Resource not found: {error.where}", data) from error
        raise RequestError(-32602, str(error), data) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise RequestError.invalid_params({"text": repr(error)}) from error


def _not_found(path: str) -> BadInput:
    return BadInput("no-such-file", "there is no such file", path)
