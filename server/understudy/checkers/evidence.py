"""What an output proves about a file: its findings, or why its silence proves nothing (law 1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from understudy.checkers.model import Stop
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.verdicts import Reason


@frozen
class CheckerEvidence:
    """A command's output with its paths made root-relative.

    `covered` None means that the profile vouches for every file. `stops` hold for the files below
    their folder (`""`: for all).
    """

    name: str
    findings: Mapping[str, Sequence[Finding]]
    covered: Collection[str] | None
    stops: Sequence[Stop]
    elapsed_ms: float = 0.0

    def about(self, path: str) -> tuple[Finding, ...] | Reason:
        """The file's findings, or why nothing is proven.

        Errors count wherever they stand; milder findings and silence only where the command got
        through everything that could have kept it from finding more.
        """
        own = tuple(self.findings.get(path, ()))
        if any(finding.severity == "error" for finding in own):
            return own
        doubt = self.doubt(path)
        if doubt is not None:
            return doubt
        if self.covered is not None and path not in self.covered:
            text = f"{self.name} did not look at it: nothing that it checks leads there"
            for stop in self.stops:
                if stop.spreads:
                    text = f"{self.name} did not look at it; {stop.why}"
                    break
            return Reason("unproven", text)
        return own

    def is_proven(self, path: str) -> bool:
        """Whether all that there is to find in the file was found."""
        return self.doubt(path) is None and not isinstance(self.about(path), Reason)

    def leaves_out(self, path: str) -> bool:
        """Whether it got through everything that there is, and the file is no part of that."""
        looked = bool(self.covered) and path not in (self.covered or ())
        return looked and not self.findings.get(path) and self.doubt(path) is None

    def doubt(self, path: str) -> Reason | None:
        """Why there may be more in the file than what was said of it, if so."""
        stop = self.stop_at(path)
        return stop and Reason("unproven", f"{self.name} did not get through: {stop.why}")

    def stop_at(self, path: str) -> Stop | None:
        """The first stop that holds for a file."""
        for stop in self.stops:
            is_below = stop.folder in ("", path) or path.startswith(f"{stop.folder}/")
            if is_below and path not in stop.apart:
                return stop
        return None
