"""The folders that one MCP client may have served: those that the user or the client has named.

An agent chooses among them; what else it names is refused, whether it is there or not.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from understudy.values.errors import BadInput, Refused
from understudy.values.paths import Root

_OTHERS = "The user names others as `understudy mcp --root DIR`, or opens them in the client"
_LONGEST = 4096
"""Characters of a path that is looked at."""
Ask = Callable[[], Awaitable[Sequence[Path]]]
"""Asks the client which folders it has open; nothing where it does not say."""


class ServedFolders:
    """`named` are those of the command line; without any, the client's count, else `working`."""

    def __init__(self, named: Sequence[Path], working: Path) -> None:
        self._named = tuple(named)
        self._working = working
        self._of_client: tuple[Path, ...] | None = None
        self._asking = asyncio.Lock()

    def forget(self) -> None:
        """Ask the client anew when it matters next: it has said that its folders are others."""
        self._of_client = None

    async def meant(self, wish: object, ask: Ask) -> Root:
        """The folder that a call is about; None means the first one.

        Raises Refused `root-not-served` for what neither the user nor the client has named,
        BadInput `bad-params`, and as `Root.open` does.
        """
        if wish is not None and not isinstance(wish, str):
            raise BadInput("bad-params", "expected a string", "root")
        served = await self._served(ask, again=False)
        if wish is None:
            return _opened(served[0])
        found = _among(served, wish) or _among(await self._served(ask, again=True), wish)
        if found is None:
            listed = ", ".join(map(str, served))
            text = f"not served; this session may ask for: {listed}. {_OTHERS}"
            raise Refused("root-not-served", text, wish)
        return _opened(found)

    async def _served(self, ask: Ask, *, again: bool) -> Sequence[Path]:
        """Every folder that may be served, the one that is meant by default first."""
        if self._named and not again:
            return self._named  # a client takes seconds to say that it has none
        async with self._asking:
            if self._of_client is None or again:
                self._of_client = tuple(await ask())
            found = (*self._named, *self._of_client)
        return found or (self._working,)


def _among(served: Sequence[Path], wish: str) -> Path | None:
    """The served folder that a text names: absolute, or relative to the first one."""
    if len(wish) > _LONGEST:
        return None
    try:
        asked = os.path.realpath(served[0] / wish)
    except (OSError, ValueError):  # a NUL, or half of a surrogate pair
        return None
    return next((folder for folder in served if os.path.realpath(folder) == asked), None)


def _opened(folder: Path) -> Root:
    root = Root.open(folder)
    if root.path in (Path(root.path.anchor), Path.home()):
        text = "too wide for a project; start `understudy mcp` with --root DIR"
        raise BadInput("no-such-root", text, str(root.path))
    return root
