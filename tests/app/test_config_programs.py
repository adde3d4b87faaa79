"""What configuration extends, imports or reads configures with it; a computed name is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.support.agreement import rehearsals
from tests.support.kits import COMMANDS, PAIRINGS
from tests.support.projects import project
from understudy.values.verdicts import CheckReport

pytestmark = pytest.mark.real

LIBRARY = {
    path: text
    for path, text in project("javascript").files.items()
    if path.startswith("node_modules/")
}
SCRIPT = {**LIBRARY, "package.json": "{}\n", "src/one.mjs": "x;\n"}
OFF, ON = '{"no-undef": 0}\n', '{"no-undef": 2}\n'
READS = 'import fs from "node:fs"\nconst text = fs.readFileSync({}, "utf8")\n'
READS += "export default [{{ files: ['src/*'], rules: JSON.parse(text) }}]\n"
IMPORTS = 'import { rules } from "./rules.mjs"\nexport default [{ rules }]\n'
RULES = 'import { level } from "./level.mjs"\nexport const rules = { "no-undef": level }\n'
COMPUTED = READS.format('["conf/rules", "json"].join(".")')
PLUGIN = """\
from mypy.plugin import Plugin


class Forbids(Plugin):
    def get_function_hook(self, fullname):
        if fullname != "a.f":
            return None
        return lambda call: (call.api.fail("no", call.context), call.default_return_type)[1]


def plugin(version):
    return Forbids
"""


@dataclass(frozen=True)
class Case:
    """A project, and an edit that lets the server's own command say something else."""

    server: str
    files: Mapping[str, str]
    edit: Mapping[str, str]


CASES = {
    "imports": Case(
        "eslint",
        {
            **SCRIPT,
            "eslint.config.mjs": IMPORTS,
            "rules.mjs": RULES,
            "level.mjs": "export const level = 0\n",
        },
        {"level.mjs": "export const level = 2\n"},
    ),
    "reads": Case(
        "eslint",
        {**SCRIPT, "eslint.config.mjs": READS.format('"rules.json"'), "rules.json": OFF},
        {"rules.json": ON},
    ),
    "reads beside source": Case(
        "eslint",
        {**SCRIPT, "eslint.config.mjs": READS.format('"rules.txt"'), "rules.txt": OFF},
        {"rules.txt": ON, "src/two.mjs": "export {}\n"},
    ),
    "plugin": Case(
        "mypy",
        {
            "mypy.ini": "[mypy]\nplugins = plug.py\n",
            "plug.py": PLUGIN.replace("a.f", "a.g"),
            "a.py": "def f() -> int:\n    return 1\n\n\nx: int = f()\n",
        },
        {"plug.py": PLUGIN},
    ),
    "extended": Case(
        "ruff",
        {
            "ruff.toml": 'extend = "base.toml"\n',
            "base.toml": "[lint]\nselect = []\n",
            "a.py": "import os\n",
        },
        {"base.toml": '[lint]\nselect = ["F"]\n'},
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_what_configuration_takes_configures(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    folder = make_folder(tmp_path / "oracle", case.files).resolve()
    oracle = {**PAIRINGS, **COMMANDS}[case.server].oracle.find
    assert not [*oracle(folder)]
    make_folder(folder, case.edit)
    seen = {found.path for found in oracle(folder)}
    report = await judged(case, tmp_path)
    assert {finding.path for finding in report.introduced} == seen != set(), report


EDITS = [
    ({"conf/rules.json": ON}, "unknown"),
    ({"conf/other.yaml": "a: 1\n", "src/two.mjs": "export {}\n"}, "unknown"),
    ({"src/two.mjs": "export {}\n"}, "clean"),
    ({"src/two.mjs": "export {}\n", "docs/page.md": "A page.\n"}, "clean"),
]


@pytest.mark.parametrize(("edit", "verdict"), EDITS, ids=lambda value: "-".join(value))
async def test_what_a_program_reads_by_a_computed_name_is_unknown(
    edit: Mapping[str, str], verdict: str, tmp_path: Path
) -> None:
    files = {**SCRIPT, "eslint.config.mjs": COMPUTED, "conf/rules.json": OFF}
    report = await judged(Case("eslint", files, edit), tmp_path)
    assert report.verdict == verdict, report
    reasons = [file.reason.text for file in report.files if file.reason is not None]
    assert len(reasons) == (verdict == "unknown")
    for reason in reasons:
        assert "eslint.config.mjs, the configuration of eslint, reads files" in reason
        assert "write the name out" in reason


async def test_a_program_that_writes_its_names_out_reads_no_other_file(tmp_path: Path) -> None:
    files = {**SCRIPT, "eslint.config.mjs": READS.format('"rules.json"'), "rules.json": OFF}
    edit = {"conf/other.json": ON, "src/two.mjs": "export {}\n"}
    report = await judged(Case("eslint", files, edit), tmp_path)
    assert report.verdict == "clean", report
    assert report.unjudged == ("conf/other.json",)


async def judged(case: Case, tmp_path: Path) -> CheckReport:
    make_folder(tmp_path / "project", case.files)
    async with rehearsals(tmp_path / "project", tmp_path / "state", case.server) as live:
        branch = await live.session.branches.create("branch")
        steps = [{"kind": "write", "path": p, "text": text} for p, text in case.edit.items()]
        await live.edit(branch.id, steps)
        return (await live.check(branch.id)).report
