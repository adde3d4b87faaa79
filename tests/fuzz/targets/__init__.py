"""What is given bytes that nobody meant, by the kind of reader."""

from __future__ import annotations

from tests.fuzz.targets import answers, configuration, disk, edits, languages, terminals
from tests.fuzz.targets.model import FuzzTarget

TARGETS: dict[str, FuzzTarget] = {
    target.name: target
    for module in (edits, answers, configuration, languages, terminals, disk)
    for target in module.TARGETS
}
