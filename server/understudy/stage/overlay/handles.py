"""What the first process of a stage hands over."""

from __future__ import annotations

import os
from contextlib import suppress

from understudy.stage.overlay.upper import Layer
from understudy.values.frozen import frozen


@frozen
class Handles:
    """What the first process hands over: open descriptors, and which layers there are.

    `end` is a pidfd of it: readable once all processes of the stage are gone.
    """

    root: int
    scratch: int
    end: int
    layers: tuple[Layer, ...]

    def close(self) -> None:
        """Close them all."""
        for descriptor in (
            self.root,
            self.scratch,
            self.end,
            *(layer.upper for layer in self.layers),
            *(layer.lower for layer in self.layers),
        ):
            os.close(descriptor)

    @property
    def is_full(self) -> bool:
        """Whether what takes the writes (memory or disk) has no room for a page or a file."""
        for descriptor in (self.scratch, self.layers[0].upper):
            with suppress(OSError):
                status = os.fstatvfs(descriptor)
                if status.f_blocks and status.f_bavail == 0:
                    return True
                if status.f_files and status.f_favail == 0:
                    return True
        return False
