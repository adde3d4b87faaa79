"""A checking command's answers about both snapshots; `answers.py` does the same for servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from understudy.app.check.blast_radius import Radius
from understudy.app.check.package_reach import PackageReach, is_below
from understudy.checkers.evidence import CheckerEvidence
from understudy.checkers.profile import Checker
from understudy.dependents.families import family_of
from understudy.findings.judgement import Judged
from understudy.process.core_times import why_late
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.findings import Finding
from understudy.values.stamps import stamp_of
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.progress import Progress
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session

Outcome = CheckerEvidence | Reason


@dataclass
class CommandAnswerer:
    """Asks one command; made for one check. It runs once a side and project folder."""

    session: Session
    choice: ServerChoice
    before: Snapshot
    after: Snapshot
    radius: Radius
    deadline: float
    progress: Progress
    whole_project: bool
    """Whether files that nobody asked about are judged, too, where it says something of them."""
    _indexed: bool = False
    """Whether an index knows who depends on the files that are asked about."""

    def __post_init__(self) -> None:
        self._reach = PackageReach(self._package_of)

    @property
    def out_of_reach(self) -> set[str]:
        """What could not be judged before the edit either, and cannot be affected by it."""
        return self._reach.out

    async def ask(self, paths: Sequence[str]) -> list[Judged]:
        """The command's answers about `paths` on both sides, and about what else it found."""
        if self.choice.reason is not None:
            return self._all_unknown(paths, self.choice.reason)
        if self._checker.coverage != "arguments":  # it looks at each file once, by any path
            links = self.after.base.folder.links
            paths = list(dict.fromkeys(map(links.real, paths)))
        # What macros make of Rust no index says: what the edits reach in a package stays open.
        self._indexed = all(family_of(path) not in (None, "rust") for path in paths)
        if not self._indexed and all(family_of(path) == "rust" for path in paths):
            await self._find_reach()
        projects: dict[str | None, list[str]] = {}
        for path in paths:
            projects.setdefault(self._project(path), []).append(path)
        for folder in self._others_that_may_depend():
            projects.setdefault(folder, [])
        judged: list[Judged] = []
        for folder, asked in projects.items():
            if folder is None:
                markers = " or ".join(self.choice.profile.root_markers)
                reason = Reason("unproven", f"{self.choice.name} needs a {markers} above the file")
                judged += self._all_unknown(asked, reason)
            else:
                judged += await self._judge(folder, asked)
        return judged

    async def _find_reach(self) -> None:
        """The packages that the edits reach, and in which of them bindings say which files."""
        affected = frozenset({*self.radius.changed, *self.radius.distance})
        sides, index = (self.before, self.after), self.session.bindings
        self._reach.reached = await index.cargo_packages_reached(sides, affected)
        self._reach.bound = await index.cargo_packages_bound(sides, self.radius.changed)
        self._reach.affected = affected

    async def _judge(self, folder: str, asked: Sequence[str]) -> list[Judged]:
        was = {path: self.radius.path_before(path) or path for path in asked}
        after = await self._outcome(self.after, folder, asked)
        before = await self._outcome(self.before, folder, list(was.values()))
        spoken = {path for side in (after, before) for path in _spoken_of(side)}
        others = {path for path in spoken if self._concerns_all(path)} - {*asked, *was.values()}
        judged = [
            self._pair(path, old, before, after)
            for path, old in was.items()
            if not self._is_apart(path, before, after)
        ]
        unasked = [self._pair(path, path, before, after) for path in sorted(others)]
        judged += [one for one in unasked if not self._is_beside(one, before)]
        if isinstance(after, CheckerEvidence):
            judged += self._left_out(folder, before, after, {one.path for one in judged})
        elif not asked and not self._reach.is_project_out(folder, before):
            judged.append(Judged(folder, None, self._unknown(folder, after)))
        return [one for one in judged if one.before is not None or one.after is not None]

    def _concerns_all(self, path: str) -> bool:
        """Whether a file counts that nobody asked about.

        Its configuration, and what is outside of the root and so in nobody's scope, always do.
        """
        if self.choice.reads_as_configuration(path) or _is_outside(path):
            return True
        return self.whole_project and self._checker.coverage != "arguments"

    def _is_apart(self, path: str, before: Outcome, after: Outcome) -> bool:
        """Whether no build takes an unedited file in, before or after, and it can see no edit.

        A file of Rust is reached by any name that it mentions; one that names nothing but its own
        mentions what it declares.
        """
        if family_of(path) != "rust" or path in self.radius.changed:
            return False
        sides = (before, after)
        if not all(isinstance(one, CheckerEvidence) and one.leaves_out(path) for one in sides):
            return False
        try:
            text = self.after.read(path)
        except BadInput:  # no text
            return False
        from understudy.syntax.rust.outward import names_others  # noqa: PLC0415 - Rust alone

        if text is None or names_others(text.content.encode()):
            return False
        self._reach.out.add(path)
        return True

    def _is_beside(self, one: Judged, before: Outcome) -> bool:
        """Whether what is unknown of a file that nobody asked about is no question of the check.

        A package that does not build would else keep every check of the others from being clean.
        What is behind it is stopped, too, and was asked about if the edits reach it; where no
        index says what they reach, they may reach the package itself.
        """
        if self.choice.reads_as_configuration(one.path) or _is_outside(one.path):
            return False
        if one.after is None or one.after.findings is not None:
            return False
        if self._indexed:
            self._reach.note(one.path, before)
            return True
        return self._reach.is_out(one.path, before)

    def _left_out(
        self, folder: str, before: Outcome, after: CheckerEvidence, named: Collection[str]
    ) -> list[Judged]:
        """Where no index says what the edits reach: the folders that errors kept it out of."""
        if not after.stops or not self.whole_project or self._indexed:
            return []
        found: dict[str, Reason] = {}
        for path in sorted(self.after.paths()):
            if path in named or not is_below(path, folder) or not self.choice.judges(path):
                continue
            answer = after.about(path)
            if not isinstance(answer, Reason) or self._reach.is_stray(path, before, after):
                continue
            if not self._reach.is_out(path, before):
                stop = after.stop_at(path)
                place = next(iter(self._marked_above(path)), folder)
                found.setdefault(place if stop is None else stop.folder or folder, answer)
        return [Judged(place, None, self._unknown(place, why)) for place, why in found.items()]

    def _pair(self, path: str, old: str, before: Outcome, after: Outcome) -> Judged:
        """Both sides of one file; half an answer counts only for errors that are new in it."""
        left = self._side(self.before, old, before)
        right = self._side(self.after, path, after)
        doubt: Reason | None = None
        if right is None:  # gone: who needed it must have been heard
            right = self._unheard(path, after)
        if right is not None and right.findings is not None and isinstance(after, CheckerEvidence):
            partial = after.doubt(path)
            known = left.findings or () if left is not None else ()
            if partial is not None and not _new_errors(known, right.findings):
                right = self._unknown(path, partial)
            else:  # what is not said again may still be there: nothing counts as fixed
                doubt = partial
        if left is not None and left.findings is not None and isinstance(before, CheckerEvidence):
            partial = before.doubt(old)
            if partial is not None and right is not None:  # of a deleted file, all is gone
                left = self._unknown(old, partial)
        if right is None and left is not None and left.reason and self._ends_without(path, after):
            right = Answer(path, self.choice.name, self.choice.rule, (), None, left.elapsed_ms)
        return Judged(path, left, right, doubt)

    def _unheard(self, path: str, after: Outcome) -> Answer | None:
        """Why nothing is known of those who needed a file that is gone, if so."""
        if isinstance(after, Reason):
            return self._unknown(path, after)
        if after.covered is None or after.covered or self._checker.coverage == "arguments":
            return None
        text = f"{self.choice.name} looked at no file, so it says nothing of those who needed it"
        return self._unknown(path, Reason("unproven", text))

    def _ends_without(self, path: str, after: Outcome) -> bool:
        """Whether the command looked at all that needs a file that is gone, and missed nothing."""
        if isinstance(after, Reason) or self._checker.coverage == "arguments":
            return False
        return after.doubt(path) is None

    def _side(self, snapshot: Snapshot, path: str, outcome: Outcome) -> Answer | None:
        """One side of one file; None where there is no such file."""
        found = () if isinstance(outcome, Reason) else tuple(outcome.findings.get(path, ()))
        if not found and not snapshot.exists(path):
            return None
        if isinstance(outcome, Reason):
            return self._unknown(path, outcome)
        if not self.choice.judges(path) or _is_outside(path):
            # Its configuration: it was read, or the command would not have come to its end.
            return Answer(path, self.choice.name, self.choice.rule, found, None, outcome.elapsed_ms)
        answer = outcome.about(path)
        if isinstance(answer, Reason):
            return self._unknown(path, answer)
        return Answer(path, self.choice.name, self.choice.rule, answer, None, outcome.elapsed_ms)

    async def _outcome(self, snapshot: Snapshot, folder: str, asked: Iterable[str]) -> Outcome:
        """What the command says of a snapshot; kept by stamp, unless nothing was proven."""
        if snapshot.conflicts:
            text = "the branch's edits conflict with what the user changed: rebase the branch"
            return Reason("conflict", text)
        unknown = sorted(path for path in snapshot.forgotten if self._takes_in(path))
        if unknown:
            return Reason("base-unknown", f"the text that {unknown[0]} had then is not known")
        files = [p for p in asked if self.choice.judges(p) and snapshot.exists(p)]
        by_file = files if self._checker.coverage == "arguments" else []
        if self._checker.coverage == "arguments" and not files:
            return CheckerEvidence(self.choice.name, {}, frozenset(), ())
        taken = await self.session.taken_files.of(self.choice.profile, snapshot)
        key = stamp_of([self.choice.stamp, taken.state, snapshot.stamp, folder, *by_file])
        spec = self.choice.spec
        assert spec is not None  # without one, `choice.reason` has answered everything
        commands, name = self.session.commands, self.choice.name
        stage = commands.stage(spec)
        self.progress(f"{name}: waiting for its turn", 0, 0)
        async with stage.turn(self.deadline) as is_ours:
            kept = commands.kept(key)  # perhaps by the one whose turn it was
            if kept is not None:
                return kept
            if not is_ours:
                text = f"{name} was still busy with others at the time limit{why_late(name)}"
                return Reason("timeout", text)
            self.progress(f"{name}: running in {folder}", 0, 0)
            edited = self.before.unlike_disk | self.after.unlike_disk
            found = await stage.evidence(snapshot, folder, files, self.deadline, edited)
            if isinstance(found, CheckerEvidence):
                commands.keep(key, found)
            return found

    def _project(self, path: str) -> str | None:
        """The folder to run in for a file; None if nothing marks one."""
        if self._checker.run_in == "root":
            return "."
        marked = self._marked_above(path)
        if not marked:
            return None
        return marked[0] if self._checker.run_in == "nearest" else marked[-1]

    def _marked_above(self, path: str) -> list[str]:
        """The projects that a file is in, the nearest first."""
        parents = path.split("/")[:-1]
        folders = ["/".join(parents[:length]) for length in range(len(parents), -1, -1)]
        return [folder or "." for folder in folders if self._is_marked(folder)]

    def _package_of(self, path: str) -> str | None:
        """The folder of the nearest project that a file is in; nothing for the root."""
        return next(("" if folder == "." else folder for folder in self._marked_above(path)), None)

    def _others_that_may_depend(self) -> Iterable[str]:
        """The other projects: where no index knows who depends on a file, each may."""
        checker = self._checker
        if not self.whole_project or checker.coverage == "arguments" or self._indexed:
            return ()
        names = self.choice.profile.root_markers
        known = sorted(self.after.paths())
        marked = {self._project(path) for path in known if path.rpartition("/")[2] in names}
        judged = [path for path in known if self.choice.judges(path)]
        return sorted(
            folder
            for folder in marked
            if folder is not None and any(is_below(path, folder) for path in judged)
        )

    def _is_marked(self, folder: str) -> bool:
        names = self.choice.profile.root_markers
        places = [f"{folder}/{name}" if folder else name for name in names]
        return any(self.after.exists(place) for place in places)

    def _takes_in(self, path: str) -> bool:
        return self.choice.judges(path) or self.choice.reads_as_configuration(path)

    @property
    def _checker(self) -> Checker:
        checker = self.choice.profile.checker
        assert checker is not None
        return checker

    def _all_unknown(self, paths: Iterable[str], reason: Reason) -> list[Judged]:
        """Nothing is known of these, nor of who needed those that are deleted."""
        return [Judged(path, None, self._unknown(path, reason)) for path in paths]

    def _unknown(self, path: str, reason: Reason) -> Answer:
        return Answer(path, self.choice.name, self.choice.rule, None, reason, 0.0)


def _is_outside(path: str) -> bool:
    return path.startswith("../")


def _spoken_of(outcome: Outcome) -> Iterable[str]:
    return () if isinstance(outcome, Reason) else outcome.findings


def _new_errors(before: Iterable[Finding], after: Iterable[Finding]) -> bool:
    """Whether there are more errors of any kind than before."""
    old = Counter((f.code, f.message) for f in before if f.severity == "error")
    return bool(Counter((f.code, f.message) for f in after if f.severity == "error") - old)
