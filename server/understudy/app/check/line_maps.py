"""Line maps between two snapshots, made off the event loop where texts are big."""

from __future__ import annotations

from understudy.app.check.blast_radius import Radius
from understudy.findings.judgement import LineMaps
from understudy.findings.line_map import LineMap, line_map
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.workspace.workers import Workers


async def line_maps(
    workers: Workers, before: Snapshot, after: Snapshot, radius: Radius
) -> LineMaps:
    """How the lines of every changed file that is on both sides moved."""
    made: dict[str, LineMap] = {}
    for path in radius.changed:
        try:
            old, new = before.read(radius.path_before(path)), after.read(path)
        except BadInput:  # no text on one side, and so no lines
            continue
        if old is not None and new is not None:
            size = len(old.content) + len(new.content)
            made[path] = await workers.run(line_map, old.content, new.content, size=size)

    def maps(path: str) -> tuple[str, LineMap | None]:
        return radius.path_before(path), made.get(path)

    return maps
