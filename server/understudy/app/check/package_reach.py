"""What a checking command left out, and whether the edits can have to do with it: by packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from understudy.checkers.evidence import CheckerEvidence
from understudy.values.verdicts import Reason


@dataclass
class PackageReach:
    """The packages that the edits reach, by their folders; None where nobody knows them.

    `package_of` gives the folder of the package that a file is in. `affected` are the files that
    the edits reach by bindings, which tell all of them in the packages of `bound`.
    """

    package_of: Callable[[str], str | None]
    reached: frozenset[str] | None = None
    bound: frozenset[str] = frozenset()
    affected: frozenset[str] = frozenset()
    out: set[str] = field(default_factory=set[str])
    """What could not be judged before the edit either, and cannot be affected by it."""

    def is_out(self, path: str, before: CheckerEvidence | Reason) -> bool:
        """Whether a file was not judged before either, and no edit reaches its package or it."""
        if isinstance(before, Reason) or before.is_proven(path):
            return False
        package = self.package_of(path)
        if package is None or self.reached is None:
            return False
        if package in self.reached and not self._is_apart(path, package, before):
            return False
        self.out.add(path)
        return True

    def note(self, path: str, before: CheckerEvidence | Reason) -> None:
        """Count a file that an index says no edit reaches, if it was not judged before either."""
        if not isinstance(before, Reason) and not before.is_proven(path):
            self.out.add(path)

    def _is_apart(self, path: str, package: str, before: CheckerEvidence) -> bool:
        """Whether a file of a reached package is of a target apart that the edits do not reach.

        Nothing is built from such a target, and it never was: a test, a bench or an example. Of the
        library's own files an error in one keeps others from being looked at, so there bindings do
        not decide.
        """
        if package not in self.bound or path in self.affected:
            return False
        stop = before.stop_at(path)
        if stop is None or stop.folder in ("", package):
            return False
        return is_below(stop.folder, package)

    def is_project_out(self, folder: str, before: CheckerEvidence | Reason) -> bool:
        """The same of a whole project, of which nothing could be said."""
        if not isinstance(before, Reason) or self.reached is None:
            return False
        if any(is_below(package, folder) for package in self.reached):
            return False
        self.out.add(folder)
        return True

    def is_stray(self, path: str, before: CheckerEvidence | Reason, after: CheckerEvidence) -> bool:
        """Whether a file is in no crate, on either side, of a package that was looked at."""
        package = self.package_of(path)
        return (
            package is not None
            and after.stop_at(path) is None
            and isinstance(before, CheckerEvidence)
            and before.stop_at(path) is None
            and path not in (before.covered or ())
            and any(is_below(one, package) for one in after.covered or ())
        )


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder's own or in it; `.` and nothing are the root."""
    return folder in (".", "") or path == folder or path.startswith(f"{folder}/")
