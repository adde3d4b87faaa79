"""What configuration extends or imports changes on disk: a warm server judges by the new text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.support.agreement import Rehearsals, rehearsals
from tests.support.taken_cases import CASES, TYPESCRIPT, Case, flat

pytestmark = pytest.mark.real


class Live:
    """A warm session over a folder, each check of which is of a new branch."""

    def __init__(self, live: Rehearsals, case: Case) -> None:
        self._live, self._case = live, case
        self.pids: set[int | None] = set()

    async def verdict(self, more: Mapping[str, str] = MappingProxyType({})) -> str:
        """What is said of an edit that a strict configuration has something against."""
        _, path, text, *_ = self._case.language
        writes = {**more, path: text}
        branch = await self._live.session.branches.create("branch")
        edits = [{"kind": "write", "path": one, "text": text} for one, text in writes.items()]
        await self._live.edit(branch.id, edits)
        report = (await self._live.check(branch.id)).report
        self.stamp = report.stamp
        statuses = await self._live.session.pool.status()
        self.pids |= {status.pid for status in statuses}
        return report.verdict


@asynccontextmanager
async def live(tmp_path: Path, case: Case, files: Mapping[str, str]) -> AsyncIterator[Live]:
    folder = tmp_path / "project"
    for path, text in {**case.language[0], **case.configuration, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    async with rehearsals(folder, tmp_path / "state", case.server) as session:
        yield Live(session, case)


@pytest.mark.parametrize("name", CASES)
async def test_a_warm_server_judges_by_what_its_configuration_takes_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = CASES[name]
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    taken = tmp_path / "project" / case.taken
    async with live(tmp_path, case, {case.taken: case.lax}) as warm:
        assert await warm.verdict() == "clean"
        stamp = warm.stamp
        taken.write_text(case.strict)
        assert await warm.verdict() == "findings"
        assert warm.stamp != stamp
        taken.write_text(case.lax)
        assert await warm.verdict() == "clean"
        # What may be read is told apart by its fingerprint, as there may be much of it.
        assert (warm.stamp == stamp) is not name.endswith(("computed", "added"))


@pytest.mark.parametrize(
    "name", ["ruff", "ruff-up", "basedpyright", "typescript", "typescript-package", "eslint"]
)
async def test_a_branch_is_judged_by_its_own_and_no_other_one(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    async with live(tmp_path, case, {case.taken: case.lax}) as warm:
        for _ in range(2):
            assert await warm.verdict() == "clean"
            assert await warm.verdict({case.taken: case.strict}) == "findings"
        (tmp_path / "project" / case.taken).write_text(case.strict)
        assert await warm.verdict({case.taken: case.lax}) == "clean"
        assert await warm.verdict() == "findings"


@pytest.mark.parametrize("name", ["ruff", "basedpyright", "typescript", "eslint"])
async def test_what_comes_and_goes_is_as_a_cold_server_has_it(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    taken = tmp_path / "project" / case.taken
    said: list[tuple[str, str]] = []

    async def compare(warm: Live) -> None:
        mine = await warm.verdict()
        async with rehearsals(tmp_path / "project", tmp_path / "cold", case.server) as session:
            cold = Live(session, case)
            assert (mine, warm.stamp) == (await cold.verdict(), cold.stamp)
        said.append((mine, warm.stamp))

    async with live(tmp_path, case, {case.taken: case.strict}) as warm:
        await compare(warm)
        taken.unlink()
        await compare(warm)
        taken.write_text(case.lax)
        await compare(warm)
        taken.rename(taken.with_name("elsewhere"))
        await compare(warm)
        taken.write_text(case.strict)
        await compare(warm)
    assert [verdict for verdict, _ in said[::2]] == ["findings", "clean", "findings"]
    assert len(set(said[:3])) == 3
    assert said[0] == said[4]


@pytest.mark.parametrize("name", ["ruff", "typescript", "eslint"])
async def test_a_link_that_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    outside = tmp_path / "outside" / "rules.js"
    outside.parent.mkdir()
    outside.write_text('module.exports = require("./more");\n' if name == "eslint" else case.lax)
    taken = tmp_path / "project" / case.taken
    taken.parent.mkdir(parents=True)
    taken.symlink_to(outside)
    target = outside.with_name("more.js") if name == "eslint" else outside
    target.write_text(case.lax)
    async with live(tmp_path, case, {}) as warm:
        assert await warm.verdict() == "clean"
        target.write_text(case.strict)
        assert await warm.verdict() == "findings"


async def test_many_projects_share_a_process(tmp_path: Path) -> None:
    """What is looked for and not there makes no file of the folder configuration."""
    names = [f"packages/p{number}" for number in range(220)]
    references = ", ".join(f'{{"path": "{name}"}}' for name in names)
    case = Case("typescript-language-server", TYPESCRIPT, "tsconfig.json")
    files = {f"{name}/tsconfig.json": '{"include": ["a.ts"]}' for name in names}
    configuration = f'{{"include": ["src"], "references": [{references}]}}'
    async with live(tmp_path, case, {**files, "tsconfig.json": configuration}) as warm:
        for number in range(3):
            await warm.verdict()
            (tmp_path / "project/src/a.ts").write_text(f"export const a = {number};\n")
    assert len(warm.pids) == 1


async def test_a_package_that_is_linked_is_the_folders_own(tmp_path: Path) -> None:
    case = CASES["eslint-package"]
    own = {
        "packages/rules/index.js": 'module.exports = require("./more");\n',
        "packages/rules/package.json": '{"name": "our-rules"}',
        "packages/rules/more.js": case.lax,
    }
    case = replace(case, configuration={"eslint.config.js": flat("our-rules")})
    (tmp_path / "project/node_modules").mkdir(parents=True)
    (tmp_path / "project/node_modules/our-rules").symlink_to("../packages/rules")
    async with live(tmp_path, case, own) as warm:
        assert await warm.verdict() == "clean"
        assert await warm.verdict({"packages/rules/more.js": case.strict}) == "findings"
        (tmp_path / "project/packages/rules/more.js").write_text(case.strict)
        assert await warm.verdict() == "findings"


NAMED = {
    "pyproject.toml": '[project]\nname = "p"\nreadme = "notes.json"\n'
    '[tool.ruff]\nextend = "shared/rules.toml"\n[tool.pyright]\nextends = "shared/p.json"\n'
    '[tool.hatch]\npath = "notes.json"\nextend = "notes.json"\n',
    "package.json": '{"name": "p", "files": ["notes.json"], "extends": "notes.json"}\n',
    "shared/rules.toml": 'extend-exclude = ["notes.json"]\n',
    "shared/p.json": '{"ignore": ["notes.json"]}',
    "notes.json": "{}",
    "lint/rules.js": 'module.exports = { "no-undef": "error" };\n',
}


@pytest.mark.parametrize("name", ["ruff-pyproject", "basedpyright-pyproject", "eslint"])
async def test_what_is_named_for_something_else_starts_no_process(
    tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    configuration = {p: t for p, t in case.configuration.items() if p not in NAMED}
    async with live(tmp_path, replace(case, configuration=configuration), NAMED) as warm:
        for number in range(4):
            await warm.verdict()
            for path in ("notes.json", "more/notes.json"):
                (tmp_path / "project" / path).parent.mkdir(exist_ok=True)
                (tmp_path / "project" / path).write_text(f"[{number}]\n")
    assert len(warm.pids) == 1
