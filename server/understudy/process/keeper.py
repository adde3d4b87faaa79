"""Ends what we started when we are killed: a small process beside us that sees us go.

A server that ignores the end of its input, or computes, would live on for ever. The keeper holds
the other end of a pipe: that ends with us, however we end.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

_GRACE_S = 2
_SCRIPT = f"""
trap '' HUP INT
cd /
kept=
while read -r change group; do
  left=
  for one in $kept; do [ "$one" = "$group" ] || left="$left $one"; done
  kept=$left
  [ "$change" = + ] && kept="$left $group"
done
[ -n "$kept" ] || exit 0
for one in $kept; do kill -s TERM -- "-$one"; done
sleep {_GRACE_S}
for one in $kept; do kill -s KILL -- "-$one"; done
"""


class GroupKeeper:
    """Knows the process groups that must not outlive this process.

    Where there is no POSIX shell it knows none.
    """

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._pipe: int | None = None
        self.pid: int | None = None
        """The process that sees us go, once there is one."""

    def keep(self, group: int) -> None:
        """End that group when this process is gone; the first one starts the keeper."""
        self._groups.add(group)
        if self._pipe is None:
            self._start()
        else:
            self._tell(f"+ {group}\n")

    def release(self, group: int) -> None:
        """The group is gone; its number may be another's from now on."""
        if group in self._groups:
            self._groups.discard(group)
            self._tell(f"- {group}\n")

    def _tell(self, line: str) -> None:
        if self._pipe is None:
            return
        try:
            os.write(self._pipe, line.encode())
        except OSError:  # somebody has ended the keeper: another one takes over
            os.close(self._pipe)
            self._pipe = None
            self._start()

    def _start(self) -> None:
        path = _system_first()
        shell = shutil.which("sh", path=path)
        if os.name == "nt" or shell is None:
            return
        reading, self._pipe = os.pipe()
        with suppress(OSError):  # the system starts no more processes: the next one will try
            self.pid = os.posix_spawn(
                shell,
                ["sh", "-c", _SCRIPT],
                {"PATH": path},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, reading, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setsid=True,
            )
        os.close(reading)
        with suppress(OSError):  # it has ended, or never began: the next one will try
            for group in self._groups:
                os.write(self._pipe, f"+ {group}\n".encode())


def _system_first() -> str:
    """Where its shell and its `sleep` are looked for: PATH may name a folder of somebody else's."""
    named = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join((os.defpath, *filter(os.path.isabs, named)))


KEEPER = GroupKeeper()
"""The one of this process: whoever starts programs shares it, as they all go at the same moment."""
