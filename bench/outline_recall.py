"""What outlines miss of classes, functions and methods, against language servers and ctags."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.report import Figure, Setup
from tests.support.outline_corpus import (
    CPP,
    CSHARP,
    EFFECT,
    GO,
    JAVA,
    OTHERS,
    PYTHON,
    RUBY,
    RUST,
    SQLITE,
    TYPESCRIPT,
    BigFile,
)
from tests.support.outline_oracles import Symbol, by_ctags, by_server
from tests.support.outline_recall import recall_of
from understudy.outline.read_outline import outline

LEAST, LEAST_EFFECT, LEAST_RANGES = 0.995, 0.99, 0.99
Oracle = Callable[[BigFile], Sequence[Symbol]]


def _basedpyright(file: BigFile) -> Sequence[Symbol]:
    return by_server("basedpyright-langserver", "python", file.path)


def _tsserver(file: BigFile) -> Sequence[Symbol]:
    return by_server("typescript-language-server", "typescript", file.path)


def _ctags(language: str) -> Oracle:
    return lambda file: by_ctags(language, file.path)


CASES: tuple[tuple[str, Sequence[BigFile], Oracle, float], ...] = (
    ("basedpyright", PYTHON, _basedpyright, LEAST),
    ("tsserver, effect", EFFECT, _tsserver, LEAST_EFFECT),
    ("tsserver", [file for file in TYPESCRIPT if file not in EFFECT], _tsserver, LEAST),
    ("ctags, Java", JAVA, _ctags("Java"), LEAST),
    ("ctags, Go", GO, _ctags("Go"), LEAST),
    ("ctags, Rust", RUST, _ctags("Rust"), LEAST),
    ("ctags, C", [SQLITE], _ctags("C"), LEAST),
    ("ctags, C++", CPP, _ctags("C++"), LEAST),
    ("ctags, C#", CSHARP, _ctags("C#"), LEAST),
    ("ctags, Ruby", RUBY, _ctags("Ruby"), LEAST),
    ("ctags, PHP", OTHERS[:1], _ctags("PHP"), LEAST),
    ("ctags, Bash", OTHERS[2:], _ctags("Sh"), LEAST),
)


async def run(setup: Setup) -> list[Figure]:
    """The least recall and the least share of equal ranges for each oracle."""
    figures: list[Figure] = []
    for name, files, oracle, bar in CASES:
        found: list[float] = []
        ranges: list[float] = []
        misses: dict[str, list[str]] = {}
        for file in files:
            recall = recall_of(outline(file.path.read_bytes(), file.language), oracle(file))
            found.append(recall.found)
            ranges.append(recall.equal_ranges)
            misses[file.ending] = [f"{s.name}:{s.name_line}" for s in recall.missing[:20]]
            setup.say(f"{file.ending}: {recall.n} symbols, {recall.found:.4f}")
        figures.append(
            Figure(
                "outline_recall", f"least recall, equal ranges; {name}",
                f"{min(found):.4f}, {min(ranges):.4f}", "1", min(found),
                f">= {bar}, >= {LEAST_RANGES}",
                min(found) >= bar and min(ranges) >= LEAST_RANGES,
                {"recall": found, "ranges": ranges, "missing": misses},
            )
        )  # fmt: skip
    return figures
