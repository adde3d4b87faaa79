"""Checks over LSP on real basedpyright and ruff: right, about their own branch, and unseen."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.contract import assert_check
from tests.e2e.folders import DEMO_PATCH, copy_demo
from tests.e2e.lsp_client import Editor, Json, memory_of, open_editor
from tests.support.workspace import state_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

TAX, TOTALS, MODEL = "invoices/tax.py", "invoices/totals.py", "invoices/model.py"
BROKEN = {
    ("invoices/printing.py", 16, "reportCallIssue"),
    ("invoices/tax.py", 25, "reportReturnType"),
    ("invoices/totals.py", 21, "reportCallIssue"),
}
"""What the demo patch breaks: 0-based lines, two of them in files that it does not touch."""


def commit_all(folder: Path) -> None:
    """Make the folder a git repository with everything in it committed."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=folder, check=True, timeout=30)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for the module; at its end not a byte or time in the folder has changed."""
    place = tmp_path_factory.mktemp("check")
    folder = copy_demo(place / "demo")
    commit_all(folder)
    before = state_of(folder)
    assert any(path.endswith(".git/index") for path in before)
    async with open_editor(folder, place / "state") as opened:
        yield opened
        assert state_of(folder) == before
    assert state_of(folder) == before


def errors(report: Json, kind: str = "introduced") -> set[tuple[str, int, str]]:
    return {
        (item["path"], item["range"]["start"]["line"], item["code"])
        for item in report[kind]
        if item["severity"] == "error"
    }


def text_of(editor: Editor, path: str) -> str:
    return (editor.root / path).read_text(encoding="utf-8")


def replace(path: str, old: str, new: str) -> Json:
    return {"kind": "replace", "path": path, "old": old, "new": new}


async def test_a_finding_in_a_file_that_the_edit_does_not_touch(editor: Editor) -> None:
    branch = await editor.branch({"kind": "diff", "text": DEMO_PATCH.read_text()})
    report = await editor.check(branch)
    assert_check(report)
    assert report["verdict"] == "findings"
    assert errors(report) == BROKEN
    assert {item["server"] for item in report["introduced"]} == {"basedpyright", "ruff"}
    assert report["fixed"] == report["unattributed"] == report["unjudged"] == []
    by_path = {file["path"]: file for file in report["files"]}
    assert by_path[TOTALS]["verdict"] == "findings"
    assert by_path["invoices/printing.py"]["verdict"] == "findings"
    assert "invoices/reminders.py" not in by_path, "it takes nothing that has changed"


async def test_the_same_question_has_the_same_stamp(editor: Editor) -> None:
    branch = await editor.branch(replace(TAX, "+ 50", "+ 49"))
    first, second = await editor.check(branch), await editor.check(branch)
    assert first["verdict"] == second["verdict"] == "clean"
    assert first["stamp"] == second["stamp"]
    await editor.edit(branch, replace(TAX, "+ 49", "+ undefined"))
    third = await editor.check(branch)
    assert third["verdict"] == "findings"
    assert third["stamp"] != first["stamp"]
    await editor.edit(branch, replace(TAX, "+ undefined", "+ 50"))
    assert (await editor.check(branch))["verdict"] == "clean"


async def test_an_unsaved_buffer_is_what_the_branch_stands_on(editor: Editor) -> None:
    branch = await editor.branch(replace(TOTALS, "invoice.net, tax", "invoice.rebate, tax"))
    assert errors(await editor.check(branch)) == {(TOTALS, 22, "reportAttributeAccessIssue")}
    field = "    lines: list[Line] = field(default_factory=list)\n"
    editor.open(MODEL, text_of(editor, MODEL).replace(field, field + "    rebate: int = 0\n"))
    assert (await editor.check(branch))["verdict"] == "clean"
    editor.close(MODEL)
    assert (await editor.check(branch))["verdict"] == "findings"


async def test_an_error_that_the_user_typed_is_not_the_branchs(editor: Editor) -> None:
    editor.open(TOTALS, text_of(editor, TOTALS) + "\nprint(of_the_user)\n")
    branch = await editor.branch(replace(TOTALS, "Add up the lines", "One\n\n    more line"))
    report = await editor.check(branch)
    assert report["verdict"] == "clean"
    assert report["introduced"] == []
    assert report["remaining"] >= 1
    fixing = await editor.branch(replace(TOTALS, "print(of_the_user)\n", ""))
    assert errors(await editor.check(fixing), "fixed") >= {(TOTALS, 24, "reportUndefinedVariable")}
    editor.close(TOTALS)


async def test_each_of_many_branches_gets_its_own_answer(editor: Editor) -> None:
    branches = [
        await editor.branch(replace(TAX, "return table[country]", f"return wrong_{number}"))
        for number in range(8)
    ]
    reports = await asyncio.gather(*(editor.check(branch) for branch in branches))
    for number, report in enumerate(reports):
        assert report["verdict"] == "findings"
        texts = [item["message"] for item in report["introduced"] if item["severity"] == "error"]
        assert texts
        assert all(f"wrong_{number}" in text for text in texts), texts
    assert len({report["stamp"] for report in reports}) == 8
    assert memory_of(editor.client.process.pid) < 150 * 1024 * 1024


SCOPES = [
    ({"scope": "edited"}, {TAX}),
    ({"scope": "affected"}, {TAX, TOTALS, "invoices/printing.py"}),
    ({"scope": "workspace"}, {TAX, TOTALS, MODEL, "invoices/printing.py", "main.py",
                              "invoices/reminders.py", "invoices/__init__.py", "pyproject.toml"}),
    ({"scope": "edited", "servers": ["ruff"]}, {TAX}),
]  # fmt: skip


@pytest.mark.parametrize(("options", "judged"), SCOPES)
async def test_scope_and_servers(editor: Editor, options: Json, judged: set[str]) -> None:
    branch = await editor.branch({"kind": "diff", "text": DEMO_PATCH.read_text()})
    report = await editor.check(branch, **options)
    assert_check(report)
    assert {file["path"] for file in report["files"]} == judged
    asked = {server["name"] for file in report["files"] for server in file["servers"]}
    own = {"tombi"} if "pyproject.toml" in judged else set[str]()
    assert asked == {*options.get("servers", ["basedpyright", "ruff"]), *own}
    assert errors(report) == {
        item for item in BROKEN if item[0] in judged and "basedpyright" in asked
    }


async def test_severity_decides_what_counts(editor: Editor) -> None:
    branch = await editor.branch(replace(TAX, "from invoices", "import os\n\nfrom invoices"))
    report = await editor.check(branch, servers=["ruff"])
    assert report["verdict"] == "clean"
    assert [item["code"] for item in report["introduced"]] == ["F401"]
    strict = await editor.check(branch, servers=["ruff"], severity="warning")
    assert strict["verdict"] == "findings"


async def test_files_that_no_server_judges(editor: Editor) -> None:
    notes = {"kind": "write", "path": "notes.txt", "text": "to do\n"}
    branch = await editor.branch(notes)
    alone = await editor.check(branch)
    assert (alone["verdict"], alone["unjudged"]) == ("unknown", ["notes.txt"])
    assert [file["reason"]["code"] for file in alone["files"]] == ["no-server"]
    await editor.edit(branch, replace(TAX, "+ 50", "+ 49"))
    assert (await editor.check(branch))["verdict"] == "clean"
    assert (await editor.check(branch, strict=True))["verdict"] == "unknown"


async def test_progress_begins_and_ends_with_the_check(editor: Editor) -> None:
    branch = await editor.branch(replace(TAX, "+ 50", "+ 48"))
    seen = len(editor.recorder.messages)
    await editor.check(branch, workDoneToken="the-token")
    messages = [
        message
        for message in editor.recorder.messages[seen:]
        if message.get("method", "$/progress") == "$/progress"  # a server's start is told, too
    ]
    assert all(m["params"]["token"] == "the-token" for m in messages if "method" in m)
    kinds = [m["params"]["value"]["kind"] if "method" in m else "answer" for m in messages]
    assert kinds[0] == "begin", messages
    assert kinds[-2:] == ["end", "answer"]
    assert set(kinds[1:-2]) == {"report"}
    assert messages[0]["params"]["value"]["cancellable"] is True


async def test_a_request_sees_the_branch(editor: Editor) -> None:
    branch = await editor.branch(replace(TAX, "def tax_of(", "\n\ndef tax_of("))
    line = (
        text_of(editor, TOTALS)
        .split("\n")
        .index("    tax = sum(tax_of(line, invoice.country) for line in invoice.lines)")
    )
    params = {
        "textDocument": {"uri": editor.uri(TOTALS)},
        "position": {"line": line, "character": 16},
    }
    answer = await forward(editor, branch, "textDocument/definition", params)
    assert answer["server"] == "basedpyright"
    found = answer["result"][0]
    assert found.get("uri", found.get("targetUri")) == editor.uri(TAX)
    place = found.get("range", found.get("targetSelectionRange"))
    assert place["start"] == {"line": 18, "character": 4}
    assert answer["edited"] == answer["unseen"] == []


async def test_a_request_sees_new_files_of_the_branch(editor: Editor) -> None:
    """And no file that another branch has deleted."""
    text = "from invoices.money import Money\n\nAMOUNT = Money\n"
    branch = await editor.branch(
        {"kind": "write", "path": "invoices/money.py", "text": "\nclass Money: ...\n"},
        {"kind": "write", "path": "use.py", "text": text},
    )
    await editor.check(await editor.branch({"kind": "delete", "path": TAX}))
    params = {"textDocument": {"uri": editor.uri("use.py")},
              "position": {"line": 2, "character": 11}}  # fmt: skip
    answer = await forward(editor, branch, "textDocument/definition", params)
    found = answer["result"][0]
    assert found.get("uri", found.get("targetUri")) == editor.uri("invoices/money.py")
    assert answer["unseen"] == []
    status = await editor.ask("understudy/status", {})
    assert any(one["staged"] for one in status["servers"] if one["name"] == "basedpyright")


async def test_edits_of_a_command_land_in_the_branch(editor: Editor) -> None:
    branch = await editor.branch(replace(TAX, "from invoices", "import os\n\nfrom invoices"))
    command = {
        "command": "ruff.applyAutofix",
        "arguments": [{"uri": editor.uri(TAX), "version": 1}],
    }
    answer = await forward(editor, branch, "workspace/executeCommand", command, server="ruff")
    assert answer["edited"] == [TAX]
    assert "import os" not in await editor.diff(branch)
    assert not any(m["method"] == "workspace/applyEdit" for m in editor.recorder.unasked())


async def forward(
    editor: Editor, branch: str, method: str, params: Json, **more: Any
) -> dict[str, Any]:
    asked = {"branch": branch, "method": method, "params": params, **more}
    return await editor.ask("understudy/branch/request", asked)


async def test_a_checkpoint_shows_what_an_agent_typed_and_saved(
    tmp_path: Path, state: Path
) -> None:
    async with open_editor(copy_demo(tmp_path / "demo"), state) as editor:
        pinned = await editor.ask("understudy/checkpoint", {"title": "before"})
        assert pinned["notPinned"] == 0
        name = pinned["checkpoint"]
        assert (await editor.check(None, before=name))["files"] == []
        editor.open(TOTALS, text_of(editor, TOTALS))
        editor.change(TOTALS, {"text": text_of(editor, TOTALS) + "\nprint(typed)\n"})
        head = "def tax_of(line: Line, country: str"
        tax = text_of(editor, TAX).replace(head, head + ", on: int")
        (editor.root / TAX).write_text(tax, encoding="utf-8")
        report = await editor.check(None, before=name)
        assert_check(report)
        assert errors(report) >= {
            (TOTALS, 21, "reportCallIssue"),
            (TOTALS, 24, "reportUndefinedVariable"),
        }
        (editor.root / TAX).write_text(tax.replace(", on: int", ""), encoding="utf-8")
        editor.change(TOTALS, {"text": text_of(editor, TOTALS)}, version=3)
        assert (await editor.check(None, before=name))["introduced"] == []
        assert await editor.ask("understudy/checkpoint", {"drop": name}) == {"dropped": name}
        params = {"branch": None, "before": name}
        error = await editor.refusal("understudy/branch/check", params)
        assert error["data"]["code"] == "unknown-checkpoint"


async def test_a_revision_shows_what_was_typed_and_saved_since(tmp_path: Path, state: Path) -> None:
    folder = copy_demo(tmp_path / "demo")
    commit_all(folder)
    async with open_editor(folder, state) as editor:
        assert (await editor.check(None, revision="HEAD"))["files"] == []
        editor.open(TOTALS, text_of(editor, TOTALS))
        editor.change(TOTALS, {"text": text_of(editor, TOTALS) + "\nprint(typed)\n"})
        head = "def tax_of(line: Line, country: str"
        tax = text_of(editor, TAX).replace(head, head + ", on: int")
        (editor.root / TAX).write_text(tax, encoding="utf-8")
        report = await editor.check(None, revision="HEAD")
        assert_check(report)
        saved, typed = (TOTALS, 21, "reportCallIssue"), (TOTALS, 24, "reportUndefinedVariable")
        assert errors(report) >= {saved, typed}
        branch = await editor.branch(replace(TOTALS, "\nprint(typed)\n", ""))
        report = await editor.check(branch, revision="HEAD")
        assert saved in errors(report)
        assert typed not in errors(report)
        params = {"branch": branch, "revision": "nope"}
        error = await editor.refusal("understudy/branch/check", params)
        assert error["data"]["code"] == "unknown-revision"
        error = await editor.refusal("understudy/branch/check", {**params, "before": "c1"})
        assert error["data"]["code"] == "bad-params"


async def test_the_nearest_files_are_told_of_under_the_token(tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    folder.mkdir()
    (folder / "lib.py").write_text("def number():\n    return 1\n")
    (folder / "near.py").write_text(
        "from lib import number\n\n\ndef again():\n    return number()\n"
    )
    for n in range(12):
        (folder / f"far{n}.py").write_text("from near import again\n\nx: int = again()\n")
    async with open_editor(folder, tmp_path / "state") as editor:
        branch = await editor.branch(replace("lib.py", "return 1", "return undefined_name"))
        answer = await editor.check(branch, partialResultToken="t", servers=["basedpyright"])
        told = [
            message["params"]["value"]
            for message in editor.recorder.unasked()
            if message["method"] == "$/progress" and message["params"]["token"] == "t"
        ]
    assert_check(answer)
    (wave,) = told
    assert wave.keys() == {"introduced", "unattributed", "judged", "to_come"}
    assert errors(wave) == errors(answer) == {("lib.py", 1, "reportUndefinedVariable")}
    assert (wave["judged"], wave["to_come"]) == (2, 12)
    assert len(answer["files"]) == 14
