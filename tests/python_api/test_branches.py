"""What a branch may be asked in Python, besides the first example."""

from __future__ import annotations

from pathlib import Path

import pytest

import understudy as u
from tests.e2e.command_line import Shell

BAD = {"kind": "write", "path": "a.txt", "text": "ä BAD one\nBAD two\n"}


def test_a_verdict_is_neither_true_nor_false(folder: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch() as b, pytest.raises(TypeError, match="match"):
        bool(b.check())


def test_edits_that_do_not_apply_are_named_and_change_nothing(folder: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch() as b:
        good = {"kind": "replace", "path": "a.txt", "old": "fine", "new": "good"}
        with pytest.raises(u.BadInput) as refused:
            b.edit([good, {**good, "path": "b.txt", "old": "not there"}])
        assert refused.value.where is not None
        assert "b.txt" in refused.value.where
        assert b.diff() == ""
        edited = b.edit("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+good\n")
        with pytest.raises(u.BadInput) as stale:
            b.edit([good], if_stamp="0" * 16)
        assert stale.value.code == "stale-stamp"
        assert (
            b.edit([{**good, "old": "good", "new": "better"}], if_stamp=edited.stamp).revision == 2
        )
        assert "+better" in b.diff()


def test_a_branch_is_found_again_and_comes_back(folder: Path) -> None:
    with u.Workspace(folder) as ws:
        with ws.branch("kept") as b:
            b.edit([BAD])
        with pytest.raises(u.BadInput) as closed:
            b.check()
        assert closed.value.code == "closed"
        with pytest.raises(u.BadInput) as unknown:
            ws.open("b99")  # somebody else's, of another folder
        assert unknown.value.code == "unknown-branch"
        assert str(folder) in unknown.value.text
    with u.Workspace(folder) as ws:
        again = ws.open(b.id)
        assert (again.title, "+BAD two" in again.diff()) == ("kept", True)
        again.discard()
        with pytest.raises(u.BadInput) as ended:
            again.edit([BAD])
        assert ended.value.code == "branch-ended"
        assert [info.ended for info in ws.branches(archived=True)] == ["discarded"]
        with pytest.raises(u.BadInput, match="was discarded; `reopen` brings it back") as put_away:
            ws.open(b.id)
        assert put_away.value.code == "unknown-branch"
        assert "+BAD two" in ws.reopen(b.id).diff()


def test_a_branch_that_somebody_else_has_ended(folder: Path, state: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch() as b:
        assert Shell(folder, state)("branches", "discard", b.id).code == 0
        with pytest.raises(u.BadInput) as refused:
            b.edit([BAD])
        assert refused.value.code == "unknown-branch"


def test_a_fork_goes_its_own_way(folder: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch("one") as b:
        b.edit([BAD])
        fork = b.fork("two")
        assert (fork.title, fork.diff()) == ("two", b.diff())
        fork.edit([{"kind": "delete", "path": "b.txt"}])
        assert "b.txt" in fork.diff()
        assert "b.txt" not in b.diff()
        with pytest.raises(u.BadInput) as refused:
            b.fork("two\nlines")
        assert refused.value.code == "bad-title"


def test_a_rebase_merges_or_names_what_collides(folder: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch() as b:
        b.edit([BAD, {"kind": "write", "path": "b.txt", "text": "mine\n"}])
        (folder / "b.txt").write_text("theirs\n")
        assert b.diff().conflicts == ("b.txt",)
        (conflict,) = b.rebase().conflicts
        assert (conflict.path, conflict.ours, conflict.theirs) == ("b.txt", "mine\n", "theirs\n")
        assert b.rebase(resolve={"b.txt": "both\n"}).conflicts == ()
        assert "-theirs\n+both" in b.diff()
        with pytest.raises(u.BadInput) as refused:
            b.rebase(resolve={"a.txt": "x"})
        assert refused.value.code == "no-conflict"


def test_a_check_of_passing_edits_and_of_what_the_user_has_changed(folder: Path) -> None:
    with u.Workspace(folder) as ws:
        verdict = ws.check([BAD])
        assert isinstance(verdict, u.Findings)
        assert ws.branches() == ()
        then = ws.checkpoint("before lunch")
        assert isinstance(ws.check(since=then), u.Clean)
        (folder / "b.txt").write_text("BAD b\n")
        now = ws.check(since=then)
        assert isinstance(now, u.Findings)
        assert [one.path for one in now.introduced] == ["b.txt"]
        ws.drop_checkpoint(then)
        with pytest.raises(u.BadInput) as gone:
            ws.check(since=then)
        assert gone.value.code == "unknown-checkpoint"
        with pytest.raises(u.BadInput) as nothing:
            ws.check()
        assert nothing.value.code == "bad-params"
        with pytest.raises(u.BadInput) as server:
            ws.check([BAD], servers=["nobody"])
        assert server.value.code == "unknown-server"


def test_unknown_has_reasons(folder: Path) -> None:
    with u.Workspace(folder) as ws:
        verdict = ws.check([{"kind": "write", "path": "a.zzz", "text": "?\n"}], strict=True)
        assert isinstance(verdict, u.Unknown)
        assert [reason.code for reason in verdict.reasons] == ["no-server"]
        assert str(verdict.reasons[0]).startswith("a.zzz: no-server: ")


def test_structure_context_and_terminals(folder: Path, state: Path) -> None:
    (folder / "m.py").write_text("def f():\n    return 1\n")
    (folder / "n.py").write_text("from m import f\n\n\ndef test_g():\n    f()\n")
    with u.Workspace(folder) as ws, ws.branch() as b:
        b.edit([{"kind": "replace", "path": "m.py", "old": "def f()", "new": "def f(x)"}])
        assert "def f(x)" in b.outline("m.py").text
        assert "def f()" in ws.outline("m.py").text
        assert "n.py" in b.map().text
        assert [(one.path, one.distance) for one in b.affected()] == [("m.py", 0), ("n.py", 1)]
        stored = ws.context.put("one\ntwo\n" * 5000, label="log")
        assert stored.path is not None
        assert ws.context.get(stored.path, lines=(2, 2)).text == "2| two\n"
        ws.context.log("chat", [{"kind": "user", "text": "find the beaver"}])
        assert ws.context.pack("chat")["messages"]
        assert [hit.path for hit in ws.context.search("beaver").hits] != []
        assert Shell(folder, state)("terminals", "record", "--", "echo", "hello").code == 0
        (terminal,) = ws.terminals.list()
        assert "hello" in ws.terminals.read(terminal.id).text
        assert ws.terminals.wait(terminal.id, pattern="hel+o").line == "hello"


def test_a_run_wants_trust_and_says_what_it_changed(folder: Path) -> None:
    with u.Workspace(folder) as ws:
        with pytest.raises(u.Refused) as refused:
            ws.run(["true"])
        assert refused.value.code == "untrusted"
    with u.Workspace(folder, trust=True) as ws, ws.branch() as b:
        done = b.run(["sh", "-c", "echo new > c.txt; exit 3"], patch=True, adopt=True)
        assert (done.status, [one.path for one in done.changed]) == (3, ["c.txt"])
        assert done.patch is not None
        assert "+new" in done.patch
        assert done.adopted == ("c.txt",)
        assert "+new" in b.diff()
        passing = ws.run(["cat", "a.txt"], [BAD])
        assert "BAD two" in passing.output.head
        with pytest.raises(u.BadInput) as nothing:
            b.run([])
        assert nothing.value.code == "no-command"
    assert not (folder / "c.txt").exists()
