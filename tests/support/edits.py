"""Makes edits whose kind is known, over a sample project or a real one; the same for one seed."""

from __future__ import annotations

import difflib
import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.support.sample import Change, Project

EditKind = Literal[
    "cross-file", "same-file", "clean", "broken", "several", "new-file", "fix",
    "created", "deleted", "renamed", "moved", "configured",
]  # fmt: skip
"""The second row is made by `file_edits`: which files there are, and what they are called."""

KINDS: tuple[EditKind, ...] = (
    *("cross-file", "same-file", "clean", "cross-file", "broken", "several", "cross-file"),
    *("new-file", "cross-file", "same-file", "clean", "fix", "cross-file", "several"),
    *("cross-file", "broken", "same-file", "cross-file", "cross-file", "cross-file"),
)
"""The order of kinds, repeated: 9 of 20 are made to change the findings of an untouched file."""

KINDS_ALONE: tuple[EditKind, ...] = tuple(
    "same-file" if kind == "cross-file" else kind for kind in KINDS
)
"""The same for a checker that looks at one file at a time."""

Origins = Sequence[int | None]
"""For each line of a new text, the line of the old text that it is (0-based), or None."""


@dataclass(frozen=True)
class GeneratedEdit:
    """One edit batch: path -> new text (None: deleted), with what it replaces (None: new).

    `moved` maps a path to the one it was renamed from; `steps` are the edits as an agent sends
    them, where a diff cannot say them.
    """

    kind: EditKind
    label: str
    files: Mapping[str, str | None]
    before: Mapping[str, str | None]
    origins: Mapping[str, Origins]
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: tuple[Mapping[str, str], ...] = ()

    def as_patch(self) -> str:
        """The edit as a unified diff in git's form; renames are deletions and new files in it."""
        return "".join(_patch(path, self.before[path], self.files[path]) for path in self.files)

    def as_edits(self) -> list[dict[str, str]]:
        """The edit as a batch."""
        return [dict(step) for step in self.steps] or [{"kind": "diff", "text": self.as_patch()}]

    def homes(self) -> dict[str, str]:
        """Old path -> new path of every touched file that is on both sides."""
        homes = {old: new for new, old in self.moved.items()}
        for path, text in self.files.items():
            if text is not None and self.before[path] is not None and path not in self.moved:
                homes.setdefault(path, path)
        return homes


def generate(
    project: Project, seed: int, count: int, kinds: Sequence[EditKind] = KINDS
) -> list[GeneratedEdit]:
    """`count` edits, kinds in turn; for a kind that the project cannot have, a same-file one."""
    rng = random.Random(f"{project.language} edits {seed}")
    pools = _Pools(project, rng)
    makers: Mapping[EditKind, Callable[[int], GeneratedEdit | None]] = {
        "cross-file": pools.cross_file,
        "same-file": pools.same_file,
        "clean": pools.clean,
        "broken": pools.broken,
        "several": pools.several,
        "new-file": pools.new_file,
        "fix": pools.fix,
    }
    turns = itertools.cycle(kinds)
    made = (makers[next(turns)](number) or pools.same_file(number) for number in range(count))
    return [edit for edit in made if edit is not None]


class Draft:
    """A text under edit that remembers where each of its lines comes from."""

    def __init__(self, text: str) -> None:
        self.before = text
        self.lines = text.splitlines(keepends=True)
        self.origins: list[int | None] = list(range(len(self.lines)))

    @property
    def text(self) -> str:
        """The text as edited so far."""
        return "".join(self.lines)

    def insert(self, line: int, text: str) -> None:
        """Put whole lines in front of a line."""
        if line == len(self.lines) and self.lines and not self.lines[-1].endswith("\n"):
            self.lines[-1] += "\n"
        new = text.splitlines(keepends=True)
        self.lines[line:line] = new
        self.origins[line:line] = [None] * len(new)

    def swap(self, old: str, new: str) -> None:
        """Replace a text that occurs exactly once."""
        text = self.text
        assert text.count(old) == 1, f"{text.count(old)} times in the file: {old!r}"
        start = text.index(old)
        first = text.count("\n", 0, start)
        last = text.count("\n", 0, start + len(old))
        block = "".join(self.lines[first : last + 1])
        column = start - len("".join(self.lines[:first]))
        changed = block[:column] + new + block[column + len(old) :]
        self._replace(first, last + 1, changed.splitlines(keepends=True))

    def rename(self, word: str, new: str) -> None:
        """Replace a whole word wherever it stands."""
        self.substitute(rf"\b{re.escape(word)}\b", new)

    def substitute(self, pattern: str, new: str) -> None:
        """Replace what a pattern finds, line by line."""
        compiled = re.compile(pattern)
        for number in reversed(range(len(self.lines))):
            changed = compiled.sub(new, self.lines[number])
            if changed != self.lines[number]:
                self._replace(number, number + 1, changed.splitlines(keepends=True))

    def _replace(self, first: int, end: int, new: list[str]) -> None:
        """Replace lines; those that stay the same at either end of the block keep their origin."""
        old, kept = self.lines[first:end], self.origins[first:end]
        origins: list[int | None] = [None] * len(new)
        for index in range(min(len(old), len(new))):
            if old[index] != new[index]:
                break
            origins[index] = kept[index]
        for index in range(1, min(len(old), len(new)) + 1):
            if old[-index] != new[-index]:
                break
            origins[-index] = kept[-index]
        self.lines[first:end] = new
        self.origins[first:end] = origins


class _Pools:
    """Draws edits of each kind; changes are drawn without repeats until all have been used."""

    def __init__(self, project: Project, rng: random.Random) -> None:
        self.project = project
        self.rng = rng
        self._cross = self._endless(project.cross)
        self._wrong = self._endless(project.wrong)
        self._broken = self._endless(project.broken)
        self._harmless = self._endless(project.harmless)
        self._fixes = self._endless(project.fixes)
        self._renames = self._endless([c for c in project.cross if c.everywhere is not None])

    def cross_file(self, number: int) -> GeneratedEdit | None:
        """A change whose effect is in other files."""
        return self._changed("cross-file", next(self._cross, None))

    def same_file(self, number: int) -> GeneratedEdit | None:
        """An error in the edited file."""
        if (change := next(self._wrong, None)) is not None:
            return self._changed("same-file", change)
        return self._inserted("same-file", self.project.snippets.wrong, number)

    def clean(self, number: int) -> GeneratedEdit | None:
        """No new error; in a third of them old findings move down."""
        if (change := next(self._harmless, None)) is not None:
            return self._changed("clean", change)
        if number % 3 == 0 and self.project.fixes:
            path = self.project.fixes[0].path
            return self._built("clean", "old findings move", {path: self._shifted(path)})
        return self._inserted("clean", self.project.snippets.harmless, number)

    def broken(self, number: int) -> GeneratedEdit | None:
        """The syntax is left half-way."""
        if (change := next(self._broken, None)) is not None:
            return self._changed("broken", change)
        return self._inserted("broken", self.project.snippets.broken, number)

    def several(self, number: int) -> GeneratedEdit | None:
        """Several files: a rename everywhere, one that forgets files, or two changes at once."""
        rename = next(self._renames, None)
        if rename is None or number % 3 == 2:
            return self._two_files(number)
        forgets = number % 3 == 1
        drafts = {rename.path: self._draft(rename)}
        assert rename.everywhere is not None
        old, new = rename.everywhere
        users = [
            path
            for path, text in self.project.files.items()
            if path != rename.path and re.search(rf"\b{old}\b", text)
        ]
        for path in users[: max(1, len(users) // 2)] if forgets else users:
            drafts[path] = Draft(self.project.files[path])
            drafts[path].rename(old, new)
        return self._built("several", "rename, half-way" if forgets else "rename", drafts)

    def new_file(self, number: int) -> GeneratedEdit | None:
        """A file that was not there, with errors of its own."""
        if not self.project.new_files:
            return None
        path, text = self.rng.choice(sorted(self.project.new_files.items()))
        lines = text.count("\n")
        return GeneratedEdit("new-file", path, {path: text}, {path: None}, {path: [None] * lines})

    def fix(self, number: int) -> GeneratedEdit | None:
        """An old error goes away."""
        return self._changed("fix", next(self._fixes, None))

    def _two_files(self, number: int) -> GeneratedEdit | None:
        first, second = self.same_file(number), self.same_file(number + 1000)
        while first is not None and second is not None and set(first.files) == set(second.files):
            second = self.same_file(number + 1000)
        if first is None or second is None:
            return None
        joined = {
            name: {**getattr(first, name), **getattr(second, name)}
            for name in ("files", "before", "origins")
        }
        return GeneratedEdit("several", f"{first.label}; {second.label}", **joined)

    def _inserted(
        self, kind: EditKind, snippets: Sequence[str], number: int
    ) -> GeneratedEdit | None:
        if not snippets:
            return None
        snippet = self.rng.choice(snippets)
        path = self.rng.choice(self.project.sources)
        draft = Draft(self.project.files[path])
        draft.insert(self.rng.choice(_places(draft.lines)), snippet.replace("@n@", str(number)))
        return self._built(kind, f"{path}: {snippet.splitlines()[0]}", {path: draft})

    def _shifted(self, path: str) -> Draft:
        draft = Draft(self.project.files[path])
        comment = _COMMENTS.get(self.project.language, "// @\n").replace("@", "Moved down.")
        draft.insert(1 if draft.lines[0].startswith("#!") else 0, comment)
        return draft

    def _changed(self, kind: EditKind, change: Change | None) -> GeneratedEdit | None:
        if change is None:
            return None
        label = f"{change.path}: {change.label}"
        return self._built(kind, label, {change.path: self._draft(change)})

    def _draft(self, change: Change) -> Draft:
        draft = Draft(self.project.files[change.path])
        for old, new in change.swaps:
            draft.swap(old, new)
        return draft

    def _built(self, kind: EditKind, label: str, drafts: Mapping[str, Draft]) -> GeneratedEdit:
        return GeneratedEdit(
            kind,
            label,
            {path: draft.text for path, draft in drafts.items()},
            {path: draft.before for path, draft in drafts.items()},
            {path: draft.origins for path, draft in drafts.items()},
        )

    def _endless(self, changes: Sequence[Change]) -> Iterator[Change]:
        while changes:
            yield from self.rng.sample(changes, len(changes))


_TOP_LEVEL = re.compile(
    r"@|def |class |async def |export |function |inline |template |func |[a-z_]+\(\) \{"
    r"|\.[a-z]|<(?:style|script|section)\b|pub (?:fn|struct) "
)
_COMMENTS = {"python": "# @\n", "shell": "# @\n", "css": "/* @ */\n", "html": "<!-- @ -->\n"}
_IMPORT = ("import ", "from ", ")", "#include")


def _places(lines: Sequence[str]) -> list[int]:
    """Line numbers between two top-level items, and the end of the text.

    Not right behind the imports: some linters count the blank lines there.
    """
    places = [len(lines)]
    last = ""
    for number, line in enumerate(lines):
        is_free = number > 0 and not lines[number - 1].strip()
        if is_free and _TOP_LEVEL.match(line) and not last.startswith(_IMPORT):
            places.append(number)
        last = line if line.strip() else last
    return places


def _patch(path: str, before: str | None, after: str | None) -> str:
    """One file's unified diff, `\\ No newline` lines and all."""
    old = [] if before is None else before.splitlines(keepends=True)
    new = [] if after is None else after.splitlines(keepends=True)
    names = (
        "/dev/null" if before is None else f"a/{path}",
        "/dev/null" if after is None else f"b/{path}",
    )
    head = f"diff --git a/{path} b/{path}\n"
    if before is None:
        head += "new file mode 100644\n"
    if after is None:
        head += "deleted file mode 100644\n"
    body = difflib.unified_diff(old, new, *names)
    marked = (
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in body
    )
    return head + "".join(marked)
