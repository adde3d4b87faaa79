"""Being the host of a folder in a process that its first caller has left behind."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from understudy.app.host.terms import Terms, forget_session
from understudy.disk.layout import Layout
from understudy.disk.lock import HostLock
from understudy.disk.trust import is_trusted
from understudy.process.detached import END_SIGNALS
from understudy.process.machine_memory import go_first
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root

log = logging.getLogger(__name__)


def stay(root: Root, place: Layout, terms: Terms, tell: Callable[[], None]) -> NoReturn:
    """Be the host of a folder, in a process of its own; `tell` is called once it listens."""
    code = 1
    try:
        sys.path[:] = [str(Path(entry).absolute()) for entry in sys.path if entry]
        os.chdir(root.path.anchor)  # the folder that the caller stands in may go
        forget_session()
        go_first()
        lock = HostLock.acquire(place.create().lock)
        logging.basicConfig(
            filename=place.log("host"), filemode="w", level=logging.WARNING, force=True,
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        )  # fmt: skip
        asyncio.run(_serve(root, place, terms, lock, tell))
        code = 0
    except UnderstudyError as error:
        log.warning("no host stays behind: %s", error)
    except BaseException:  # as above; what it was is for the log
        log.exception("the host that stayed behind has failed")
    finally:
        os._exit(code)


async def _load_calls() -> None:
    """Load what the first visitor needs while a thread opens the journal."""
    from understudy.faces.calls import serve  # noqa: PLC0415 - see above

    del serve


async def _serve(
    root: Root, place: Layout, terms: Terms, lock: HostLock, tell: Callable[[], None]
) -> None:
    from understudy.app.host.host import HostOptions, open_host  # noqa: PLC0415 - it needs SQLite
    from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - only a host has visitors

    trusted = terms.trusts or is_trusted(root)
    opening = open_host(root, HostOptions(trusted=trusted), lock, place=place, terms=terms)
    host, _ = await asyncio.gather(opening, _load_calls())
    stay = host.stay
    assert stay is not None
    loop = asyncio.get_running_loop()
    try:
        for number in END_SIGNALS:
            with suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, stay.end)
        await host.open_door(partial(welcome, host))
        if host.door is None:
            return
        tell()
        await stay.until_over(host.session)
    finally:
        await host.close()
