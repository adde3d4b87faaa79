"""How long to rest between two looks, by what the last one has cost."""

from __future__ import annotations

import time


class Pace:
    """One look, from its making on."""

    def __init__(self) -> None:
        self._began, self._computed = time.monotonic(), time.process_time()

    def rest(self, often: float, share: float) -> float:
        """Seconds until the next look: so that one comes every ``often`` seconds, but costs little.

        That is: `share` times what it has computed, and as long as it has waited for disks or for
        its turn on a busy machine, where resting many times as long would help nobody.
        """
        took, computed = time.monotonic() - self._began, time.process_time() - self._computed
        return max(often - took, share * min(computed, took), took)
