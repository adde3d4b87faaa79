"""`understudy` with a spool of 8 MiB behind its recorder, which a small flood fills."""

from __future__ import annotations

from functools import partial

from understudy.__main__ import main
from understudy.terminal import recorder
from understudy.terminal.ring import Ring

CAPACITY = 8 * 1024 * 1024

if __name__ == "__main__":
    recorder.Ring = partial(Ring, CAPACITY)  # pyright: ignore[reportPrivateImportUsage]
    main()
