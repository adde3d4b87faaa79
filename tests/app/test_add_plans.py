"""What `servers add` would do where something is there already."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from understudy.app.servers.add import add_server, plan_add
from understudy.disk.added_servers import adding, keep_added
from understudy.faces.answers.servers import added_text
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.packages.names import key_of
from understudy.workspace.progress import silent


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The package of several servers, as it was added for one that is proven; no tools."""
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "work").mkdir()
    profile = Catalogue.load().named("vscode-json")
    assert profile is not None
    (package,) = profile.packages
    packages = (f"{package}@4.10.0",)
    with adding(key_of(profile.packages)) as folder:
        (folder / "bin").mkdir()
        for name in ("json", "eslint"):
            program = folder / "bin" / f"vscode-{name}-language-server"
            program.touch(mode=0o755)
        keep_added(key_of(profile.packages), folder, packages, [folder / "bin"])
    plan = plan_add(tmp_path / "work", "vscode-json", trust=True)
    assert plan.packages == packages
    assert plan.there.endswith("(added before)")
    return packages


def test_a_server_without_a_proof_takes_what_was_added_for_others(
    tmp_path: Path, added: tuple[str, ...]
) -> None:
    plan = plan_add(tmp_path / "work", "eslint", trust=True)
    assert plan.packages != added
    assert plan.there.endswith("(added before)")
    result = asyncio.run(add_server(tmp_path / "work", plan, None, silent))
    assert not result.is_right, "nobody has proven it"
    assert added_text(result).endswith("; not proven: `understudy servers prove eslint`\n")
