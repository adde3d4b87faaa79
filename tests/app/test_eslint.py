"""ESLint judges by the project's own library and configuration, or says that it did not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.projects import project
from understudy.values.verdicts import CheckReport

pytestmark = pytest.mark.real

_LIBRARY = {
    path: text
    for path, text in project("javascript").files.items()
    if path.startswith("node_modules/")
}
_PLAIN = 'module.exports = [{ rules: { "no-undef": "error" } }];\n'
_CROSS = """\
const fs = require("node:fs"), path = require("node:path");
const named = {
  create: (context) => ({
    ImportDeclaration(node) {
      const place = path.join(path.dirname(context.filename), node.source.value);
      const text = fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
      for (const one of node.specifiers)
        if (!text.includes("export const " + one.local.name))
          context.report({ node: one, message: one.local.name + " is not exported" });
    },
  }),
};
module.exports = [{ plugins: { import: { rules: { named } } }, rules: { "import/named": 2 } }];
"""
_SOURCES = {
    "src/one.js": "export const one = 1;\n",
    "src/two.js": 'import { one } from "./one.js";\nexport const two = one;\n',
    "src/three.js": 'import { two } from "./two.js";\nexport const three = two;\n',
}


async def judged(
    tmp_path: Path, files: Mapping[str, str], *edits: Mapping[str, str]
) -> list[CheckReport]:
    """The reports of one branch after each write, in one live session."""
    for path, text in files.items():
        (tmp_path / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / path).write_text(text)
    reports: list[CheckReport] = []
    async with rehearsals(tmp_path / "project", tmp_path / "state", "eslint") as live:
        branch = await live.session.branches.create("branch")
        for edit in edits:
            steps = [{"kind": "write", "path": p, "text": text} for p, text in edit.items()]
            await live.edit(branch.id, steps)
            reports.append((await live.check(branch.id)).report)
    return reports


async def test_rules_that_read_other_files(tmp_path: Path) -> None:
    """Their findings change in files that were not edited, and with the text of the branch."""
    gone, back, moved = await judged(
        tmp_path,
        {**_LIBRARY, **_SOURCES, "eslint.config.js": _CROSS},
        {"src/one.js": "export const uno = 1;\n"},
        {"src/one.js": "export const one = 2;\n"},
        {"src/one.js": "export const uno = 1;\n", "src/two.js": "export const two = 2;\n"},
    )
    assert [(f.path, f.code) for f in gone.introduced] == [("src/two.js", "import/named")]
    assert (back.verdict, moved.verdict) == ("clean", "clean"), (back, moved)
    assert {file.path for file in gone.files} == set(_SOURCES)


@pytest.mark.parametrize(
    "files",
    [
        {"eslint.config.js": _PLAIN},
        {**_LIBRARY, "eslint.config.js": "module.exports = [{ rules: {\n"},
        {**_LIBRARY, "eslint.config.js": 'require("./not-there");\n'},
        {**_LIBRARY, "eslint.config.js": 'module.exports = [{ rules: { "no-undef": "loud" } }];\n'},
        {**_LIBRARY},
    ],
    ids=["no library", "no syntax", "no module", "no such severity", "no configuration"],
)
async def test_an_empty_answer_is_no_evidence(tmp_path: Path, files: Mapping[str, str]) -> None:
    (report,) = await judged(
        tmp_path, {**files, "a.js": "export const a = 1;\n"}, {"a.js": "export const a = b;\n"}
    )
    assert report.verdict == "unknown", report
    (file,) = report.files
    assert file.reason is not None
    assert "eslint has not validated the file" in file.reason.text
