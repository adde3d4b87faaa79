"""A file that is in no build or project as it is: unknown, with the remedy; and that helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.servers import search_path
from tests.support.sessions import check_edits, open_session
from understudy.values.verdicts import CheckReport
from understudy.workspace.options import CheckOptions

pytestmark = pytest.mark.real

GO = {
    "go.mod": "module example.org/m\n\ngo 1.21\n",
    "p/p.go": "package p\n\nfunc F() int { return 1 }\n",
    "p/tag.go": "//go:build integration\n\npackage p\n\nfunc T() int { return F() }\n",
}
SCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"types": []}, "include": ["src"]}\n',
    "src/a.ts": "export const a: number = 1;\n",
    "scripts/tool.ts": "export const b: number = 1;\n",
}
TAGS = "-tags=integration"


async def report_of(
    tmp_path: Path, server: str, edit: dict[str, str], editor: Any = None, **servers: Any
) -> CheckReport:
    """The report on an edit; `editor` are the settings of an editor, `servers` those of files."""
    files = GO if server in ("gopls", "go-vet") else SCRIPT
    path = tuple(search_path().split(":"))
    async with open_session(tmp_path, files, servers, server_path=path) as session:
        if editor is not None:
            session.server_settings = editor
            session._choose_servers()
        edits = [{"kind": "write", "path": path, "text": text} for path, text in edit.items()]
        options = CheckOptions(servers=(server,), timeout_s=120)
        return (await check_edits(session, edits, options)).report


WRONG = {"p/tag.go": GO["p/tag.go"].replace("F()", '"x"')}
CASES = [
    ("gopls", WRONG, "p/tag.go", "-tags=NAME"),
    ("go-vet", WRONG, "p/tag.go", "-tags=NAME"),
    ("tsc", {"scripts/tool.ts": "export const b: number = '';\n"}, "scripts/tool.ts", "`include`"),
]


@pytest.mark.parametrize(("server", "edit", "path", "remedy"), CASES)
async def test_why_a_file_is_in_nothing(
    tmp_path: Path, server: str, edit: dict[str, str], path: str, remedy: str
) -> None:
    report = await report_of(tmp_path, server, edit)
    (file,) = report.files
    assert (report.verdict, file.path) == ("unknown", path)
    assert file.reason is not None
    assert remedy in file.reason.text
    assert ("its build constraint, (integration)," in file.reason.text) is (server != "tsc")
    assert str(tmp_path) not in file.reason.text


@pytest.mark.parametrize("server", ["gopls", "go-vet"])
async def test_a_file_without_a_constraint_is_told_of_none(tmp_path: Path, server: str) -> None:
    """It is in no package because go.mod cannot be read: that is what the tool says first."""
    broken = {**GO, "go.mod": "modul example.org/m\n"}
    path = tuple(search_path().split(":"))
    async with open_session(tmp_path, broken, {}, server_path=path) as session:
        edits = [{"kind": "write", "path": "p/p.go", "text": GO["p/p.go"] + "// more\n"}]
        options = CheckOptions(servers=(server,), timeout_s=120)
        report = (await check_edits(session, edits, options)).report
    (reason,) = {file.reason.text for file in report.files if file.reason}
    assert "unknown directive: modul" in reason
    assert "constraint" not in reason


FILE_SETTINGS = {"gopls": {"settings": {"gopls": {"buildFlags": [TAGS]}}}}


@pytest.mark.parametrize("server", ["gopls", "go-vet"])
@pytest.mark.parametrize("where", ["files", "editor", "GOFLAGS"])
async def test_tags_are_tried_by_all_tools_of_go_alike(
    tmp_path: Path, server: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = {"go": {"buildTags": "integration"}} if where == "editor" else None
    if where == "GOFLAGS":
        monkeypatch.setenv("GOFLAGS", TAGS)
    servers = FILE_SETTINGS if where == "files" else {}
    report = await report_of(tmp_path, server, WRONG, editor, **servers)
    assert [found.path for found in report.introduced] == ["p/tag.go"]
