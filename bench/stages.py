"""What the rows on stages share: generated trees, and a kind of stage in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from understudy.stage.overlay.kind import OverlayKind

FILES_A_FOLDER = 25
_TEXT = "export const value = {};\n"


def write_tree(root: Path, n_files: int) -> Path:
    """A tree of small files, as deep and as narrow as installed packages are."""
    for number in range(n_files):
        folder, index = divmod(number, FILES_A_FOLDER)
        if index == 0:
            here = root / f"group-{folder % 40}" / f"package-{folder}" / "lib"
            here.mkdir(parents=True)
        (here / f"module_{index}.js").write_text(_TEXT.format(number))
    return root


@asynccontextmanager
async def overlay(scratch: Path) -> AsyncIterator[OverlayKind]:
    """A kind that was probed and is warm, as in a running server."""
    tasks: set[asyncio.Task[None]] = set()

    def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        tasks.add(task := asyncio.create_task(work, name=name))
        return task

    kind = OverlayKind(scratch, scratch / "helper.log", spawn)
    report = await kind.probe()
    assert report.ok, report
    try:
        yield kind
    finally:
        await kind.close()
        await asyncio.gather(*tasks)
