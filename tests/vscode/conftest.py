"""An editor for each test module: a fresh profile, the built extension, a folder of its own.

A module changes what it gets by fixtures of its own: `settings` (the user's, in the editor),
`search_path` (the login shell's), `folder` (the user's), `users_extensions`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import copy_demo
from tests.support.servers import environment
from tests.vscode.build import built_extension
from tests.vscode.code_server import Profile
from tests.vscode.editor import Editor, install, installed_once, start_editor
from tests.vscode.workbench import Window
from tools.provision_editor import browser_program

HERE = Path(__file__).parent
TRUSTED = {"security.workspace.trust.enabled": False}
PROGRAMS = os.environ.get("UNDERSTUDY_TEST_EDITOR", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without an editor its tests fail in continuous integration and are skipped elsewhere."""
    reason = _missing()
    if reason is None or os.environ.get("CI"):
        return
    for item in items:
        needed = {"editor", "editor_brings"}.intersection(getattr(item, "fixturenames", ()))
        if needed and item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skipif(True, reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failed test says where pictures of its windows and the extension's log are."""
    report = yield
    editor = getattr(item, "funcargs", {}).get("editor")
    if report.failed and isinstance(editor, Editor):
        kept = editor.keep_traces(Path(tempfile.mkdtemp(prefix="understudy-failed-")))
        report.sections.append(("what the user saw", "\n".join(map(str, kept))))
    return report


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """The user's settings in the editor."""
    return TRUSTED


@pytest.fixture(scope="module")
def search_path() -> str:
    """The login shell's search path: the servers of the tests, then the machine's."""
    return environment()["PATH"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's folder."""
    return copy_demo(tmp_path_factory.mktemp("folder") / "demo")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run have in common."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def extension(shared: Path) -> Path:
    """The VSIX for this machine, built once for all test processes."""
    return built_extension(shared)


@pytest.fixture(scope="session")
def installed(shared: Path, extension: Path) -> Path:
    """Where the VSIX and the tests' driver are installed: once for all, as it takes 9 s of work."""
    assert _missing() is None, _missing()
    return installed_once([extension], shared, PROGRAMS)


@pytest.fixture(scope="module")
def users_extensions() -> Sequence[Path]:
    """VSIX files of what the user has installed besides."""
    return ()


@pytest.fixture(scope="module")
def editor(
    tmp_path_factory: pytest.TempPathFactory,
    extension: Path,
    installed: Path,
    users_extensions: Sequence[Path],
    settings: Mapping[str, Any],
    search_path: str,
) -> Iterator[Editor]:
    """The running editor; it and all that it has started are gone at the end."""
    if users_extensions:
        folder = tmp_path_factory.mktemp("installed")
        installed = install([extension, *users_extensions], folder, PROGRAMS)
    profile = Profile(tmp_path_factory.mktemp("profile"), PROGRAMS, search_path, installed)
    chromium = browser_program()
    assert chromium is not None
    with start_editor(profile, chromium, settings) as running:
        yield running


@pytest.fixture(scope="module")
def window(editor: Editor, folder: Path) -> Window:
    """A window on the folder."""
    return editor.open(folder)


def _missing() -> str | None:
    """What the tests lack here."""
    if shutil.which("code-server", path=PROGRAMS) is None:
        return "no code-server: run `make test`, it installs one or says why it cannot"
    if browser_program() is None:
        return "no Chromium on the search path"
    return None
