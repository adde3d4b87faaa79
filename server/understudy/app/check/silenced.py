"""What an edit silences: its files read on both sides, beside the event loop where they are big."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from understudy.app.check.blast_radius import Radius
from understudy.dependents.test_files import is_test
from understudy.findings.judgement import LineMaps
from understudy.findings.silencing.change import SilencingChange, TwoTexts, change_of, may_matter
from understudy.findings.silencing.effect import Traces, told
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.matching import added_forms
from understudy.findings.silencing.rules import rules
from understudy.findings.silencing.settings import weakened
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.nesting import is_deep
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts
from understudy.values.silencing import Silencing
from understudy.workspace.workers import Workers

_CODE_WEIGHT, _SETTINGS_WEIGHT = 20, 60
"""How many times as long as comparing its lines it takes to parse a text."""

_MOST_SECONDS = 10.0
_MOST_DEPTH, _MOST_COLUMNS = 100, 2000


@frozen
class Silencings:
    """All that an edit adds, before it is known which findings went with it."""

    before: Snapshot
    after: Snapshot
    forms: Sequence[Form]
    renamed: dict[str, str]

    def told(
        self, fixed: Sequence[Finding], maps: LineMaps, types: Collection[str]
    ) -> tuple[tuple[Silencing, ...], list[Finding]]:
        """The rows, and what is left of `fixed`; `types` are the servers that judge types."""
        if not self.forms:
            return (), list(fixed)
        lines: dict[str, list[str]] = {}

        def line_before(path: str, line: int) -> str:
            if path not in lines:
                text = self.before.read(path)
                lines[path] = [] if text is None else line_texts(text.content)
            return lines[path][line] if line < len(lines[path]) else ""

        traces = Traces(maps, self.renamed, self.after.exists, types, line_before)
        rows, left = told(self.forms, fixed, traces)
        return tuple(rows), left


async def added_silencings(
    workers: Workers, before: Snapshot, after: Snapshot, radius: Radius
) -> Silencings:
    """Read every changed file on both sides; what cannot be read is told as such."""
    origins = {
        new: old for new, old in after.origins.items() if old in radius.changed
        and new in radius.changed and not after.exists(old)
    }  # fmt: skip
    gone = frozenset(origins.values())
    reading = _Reading(workers, before, after)
    for path in sorted(radius.changed - gone):
        await reading.read(path, origins.get(path, path))
    renamed = {old: new for new, old in origins.items()}
    return Silencings(before, after, await reading.forms(), renamed)


class _Reading:
    """Collects what the files of an edit bring and lose."""

    def __init__(self, workers: Workers, before: Snapshot, after: Snapshot) -> None:
        self._workers = workers
        self._sides = before, after
        self._changes: list[SilencingChange] = []
        self._settings: list[TwoTexts] = []
        self._unread: list[Form] = []

    async def read(self, path: str, path_before: str) -> None:
        """Look at one file, if there are rules for it."""
        is_settings = bool(rules().tools_of(path))
        if not is_settings and not any(map(rules().language_of, (path, path_before))):
            return
        before, after = self._sides
        if path_before in before.forgotten or path in after.forgotten:
            self._miss(path, "its text before is not known")
            return
        try:
            left, right = before.read(path_before), after.read(path)
        except BadInput as error:
            self._miss(path, error.text)
            return
        old, new = None if left is None else left.content, None if right is None else right.content
        texts = TwoTexts(path, old, new, is_test(path_before), is_test(path), path_before)
        if is_settings:
            self._settings.append(texts)
        if may_matter(texts):
            await self._take(texts)

    async def _take(self, texts: TwoTexts) -> None:
        size = _CODE_WEIGHT * (len(texts.before or "") + len(texts.after or ""))
        is_long = size >= self._workers.inline_below
        try:
            if is_long or _is_deep(texts.before or "") or _is_deep(texts.after or ""):
                change = await self._workers.run_elsewhere(change_of, texts, seconds=_MOST_SECONDS)
            else:
                change = await self._workers.run(change_of, texts, size=size)
        except OutsideFailure as failure:
            self._miss(texts.path, failure.text)
            return
        if change is None:
            self._miss(texts.path, "there is no parser here for this kind of file")
        else:
            self._changes.append(change)

    async def forms(self) -> list[Form]:
        """All silencings that were added."""
        pairs = sum(len(c.old) for c in self._changes) * sum(len(c.new) for c in self._changes)
        found = await self._workers.run(added_forms, self._changes, size=10 * pairs)
        size = sum(len(one.before or "") + len(one.after or "") for one in self._settings)
        try:
            found += await self._workers.run(weakened, self._settings, size=_SETTINGS_WEIGHT * size)
        except OutsideFailure as failure:
            for texts in self._settings:
                self._miss(texts.path, failure.text)
        return sorted(
            [*found, *self._unread], key=lambda form: (form.path, form.line, form.how, form.what)
        )

    def _miss(self, path: str, why: str) -> None:
        what = f"not looked through: {why}"
        self._unread.append(Form(path, "unread", "unread", what, 0, 0, 0, "none"))


def _is_deep(text: str) -> bool:
    """Whether a text is nested so deeply that queries take long: quadratic in the depth."""
    if max(map(len, text.split("\n"))) > _MOST_COLUMNS:
        return True
    return is_deep(text.encode("utf-8", "replace"), _MOST_DEPTH)
