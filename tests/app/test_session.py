"""The session: what it looks at again when the folder's surroundings change."""

from __future__ import annotations

from pathlib import Path

from tests.support.sessions import open_session, toy_profile
from understudy.app.run.question import question_of


async def test_an_environment_made_meanwhile_is_used(tmp_path: Path):
    toys = {"toy": toy_profile("well_behaved", environment="python")}
    async with open_session(tmp_path, {"a.py": "x\n"}, toys) as session:
        session.environ = {}
        session.reconfigure(session.settings, {}, None)
        await session.fresh_base()
        (without,) = session.servers.choose("a.py")
        program = session.root.path / ".venv" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text("")
        base = await session.fresh_base()
        (with_it,) = session.servers.choose("a.py")
        assert session.servers.python.path == program
        assert without.stamp != with_it.stamp
        assert await session.fresh_base() is base  # and then all is quiet again


async def test_a_server_of_another_version_has_another_stamp(tmp_path: Path):
    toys = {"toy": toy_profile("well_behaved", command=["toy-server"])}
    async with open_session(tmp_path, {"a.py": "x\n"}, toys) as session:
        program = session.root.path / ".venv" / "bin" / "toy-server"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        session.environ = {"PATH": str(program.parent)}
        session.reconfigure(session.settings, {}, None)
        await session.fresh_base()
        (old,) = session.servers.choose("a.py")
        program.write_text("#!/bin/sh\n# another version\n")
        (session.root.path / ".venv" / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
        await session.fresh_base()
        (new,) = session.servers.choose("a.py")
    assert (old.reason, new.reason) == (None, None)
    assert old.stamp != new.stamp


async def test_what_a_run_has_looked_at_is_no_news_for_servers(tmp_path: Path):
    files = {"a.py": "x\n", "picture.raw": "y\n"}
    async with open_session(tmp_path, files, {"toy": toy_profile("well_behaved")}) as session:
        live = session.bases.own
        question = await question_of(session, live, session.branches, None)
        assert "picture.raw" in question.base.folder.files
        assert live.now.folder.on_disk == live.now.folder.files
        assert "picture.raw" not in live.now.folder.files
