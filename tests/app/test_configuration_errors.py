"""An edit that a server's or command's configuration does not survive is never clean.

Servers go on with defaults then, and most of them say so in their log alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.servers import search_path
from tests.support.sessions import check_edits
from understudy.disk.layout import Layout
from understudy.values.paths import Root
from understudy.values.verdicts import CheckReport
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

PYTHON = {"a.py": "def f(x: int) -> int:\n    return x\n"}
TYPESCRIPT = {"a.ts": "export const x: number = 1;\n", "package.json": "{}\n"}
RUST = {"src/lib.rs": "pub fn f(x: i32) -> i32 {\n    x\n}\n"}
GO = {"p/p.go": "package p\n\nfunc F(n int) int { return n }\n"}


@dataclass(frozen=True)
class Case:
    """A judge's sources, its configuration, texts that break it, and texts that do not."""

    judge: str
    sources: Mapping[str, str]
    place: str
    good: str
    broken: tuple[str, ...]
    sound: tuple[str, ...] = field(default=())


def compiler_options(text: str) -> str:
    return f'{{"compilerOptions": {{"types": [], {text}}}}}\n'


TSCONFIGS = (
    '{"compilerOptions": {\n',
    compiler_options('"target": "es1802"'),
    '{"compilerOptions": {"types": []}, "extends": "./nothere.json"}\n',
    '{"compilerOptions": {"types": []}, "files": ["nothere.ts"]}\n',
    '{"compilerOptions": {"types": []}, "include": ["nothere"]}\n',
    '{"compilerOptions": {"types": ["nothere"]}}\n',
)
PYRIGHT = (
    "[tool.{0}\n",
    "[tool.{0}]\ntypeCheckingMode = 'perhaps'\n",
    "[tool.{0}]\nnope = 1\n",
    "[tool.{0}]\npythonVersion = 'x'\n",
)
MANIFEST = '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n'
CASES = [
    *(
        Case(
            name, PYTHON, "pyproject.toml", f"[tool.{name}]\ntypeCheckingMode = 'standard'\n",
            tuple(text.format(name) for text in PYRIGHT),
            (f"[tool.{name}]\ntypeCheckingMode = 'strict'\n",),
        )
        for name in ("basedpyright", "pyright")
    ),
    Case(
        "ty", PYTHON, "ty.toml", "[rules]\nunresolved-import = 'warn'\n",
        ("[rules\n", "[rules]\nunresolved-import = 'perhaps'\n", "nope = 1\n",
         "[environment]\npython = '/nothere'\n"),
        ("[rules]\nunresolved-import = 'error'\n",),
    ),
    Case(
        "ruff", PYTHON, "ruff.toml", "line-length = 100\n",
        ("[lint\n", "line-length = 'long'\n", "nope = 1\n", "lint.select = ['XYZ999']\n",
         "extend = 'nothere.toml'\n", "required-version = '>=99'\n"),
        ("lint.select = ['E']\n",),
    ),
    Case(
        "bash-language-server", {"a.sh": "#!/bin/sh\necho hi\n"}, ".shellcheckrc",
        "disable=SC2034\n", ("what is this\n", "disable=XX\n"), ("disable=SC2035\n",),
    ),
    *(
        Case(
            name, TYPESCRIPT, "tsconfig.json", compiler_options('"strict": true'), TSCONFIGS,
            (compiler_options('"strict": false'),),
        )
        for name in ("typescript-language-server", "typescript7", "tsc")
    ),
    Case(
        "mypy", PYTHON, "mypy.ini", "[mypy]\nstrict = false\n",
        ("[mypy\n", "strict = false\n", "[mypy]\nstrict = perhaps\n", "[mypy]\nnope = 1\n",
         "[mypy]\nplugins = nothere\n", "[mypy]\npython_version = 9\n",
         "[mypy]\nstrict = false\nstrict = true\n"),
        ("[mypy]\nstrict = true\n",),
    ),
    Case(
        "mypy", PYTHON, "pyproject.toml", "[tool.mypy]\nstrict = false\n",
        ("[tool.mypy\n", "[tool.mypy]\nstrict = 'perhaps'\n", "[tool.mypy]\nnope = 1\n",
         "[tool.mypy]\nexclude = 3\n", "[tool.mypy]\noverrides = 3\n"),
        ("[tool.mypy]\nstrict = true\n",),
    ),
    Case(
        "cargo-check", RUST, "Cargo.toml", MANIFEST,
        ("[package\n", MANIFEST.replace("0.1.0", "zero"), MANIFEST.replace("2021", "2099"),
         MANIFEST + '[dependencies]\nnothere = "1"\n'),
        (MANIFEST.replace("0.1.0", "0.1.1"),),
    ),
    Case(
        "go-vet", GO, "go.mod", "module example.org/m\n\ngo 1.21\n",
        ("module\n", "module example.org/m\n\ngo 9.99\n", "nonsense\n"),
        ("module example.org/m\n\ngo 1.20\n",),
    ),
]  # fmt: skip
IDS = [f"{case.judge}-{case.place}" for case in CASES]


@asynccontextmanager
async def session_of(tmp_path: Path, case: Case, configuration: str) -> AsyncIterator[Session]:
    folder = tmp_path / "project"
    for path, text in {**case.sources, case.place: configuration}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    settings = Settings(server_path=tuple(search_path().split(":")))
    layout = Layout(tmp_path / "state").create()
    session = Session(Root.open(folder), settings, layout, trusted=True)
    try:
        yield session
    finally:
        await session.close()


async def judged(session: Session, case: Case, text: str) -> CheckReport:
    options = CheckOptions(servers=(case.judge,), timeout_s=240)
    edit = {"kind": "write", "path": case.place, "text": text}
    return (await check_edits(session, [edit], options)).report


@pytest.mark.parametrize("case", CASES, ids=IDS)
async def test_broken_configuration_is_never_clean(tmp_path: Path, case: Case) -> None:
    async with session_of(tmp_path, case, case.good) as session:
        for text in case.sound:
            report = await judged(session, case, text)
            assert (report.verdict, [f.reason for f in report.files]) == ("clean", [None]), text
        for text in case.broken:
            report = await judged(session, case, text)
            assert report.verdict != "clean", text
            assert report.fixed == (), text
            told = [file.reason.text for file in report.files if file.reason]
            assert told or report.introduced, "and it says why"


BROKEN_BEFORE = {
    "basedpyright": "[tool.basedpyright]\nnope = 1\n",
    "typescript-language-server": compiler_options('"nope": 1'),
    "typescript7": compiler_options('"nope": 1'),
}


@pytest.mark.parametrize("case", [case for case in CASES if case.judge in BROKEN_BEFORE])
async def test_what_was_wrong_with_it_before_is_not_the_edits(tmp_path: Path, case: Case) -> None:
    text = BROKEN_BEFORE[case.judge]
    async with session_of(tmp_path, case, text) as session:
        report = await judged(session, case, text.replace("1", "2"))
        assert report.verdict == "clean", report.files
        worse = await judged(session, case, text.replace("nope", "other"))
        assert worse.verdict == "unknown"
