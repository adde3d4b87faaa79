"""What is told as silencing on real edits: those between releases, their files, hunks and halves.

No server is asked. Every row goes to a file with the text around it, once however many edits tell
it, so that a person can look through what was told.
"""

from __future__ import annotations

import itertools
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
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
    Line("typescript", "rxjs", ("@7.5.7", "@7.8.1"), npm_package),
    Line("typescript", "zod", ("@3.25.76", "@4.1.12"), npm_package),
    Line("typescript", "effect", ("@3.16.0", "@3.17.0"), npm_package),
    Line("javascript", "fastify", ("@4.28.1", "@5.0.0", "@5.6.1"), npm_package),
    Line("javascript", "undici", ("@6.19.0", "@7.16.0"), npm_package),
    Line("go", "github.com/spf13/cobra", ("@v1.6.0", "@v1.8.0", "@v1.10.1"), go_module),
    Line("go", "github.com/stretchr/testify", ("@v1.8.0", "@v1.9.0", "@v1.11.1"), go_module),
    Line("go", "github.com/gin-gonic/gin", ("@v1.8.0", "@v1.9.1", "@v1.11.0"), go_module),
    Line("rust", "clap_builder", ("@4.4.0", "@4.5.40"), _crate),
    Line("rust", "smallvec", ("@1.11.0", "@1.15.1"), _crate),
    Line("rust", "hashbrown", ("@0.14.0", "@0.15.5"), _crate),
    Line("rust", "bytes", ("@1.4.0", "@1.10.1"), _crate),
    Line("cpp", "nanobind", ("==1.9.2", "==2.4.0", "==2.9.2"), sdist),
    Line("c", "zstandard", ("==0.22.0", "==0.25.0"), sdist),
)  # fmt: skip


@dataclass
class _Tally:
    n_edits: int = 0
    n_rows: int = 0
    times: list[float] = field(default_factory=list[float])
    told: dict[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])
    kinds: Counter[str] = field(default_factory=Counter[str])

    def add(self, edit: GeneratedEdit) -> None:
        """Count one edit, and keep what it tells for the first time."""
        began = time.perf_counter()
        found = silencings_of(edit.before, edit.files)
        self.times.append(time.perf_counter() - began)
        self.n_edits += 1
        self.n_rows += len(found)
        for form in found:
            text = _around(edit, form)
            key = (form.path, form.how, form.what, text)
            if key not in self.told:
                self.kinds[form.how] += 1
                self.told[key] = f"{edit.label}\n{_counted(edit, form)}"


async def run(setup: Setup) -> list[Figure]:
    """Of each project the edits and what was told of them."""
    figures: list[Figure] = []
    kept = cache_folder() / "silencing.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("w", encoding="utf-8") as file:
        for line in LINES:
            tally = _Tally()
            try:
                for edit in line.edits():
                    tally.add(edit)
            except (OSError, subprocess.CalledProcessError) as error:
                figures.append(Figure("silencing", line.name, f"not there: {error!r}", ok=False))
                continue
            for (path, how, what, text), label in tally.told.items():
                file.write(f"### {line.name} · {label}\n{how}: {what} @ {path}\n{text}\n\n")
            figures.append(_figure(line, tally))
            setup.say(f"silencing: {line.name}: {figures[-1].ours}")
    setup.say(f"silencing: every row that was told stands in {kept}")
    return figures


def _around(edit: GeneratedEdit, form: Form) -> str:
    """The lines that a row is about, in the text that has them; the others of both sides, too."""
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


def _figure(line: Line, tally: _Tally) -> Figure:
    slowest, p99 = max(tally.times), percentile(tally.times, 99)
    kinds = ", ".join(f"{n} {how}" for how, n in tally.kinds.most_common())
    return Figure(
        "silencing", line.name,
        f"{tally.n_rows} rows of {tally.n_edits} edits; {len(tally.told)} different: {kinds}",
        f"p99 {milliseconds(p99)}, slowest {milliseconds(slowest)}",
        data={"edits": tally.n_edits, "rows": tally.n_rows, "different": len(tally.told)},
    )  # fmt: skip
