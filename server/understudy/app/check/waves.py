"""Waves: the edited files and their direct users are asked first, and what they bring is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from understudy.app.check.blast_radius import Radius
from understudy.findings.judgement import Judged, LineMaps, judge
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Severity
from understudy.values.verdicts import FileVerdict, FirstWave
from understudy.workspace.progress import Progress, TellFirst

_FEWEST = 10
"""So many files farther away are worth a wave of their own: it turns the server to the other text
and back once more."""

Heard = Callable[[Sequence[Judged]], Awaitable[None]]
"""Takes one server's answers of the first wave."""


async def unheard(_answered: Sequence[Judged]) -> None:
    """Nobody hears of first answers."""


def in_waves(paths: Sequence[str], radius: Radius) -> tuple[Sequence[str], Sequence[str]]:
    """The files that are asked about first, and those that follow; both nearest first."""
    far = [path for path in paths if radius.distance_of(path) > 1]
    if len(far) < _FEWEST:
        return paths, ()
    near = [path for path in paths if radius.distance_of(path) <= 1]
    return (near, far) if near else (far, ())


@dataclass
class FirstAnswers:
    """Gathers the first waves of all servers of one check, and tells after each what is known.

    `n_asked` counts the answers of the whole check, one a server and file.
    """

    after: Snapshot
    maps: Callable[[], Awaitable[LineMaps]]
    severity: Severity
    n_asked: int
    progress: Progress
    tell: TellFirst
    _answers: list[Judged] = field(default_factory=list[Judged])

    async def hear(self, answered: Sequence[Judged]) -> None:
        """Take the answers of one server's first wave."""
        self._answers += answered
        difference = judge(self._answers, await self.maps(), self.severity)
        wave = FirstWave(
            tuple(difference.introduced),
            tuple(difference.unattributed),
            len(self._answers),
            max(0, self.n_asked - len(self._answers)),
        )
        found = len(wave.introduced)
        text = f"{found} introduced in the edited files and their users; the others follow"
        self.progress(text, wave.judged, self.n_asked)
        self.tell(wave, self.after)


def late(files: Iterable[FileVerdict], radius: Radius) -> dict[int | None, int]:
    """How many files were not judged in time, by their distance from the edit.

    None, which comes last, for those that the edit does not affect.
    """
    distance = (radius.affected or radius).distance
    missed = (
        0 if file.path in radius.changed else distance.get(file.path)
        for file in files
        if file.verdict == "unknown" and file.reason is not None and file.reason.code == "timeout"
    )
    return dict(sorted(Counter(missed).items(), key=lambda item: (item[0] is None, item[0] or 0)))
