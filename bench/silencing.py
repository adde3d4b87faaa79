"""What is told as silencing on real edits: those between releases, their files, hunks and halves.

No server is asked. Every row goes to a file with the text around it, once however many edits tell
it, and a person looks at it; what was found is kept by the row's key (`silencing_judged.txt`, whose
head says how rows are judged). A row that nobody has looked at makes the figures fail.
"""

from __future__ import annotations

import hashlib
import itertools
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.project_corpora import crate, go_module
from bench.report import Figure, Setup, milliseconds, percentile
from bench.sources import cache_folder, npm_package, sdist
from tests.support.edits import GeneratedEdit
from tests.support.release_edits import release_edits
from tests.support.sample import Language, Project
from tests.support.silencings import silencings_of
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.rules import rules

_MOST_BYTES = 500_000
_AROUND = 3
_LEAST_EDITS = 3_000
_JUDGED = Path(__file__).with_name("silencing_judged.txt")
_SCOPES = {"hunk": "hunks", "half": "halves of hunks", "file": "files", "release": "releases"}


@dataclass(frozen=True)
class Line:
    """Releases of one project, oldest first, and how one is fetched."""

    language: Language
    name: str
    versions: tuple[str, ...]
    fetch: Callable[[str], Path]

    def edits(self) -> Iterator[GeneratedEdit]:
        """The edits between neighbouring releases."""
        projects = [self._project(version) for version in self.versions]
        for before, after in itertools.pairwise(projects):
            yield from release_edits(before, after)

    def _project(self, version: str) -> Project:
        folder = self.fetch(f"{self.name}{version}")
        files = dict(_texts(folder))
        return Project(self.language, files, tuple(sorted(files)))


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        has_rules = rules().language_of(name) is not None or rules().tools_of(name)
        if not has_rules or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            continue
        try:
            yield name, path.read_bytes().decode()
        except UnicodeDecodeError:
            continue


def _crate(requirement: str) -> Path:
    return crate(*requirement.split("@"))


LINES = (
    Line("python", "attrs", ("==23.2.0", "==24.2.0", "==25.3.0"), sdist),
    Line("python", "httpx", ("==0.26.0", "==0.27.2", "==0.28.1"), sdist),
    Line("python", "starlette", ("==0.38.6", "==0.41.3", "==0.46.2"), sdist),
    Line("python", "rich", ("==13.7.1", "==14.1.0"), sdist),
    Line("python", "flask", ("==2.3.3", "==3.1.1"), sdist),
    Line("python", "structlog", ("==24.1.0", "==25.4.0"), sdist),
    Line("python", "click", ("==8.1.3", "==8.1.8", "==8.2.1"), sdist),
    Line("typescript", "rxjs", ("@7.5.7", "@7.8.1"), npm_package),
    Line("typescript", "zod", ("@3.25.76", "@4.1.12"), npm_package),
    Line("typescript", "effect", ("@3.16.0", "@3.17.0"), npm_package),
    Line("javascript", "fastify", ("@4.28.1", "@5.0.0", "@5.6.1"), npm_package),
    Line("javascript", "undici", ("@6.19.0", "@7.16.0"), npm_package),
    Line("javascript", "pino", ("@8.0.0", "@8.21.0", "@9.5.0"), npm_package),
    Line("go", "github.com/spf13/cobra", ("@v1.6.0", "@v1.8.0", "@v1.10.1"), go_module),
    Line("go", "github.com/stretchr/testify", ("@v1.8.0", "@v1.9.0", "@v1.11.1"), go_module),
    Line("go", "github.com/gin-gonic/gin", ("@v1.8.0", "@v1.9.1", "@v1.11.0"), go_module),
    Line("rust", "clap_builder", ("@4.4.0", "@4.5.40"), _crate),
    Line("rust", "smallvec", ("@1.11.0", "@1.15.1"), _crate),
    Line("rust", "indexmap", ("@1.9.3", "@2.2.6"), _crate),
    Line("rust", "bytes", ("@1.4.0", "@1.10.1"), _crate),
    Line("cpp", "nanobind", ("==2.2.0", "==2.4.0", "==2.9.2"), sdist),
    Line("c", "zstandard", ("==0.22.0", "==0.25.0"), sdist),
)  # fmt: skip


@dataclass(frozen=True)
class _Row:
    """One thing that is told, as a person looks at it: the same in every edit that tells it.

    A row of a whole release is another one than that of a hunk: what the hunk takes away may be
    in another file of the release.
    """

    project: str
    how: str
    what: str
    path: str
    scope: str
    around: str

    @property
    def key(self) -> str:
        """What it is judged by; it holds as long as the row says the same of the same text."""
        parts = self.project, self.how, self.what, self.path, self.scope, self.around
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


@dataclass
class _Tally:
    """What one project's edits tell; `false_edits` have a row that is judged to be false."""

    project: str
    judged: Mapping[str, bool]
    edits: Counter[str] = field(default_factory=Counter[str])
    n_rows: int = 0
    n_told: int = 0
    false_edits: int = 0
    times: list[float] = field(default_factory=list[float])
    told: dict[_Row, str] = field(default_factory=dict[_Row, str])
    _seen: set[int] = field(default_factory=set[int])

    def add(self, edit: GeneratedEdit) -> None:
        """Count one edit, once however often it comes, and keep what it tells."""
        content = hash(tuple(sorted((*edit.before.items(), *edit.files.items()), key=repr)))
        if content in self._seen:
            return
        self._seen.add(content)
        began = time.perf_counter()
        found = silencings_of(edit.before, edit.files)
        self.times.append(time.perf_counter() - began)
        scope = _scope(edit)
        self.edits[scope] += 1
        self.n_rows += len(found)
        self.n_told += bool(found)
        rows = [self._row(edit, form, scope) for form in found]
        self.false_edits += any(self.judged.get(row.key) is False for row in rows)
        for form, row in zip(found, rows, strict=True):
            if row not in self.told:
                self.told[row] = f"{edit.label}\n{_counted(edit, form)}"

    def _row(self, edit: GeneratedEdit, form: Form, scope: str) -> _Row:
        scope = "hunk" if scope == "half" else scope
        return _Row(self.project, form.how, form.what, form.path, scope, _around(edit, form))

    @property
    def false(self) -> list[_Row]:
        """The rows that were looked at and found to be false."""
        return [row for row in self.told if self.judged.get(row.key) is False]

    @property
    def unjudged(self) -> list[_Row]:
        """The rows that nobody has looked at."""
        return [row for row in self.told if row.key not in self.judged]


async def run(setup: Setup) -> list[Figure]:
    """Of each project the edits and what was told of them; and of all, what was told falsely."""
    figures: list[Figure] = []
    judged = _judgements()
    tallies: list[_Tally] = []
    kept = cache_folder() / "silencing.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("w", encoding="utf-8") as file:
        for line in LINES:
            tally = _Tally(line.name, judged)
            try:
                for edit in line.edits():
                    tally.add(edit)
            except (OSError, subprocess.CalledProcessError) as error:
                figures.append(Figure("silencing", line.name, f"not there: {error!r}", ok=False))
                continue
            tallies.append(tally)
            for row, label in tally.told.items():
                file.write(_for_a_person(row, label, judged.get(row.key)))
            figures.append(_figure(tally))
            setup.say(f"silencing: {line.name}: {figures[-1].ours}")
    setup.say(f"silencing: every row that was told stands in {kept}")
    return [*figures, *_totals(tallies)]


def _judgements() -> dict[str, bool]:
    """By the key of a row whether it is right, as people found who looked at it."""
    lines = _JUDGED.read_text(encoding="utf-8").splitlines()
    said = [line.split() for line in lines if line and not line.startswith("#")]
    return {key: {"right": True, "false": False}[word] for word, *keys in said for key in keys}


def _scope(edit: GeneratedEdit) -> str:
    if edit.kind == "several":
        return "release"
    if edit.label.endswith(" half"):
        return "half"
    return "file" if edit.label.endswith(" whole") else "hunk"


def _for_a_person(row: _Row, label: str, judged: bool | None) -> str:
    word = {True: "right", False: "false", None: "?"}[judged]
    head = f"### {row.key} {word} {row.project} · {row.scope} · {label}"
    return f"{head}\n{row.how}: {row.what} @ {row.path}\n{row.around}\n\n"


def _around(edit: GeneratedEdit, form: Form) -> str:
    """The lines that a row is about, in the text that has them."""
    side = edit.before if form.how == "deleted-test" else edit.files
    lines = (side.get(form.path) or edit.before.get(form.path) or "").splitlines()
    first = max(0, form.line - _AROUND)
    shown = lines[first : form.line + _AROUND + 1]
    return "\n".join(
        f"{'>' if first + n == form.line else ' '} {line[:160]}" for n, line in enumerate(shown)
    )


def _counted(edit: GeneratedEdit, form: Form) -> str:
    """How often the text of a row stands on both sides: what was only moved does so as often."""
    word = form.what.rpartition(" … ")[2].split(": ")[-1]
    before, after = (
        sum((text or "").count(word) for text in side.values())
        for side in (edit.before, edit.files)
    )
    return f"{word!r} in these files: {before} times before, {after} after"


def _figure(tally: _Tally) -> Figure:
    slowest, p99 = max(tally.times), percentile(tally.times, 99)
    kinds = Counter(row.how for row in tally.told)
    shown = ", ".join(f"{n} {how}" for how, n in kinds.most_common())
    n_edits = tally.edits.total()
    return Figure(
        "silencing", tally.project,
        f"{tally.n_rows} rows of {n_edits} edits; {len(tally.told)} different: {shown}; "
        f"{len(tally.false)} false, {len(tally.unjudged)} not looked at",
        f"p99 {milliseconds(p99)}, slowest {milliseconds(slowest)}",
        data={"edits": dict(tally.edits), "rows": tally.n_rows, "different": len(tally.told),
              "false": [row.key for row in tally.false]},
    )  # fmt: skip


def _totals(tallies: Sequence[_Tally]) -> list[Figure]:
    edits: Counter[str] = Counter()
    for tally in tallies:
        edits.update(tally.edits)
    n_edits = edits.total()
    n_told = sum(tally.n_told for tally in tallies)
    n_rows = sum(len(tally.told) for tally in tallies)
    false_edits = sum(tally.false_edits for tally in tallies)
    false_rows = sum(len(tally.false) for tally in tallies)
    unjudged = sum(len(tally.unjudged) for tally in tallies)
    kinds = ", ".join(f"{edits[scope]} {name}" for scope, name in _SCOPES.items())
    return [
        Figure(
            "silencing", "real edits", f"{n_edits}: {kinds}; {n_told} tell something",
            bar=f">= {_LEAST_EDITS}", ok=n_edits >= _LEAST_EDITS, data=dict(edits),
        ),
        Figure(
            "silencing", "falsely told, of edits",
            f"{_percent(false_edits, n_edits)} ({false_edits} of {n_edits}; "
            f"of those that tell something {_percent(false_edits, n_told)})",
            bar="<= 1 %", ok=100 * false_edits <= n_edits and not unjudged,
        ),
        Figure(
            "silencing", "falsely told, of rows",
            f"{_percent(false_rows, n_rows)} ({false_rows} of {n_rows} different ones)",
        ),
        Figure(
            "silencing", "rows that nobody has looked at", str(unjudged), bar="0",
            ok=not unjudged,
        ),
    ]  # fmt: skip


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.2f} %"
