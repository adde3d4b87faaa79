"""The hand-written samples of each language, and the outlines they must have.

`python -m tests.support.outline_samples` writes the outlines anew; read the difference before you
keep it.
"""

from __future__ import annotations

from pathlib import Path

from understudy.outline.read_outline import outline
from understudy.outline.show.render import Options, render

FOLDER = Path(__file__).resolve().parent.parent / "data" / "outline"
ENOUGH = 100_000
"""Tokens."""

LANGUAGES = {
    ".c": "c", ".cpp": "cpp", ".cs": "csharp", ".css": "css", ".dart": "dart", ".go": "go",
    ".graphql": "graphql", ".html": "html", ".java": "java", ".js": "javascript",
    ".json": "json", ".jsx": "javascriptreact", ".kt": "kotlin", ".lua": "lua",
    ".md": "markdown", ".php": "php", ".py": "python", ".rb": "ruby", ".rs": "rust",
    ".scala": "scala", ".sh": "shellscript", ".swift": "swift", ".toml": "toml",
    ".ts": "typescript", ".tsx": "typescriptreact", ".yaml": "yaml",
}  # fmt: skip
"""Suffix -> the language id that an editor would give."""

SAMPLES = tuple(sorted(p for p in FOLDER.iterdir() if p.suffix in LANGUAGES))


def outline_text(sample: Path) -> str:
    """The whole outline of a sample, with what comments say."""
    found = outline(sample.read_bytes(), LANGUAGES[sample.suffix])
    return render(found, ENOUGH, Options(title=sample.name, docs=True))


def expected(sample: Path) -> Path:
    """The file with the outline that a sample must have."""
    return FOLDER / "expected" / f"{sample.name}.txt"


def main() -> None:
    """Write all expected outlines."""
    for sample in SAMPLES:
        expected(sample).parent.mkdir(exist_ok=True)
        expected(sample).write_text(outline_text(sample))


if __name__ == "__main__":
    main()
