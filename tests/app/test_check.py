"""The verb `check` over real toy processes: what it says when servers, files and time misbehave."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.sessions import check_edits, open_session, toy_profile
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side, checkpoint_side
from understudy.shadow.base import Buffer
from understudy.values.errors import BadInput
from understudy.values.texts import PackedText, Text
from understudy.workspace.checkpoints import Checkpoints
from understudy.workspace.options import CheckOptions

FILES = {"a.py": "from b import x\n", "b.py": "fine\n", "c.py": "BAD old\n", "notes.md": "x\n"}
TOY = {"well_behaved": toy_profile("well_behaved")}


def write(path: str, text: str) -> dict[str, str]:
    return {"kind": "write", "path": path, "text": text}


def reasons(checked) -> dict[str, str | None]:
    return {f.path: f.reason.code if f.reason else None for f in checked.report.files}


async def test_an_edit_is_judged_with_its_dependents(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        checked = await check_edits(session, [write("b.py", "fine\nBAD new\n")])
    report = checked.report
    assert report.verdict == "findings"
    assert [(f.path, f.range.start.line) for f in report.introduced] == [("b.py", 1)]
    assert {file.path: file.verdict for file in report.files} == {
        "a.py": "clean",
        "b.py": "findings",
    }


@pytest.mark.parametrize(
    ("scope", "paths", "affected_files"),
    [
        ("edited", {"b.py"}, None),
        ("affected", {"a.py", "b.py"}, None),
        ("workspace", {"a.py", "b.py", "c.py"}, 2),
    ],
)
async def test_scopes(tmp_path: Path, scope, paths, affected_files):
    async with open_session(tmp_path, FILES, TOY) as session:
        checked = await check_edits(session, [write("b.py", "x = 1\n")], CheckOptions(scope=scope))
    assert {file.path for file in checked.report.files} == paths
    assert checked.report.affected_files == affected_files


async def test_in_the_whole_workspace_the_affected_files_come_first(tmp_path: Path):
    far = {f"a{number}.py": "fine\n" for number in range(3)}
    files = {**far, "z.py": "from b import x\n", "b.py": "x: int = 1\n"}
    edits, options = [write("b.py", "x: str = ''\n")], CheckOptions(scope="workspace")
    async with open_session(tmp_path, files, TOY, max_files=2) as session:
        report = (await check_edits(session, edits, options)).report
    skipped = {f.path for f in report.files if f.reason is not None and f.reason.code == "skipped"}
    assert (skipped, report.affected_files) == (far.keys(), 2)


async def test_shifted_old_findings_are_neither_introduced_nor_fixed(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        report = (await check_edits(session, [write("c.py", "\n\nBAD old\n")])).report
    assert (report.verdict, report.introduced, report.fixed) == ("clean", (), ())
    assert report.remaining == 1


async def test_for_a_server_of_single_files_a_renamed_file_keeps_its_findings(tmp_path: Path):
    toy = {"lint": toy_profile("well_behaved", scope="file")}
    edit = {"kind": "rename", "path": "c.py", "to": "d.py"}
    async with open_session(tmp_path, FILES, toy) as session:
        report = (await check_edits(session, [edit])).report
    assert (report.verdict, report.introduced, report.fixed) == ("clean", (), ())
    assert (report.remaining, [file.path for file in report.files]) == (1, ["d.py"])


async def test_configuration_of_a_server_without_files_here_does_not_matter(tmp_path: Path):
    toys = {
        "toy": toy_profile("well_behaved", files={"*.rb": "ruby"}, config_files=["toy.json"]),
        "json": toy_profile(
            "well_behaved", group="other", files={"*.json": "json"}, objections={"json": "BAD"}
        ),
    }
    async with open_session(tmp_path, {**FILES, "toy.json": "{}"}, toys) as session:
        checked = await check_edits(session, [write("toy.json", "[]")])
    assert (checked.report.verdict, reasons(checked)) == ("clean", {"toy.json": None})


async def test_files_over_the_cap_are_skipped_not_dropped(tmp_path: Path):
    files = {"lib.py": "", **{f"m{n}.py": "from lib import x\n" for n in range(5)}}
    async with open_session(tmp_path, files, TOY, max_files=3) as session:
        checked = await check_edits(session, [write("lib.py", "x = 1\n")])
    assert checked.report.verdict == "unknown"
    assert sorted(map(str, reasons(checked).values())) == ["None"] * 3 + ["skipped"] * 3
    assert reasons(checked)["lib.py"] is None


async def test_files_that_no_server_judges(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        alone = await check_edits(session, [write("notes.md", "y\n")])
        both = [write("notes.md", "y\n"), write("b.py", "x = 1\n")]
        with_code = await check_edits(session, both)
        strict = await check_edits(session, both, CheckOptions(strict=True))
    assert (alone.report.verdict, reasons(alone)) == ("unknown", {"notes.md": "no-server"})
    assert (with_code.report.verdict, with_code.report.unjudged) == ("clean", ("notes.md",))
    assert (strict.report.verdict, reasons(strict)["notes.md"]) == ("unknown", "no-server")


async def test_a_group_without_an_installed_server_is_unknown(tmp_path: Path):
    toy = {"gone": toy_profile("well_behaved", command=["/nowhere/server"])}
    async with open_session(tmp_path, FILES, toy) as session:
        checked = await check_edits(session, [write("b.py", "x = 1\n")])
    assert set(reasons(checked).values()) == {"not-installed"}


async def test_the_time_limit_holds(tmp_path: Path):
    toy = {"silent": toy_profile("never_answers")}
    async with open_session(tmp_path, FILES, toy) as session:
        edits, codes = [write("b.py", "x = 1\n")], set[str | None]()
        for seconds in (1.5, 3, 6, 12, 24):
            checked = await check_edits(session, edits, CheckOptions(timeout_s=seconds))
            assert checked.report.elapsed_ms < seconds * 1000 + 8500
            codes = set(reasons(checked).values())
            if codes != {"starting"}:  # on a busy machine the time is over before it is asked
                break
    assert codes == {"timeout"}


async def test_a_server_may_not_be_unknown_by_name(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        with pytest.raises(BadInput) as error:
            await check_edits(session, [write("b.py", "x = 1\n")], CheckOptions(servers=("nope",)))
    assert error.value.code == "unknown-server"


async def test_a_file_in_scope_that_moves_once_is_judged_again(tmp_path: Path):
    moves = ["BAD by the user\n"]

    def move(message: str, done: int, total: int) -> None:
        if moves:
            (tmp_path / "project" / "a.py").write_text("from b import x\n" + moves.pop())

    async with open_session(tmp_path, FILES, TOY) as session:
        checked = await check_edits(session, [write("b.py", "x = 1\n")], progress=move)
    assert (checked.report.verdict, checked.report.base_moved) == ("clean", True)
    assert checked.report.remaining == 1  # the user's own finding, on both sides


async def test_a_file_in_scope_that_keeps_moving_is_unknown(tmp_path: Path):
    count = iter(range(1000))

    def move(message: str, done: int, total: int) -> None:
        (tmp_path / "project" / "b.py").write_text(f"fine {next(count)}\n")

    async with open_session(tmp_path, FILES, TOY) as session:
        checked = await check_edits(session, [write("a.py", "from b import x\nx\n")], progress=move)
    # b.py is no dependent of a.py, but a.py is one of b.py's.
    assert (checked.report.verdict, reasons(checked)["a.py"]) == ("unknown", "base-moved")


async def test_what_moves_out_of_scope_is_only_said(tmp_path: Path):
    count = iter(range(1000))

    def move(message: str, done: int, total: int) -> None:
        (tmp_path / "project" / "c.py").write_text(f"fine {next(count)}\n")

    async with open_session(tmp_path, FILES, TOY) as session:
        checked = await check_edits(session, [write("b.py", "x = 1\n")], progress=move)
    assert (checked.report.verdict, checked.report.base_moved) == ("clean", True)


async def test_a_configuration_that_moves_concerns_every_file_of_its_server(tmp_path: Path):
    count = iter(range(1000))

    def move(message: str, done: int, total: int) -> None:
        (tmp_path / "project" / "toy.toml").write_text(f"x = {next(count)}\n")

    toy = {"toy": toy_profile("well_behaved", config_files=["toy.toml"])}
    async with open_session(tmp_path, {**FILES, "toy.toml": ""}, toy) as session:
        checked = await check_edits(session, [write("c.py", "x\n")], progress=move)
    assert reasons(checked) == {"c.py": "base-moved"}


async def test_typing_elsewhere_never_starves_a_check(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        count = iter(range(1000))

        def type_in_c(message: str, done: int, total: int) -> None:
            text = PackedText.hold(Text(f"typed {next(count)}\n"))
            session.set_buffer("c.py", Buffer(text, "python", 1))

        checked = await check_edits(session, [write("b.py", "x = 1\n")], progress=type_in_c)
    assert (checked.report.verdict, checked.report.base_moved) == ("clean", True)


async def test_a_conflict_with_the_user_is_unknown(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        branch = await session.branches.create("test")
        edit = [write("b.py", "the agent's\n")]
        await session.branches.edit(branch.id, edit, await session.fresh_base())
        session.set_buffer("b.py", Buffer(PackedText.hold(Text("the user's\n")), "python", 1))
        checked = await check(
            session, base_side, branch_side(session.branches, branch.id), CheckOptions()
        )
    assert reasons(checked) == {"a.py": "conflict", "b.py": "conflict"}


async def test_what_has_changed_since_a_checkpoint(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        checkpoints = Checkpoints(session.selection.covers)
        checkpoint = await checkpoints.create(await session.fresh_base())
        text = PackedText.hold(Text("fine\nBAD typed\n"))
        session.set_buffer("b.py", Buffer(text, "python", 1))
        (tmp_path / "project" / "c.py").write_text("BAD old\nBAD written\n")
        checked = await check(session, checkpoint_side(checkpoint), base_side, CheckOptions())
    found = [(f.path, f.range.start.line) for f in checked.report.introduced]
    assert found == [("b.py", 1), ("c.py", 1)]
    assert checked.report.remaining == 1


async def test_a_cancelled_check_leaves_the_server_usable(tmp_path: Path):
    toy = {"slow": toy_profile("slow")}
    async with open_session(tmp_path, FILES, toy) as session:
        started = asyncio.Event()

        def note(message: str, done: int, total: int) -> None:
            started.set()

        task = asyncio.ensure_future(
            check_edits(session, [write("b.py", "BAD abandoned\n")], progress=note)
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        report = (await check_edits(session, [write("b.py", "fine again\n")])).report
    assert (report.verdict, report.introduced) == ("clean", ())


async def test_equal_questions_have_equal_stamps_and_other_texts_other_ones(tmp_path: Path):
    async with open_session(tmp_path, FILES, TOY) as session:
        first = (await check_edits(session, [write("b.py", "x = 1\n")])).report.stamp
        again = (await check_edits(session, [write("b.py", "x = 1\n")])).report.stamp
        other = (await check_edits(session, [write("b.py", "y\n")])).report.stamp
    assert first == again != other


async def test_another_configuration_on_disk_has_another_stamp(tmp_path: Path):
    toy = {"toy": toy_profile("well_behaved", config_files=["toy.toml"])}
    async with open_session(tmp_path, {**FILES, "toy.toml": "a = 1\n"}, toy) as session:
        first = (await check_edits(session, [write("b.py", "x = 1\n")])).report.stamp
        (session.root.path / "toy.toml").write_text("a = 2\n")
        other = (await check_edits(session, [write("b.py", "x = 1\n")])).report.stamp
    assert first != other
