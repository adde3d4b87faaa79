"""A file that is in no build or project as it is: unknown, with the remedy; and that helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.servers import search_path
from tests.support.sessions import check_edits, open_session
from understudy.langserver.catalogue import Catalogue
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


async def report_of(tmp_path: Path, server: str, edit: dict[str, str], **settings: Any):
    files = GO if server in ("gopls", "go-vet") else SCRIPT
    path = tuple(search_path().split(":"))
    servers = {server: settings} if settings else {}
    async with open_session(tmp_path, files, servers, server_path=path) as session:
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


async def test_the_remedy_of_gopls(tmp_path: Path) -> None:
    build = {"gopls": {"env": {"GOPROXY": "off"}, "buildFlags": [TAGS]}}
    report = await report_of(tmp_path, "gopls", WRONG, settings=build)
    assert [found.path for found in report.introduced] == ["p/tag.go"]


async def test_the_remedy_of_go_vet(tmp_path: Path) -> None:
    profile = Catalogue.load().named("go-vet")
    assert profile is not None
    assert profile.checker is not None
    listing = profile.checker.listing
    checker = {
        "output": "go-vet", "ran": [0, 1], "coverage": "listing",
        "listing": [*listing[:2], TAGS, *listing[2:]], "env": dict(profile.checker.env),
    }  # fmt: skip
    command = ["go", "vet", TAGS, "-json", "./..."]
    report = await report_of(tmp_path, "go-vet", WRONG, command=command, checker=checker)
    assert [found.path for found in report.introduced] == ["p/tag.go"]
