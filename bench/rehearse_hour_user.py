"""The user of `rehearse_hour`: types into an editor, saves beside it, switches git branches."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.lsp_client import LspClient, lsp_client
from tests.e2e.folders import child_environment, make_folder
from tests.support.repositories import GitRepository

N_LINES, LINES_APART, WIDTH = 64, 8, 40
"""The user's lines are the multiples of `LINES_APART`, the agents' those in the middle between."""
DEADLINE_S = 120.0
_TYPED = "typed.txt"
_ENDED = (asyncio.IncompleteReadError, ConnectionError, RuntimeError, asyncio.TimeoutError)


def line_of(text: str) -> str:
    """A line of the width that all have, so that one may be mapped."""
    return f"{text:<{WIDTH}}\n"


def first_line(path: str, number: int) -> str:
    """What a line is before anybody has written it."""
    return line_of(f"{path} {number}")


@dataclass
class User:
    """What the user has on disk and in the editor, which nobody else may change."""

    folder: Path
    state: Path
    say: Callable[[str], None]
    git: GitRepository
    texts: dict[str, list[str]]
    chance: random.Random = field(default_factory=lambda: random.Random(2))  # noqa: S311
    n_changed: int = 0
    _asides: dict[str, dict[str, list[str]]] = field(default_factory=lambda: {})
    _on: str = "main"
    _buffer: list[str] = field(default_factory=list[str])
    _version: int = 1
    _editor: LspClient | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    async def begin(
        cls, folder: Path, state: Path, files: Sequence[str], say: Callable[[str], None]
    ) -> User:
        """Make the folder, and open an editor on it."""
        texts = {path: [first_line(path, number) for number in range(N_LINES)] for path in files}
        make_folder(folder, {path: "".join(lines) for path, lines in texts.items()})
        git = GitRepository(folder)
        git.commit()
        user = cls(folder, state, say, git, texts)
        user._on = git.git("symbolic-ref", "--short", "HEAD").strip()
        user._buffer = list(texts[_TYPED])
        await user._open()
        return user

    async def end(self) -> None:
        """Close the editor."""
        with suppress(*_ENDED):
            await self._stack.aclose()

    async def ask(self, method: str, params: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """Ask by way of the editor; raises where its server has been killed, and opens another."""
        editor = self._editor
        assert editor is not None
        if editor.process.returncode is not None:
            await self._open(instead_of=editor)
            raise ConnectionResetError
        return await asyncio.wait_for(editor.request(method, params), DEADLINE_S)

    async def asked_until_answered(self, method: str, params: dict[str, Any]) -> Any:  # noqa: ANN401
        """The same, again where the server was killed before."""
        for _ in range(5):
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                return await self.ask(method, params)
        raise ConnectionResetError

    async def _open(self, instead_of: LspClient | None = None) -> None:
        async with self._opening:
            if self._editor is not instead_of:
                return
            with suppress(*_ENDED):
                await self._stack.aclose()
            self._stack = AsyncExitStack()
            environ = child_environment(self.state)
            client = lsp_client(self.folder, self.state, environ=environ)
            self._editor = await self._stack.enter_async_context(client)
            item = {"languageId": "plaintext", "version": self._version}
            item |= {"uri": self._editor.uri(_TYPED), "text": "".join(self._buffer)}
            self._editor.notify("textDocument/didOpen", {"textDocument": item})

    async def type_until(self, end: float) -> None:
        """Change a line in the editor, and never save."""
        while time.monotonic() < end:
            await asyncio.sleep(0.3)
            editor = self._editor
            if editor is None or editor.process.returncode is not None:
                with suppress(*_ENDED):
                    await self.ask("understudy/status", {})
                continue
            number = self.chance.randrange(0, N_LINES, LINES_APART)
            self._buffer[number] = line_of(f"typed {self._version}")
            self._version += 1
            document = {"uri": editor.uri(_TYPED), "version": self._version}
            change = {"text": "".join(self._buffer)}
            told = {"textDocument": document, "contentChanges": [change]}
            with suppress(*_ENDED):
                editor.notify("textDocument/didChange", told)

    async def save_until(self, end: float) -> None:
        """Save by rename and in place; commit and switch to another git branch now and then."""
        step = 0
        while time.monotonic() < end:
            await asyncio.sleep(self.chance.choice((0.2, 1, 3)))
            step += 1
            self.n_changed += self.n_wrong_now()
            if step % 25 == 0:
                await asyncio.to_thread(self._switch)
                continue
            path = self.chance.choice([one for one in self.texts if one != _TYPED])
            number = self.chance.randrange(0, N_LINES, LINES_APART)
            self.texts[path][number] = line_of(f"saved {step}")
            file = self.folder / path
            if self.chance.random() < 0.4:
                file.write_text("".join(self.texts[path]))
            else:
                beside = file.with_name(f"{file.name}~")
                beside.write_text("".join(self.texts[path]))
                os.replace(beside, file)  # noqa: PTH105 - as editors do

    def n_wrong_now(self) -> int:
        """How many files are not what the user has made of them; each is told."""
        wrong = [
            path
            for path, lines in self.texts.items()
            if (self.folder / path).read_text() != "".join(lines)
        ]
        strays = {
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.is_file() and ".git" not in path.parts
        }
        wrong += sorted(strays - self.texts.keys())
        for path in wrong:
            self.say(f"the user's {path} was changed")
        return len(wrong)

    def _switch(self) -> None:
        """Keep what is there in a commit, and go to the other branch."""
        self.git.git("commit", "-qam", "saved")
        other = "other" if self._on != "other" else self._first
        self._asides[self._on] = {path: list(lines) for path, lines in self.texts.items()}
        if other in self._asides:
            self.git.git("checkout", "-q", other)
            self.texts = {path: list(lines) for path, lines in self._asides[other].items()}
        else:
            self.git.git("checkout", "-q", "-b", other)
        self._on = other

    @property
    def _first(self) -> str:
        return next(one for one in self._asides if one != "other")
