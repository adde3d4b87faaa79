"""`code affected` over projects drawn by chance, with its index built and with it on disk."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dependents.drawn.go import Go
from tests.dependents.drawn.model import Drawn, drawn
from tests.dependents.drawn.native import C
from tests.dependents.drawn.python import Python
from tests.dependents.drawn.rust import Rust
from tests.dependents.drawn.script import TypeScript
from tests.support.branch_cases import write
from understudy.app.check.affected import AffectedFile, affected_alone

ANY = st.one_of(*(drawn(writer) for writer in (Python(), TypeScript(), Go(), Rust(), C())))


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ANY)
def test_it_tells_who_is_reached_and_on_which_way(
    monkeypatch: pytest.MonkeyPatch, project: Drawn
) -> None:
    with TemporaryDirectory() as made:
        folder = Path(made).resolve()
        monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(folder / "state"))
        for path, text in project.files().items():
            place = folder / "root" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        edit = write(project.edited, project.files(edited=True)[project.edited])
        for _ in ("index built", "index on disk"):
            files = asyncio.run(affected_alone(folder / "root", [edit], tests=False)).files
            project.hold({file.path: file.distance for file in files})
            follow(project, {file.path: file for file in files})


def follow(project: Drawn, files: dict[str, AffectedFile]) -> None:
    """Each way begins at the edit."""
    for path in files.keys() - {project.edited}:
        assert files[path].via[0] == project.edited, str(project)
        if not isinstance(project.writer, C):  # what is included later sees it from there
            assert len(files[path].via) == files[path].distance, str(project)
