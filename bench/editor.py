"""The real editor that the extension's rows measure in; see tests/vscode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import environment
from tests.vscode.build import built_extension
from tests.vscode.code_server import Profile
from tests.vscode.editor import Editor, install, start_editor
from tools.provision_editor import browser_program

SETTINGS = {"security.workspace.trust.enabled": False}


@contextmanager
def editor_in(folder: Path, *, with_extension: bool = True) -> Iterator[Editor]:
    """An editor on a fresh profile in this folder, with and without the extension.

    Playwright keeps an event loop of its own: call it in a thread.
    """
    programs, chromium = os.environ.get("UNDERSTUDY_TEST_EDITOR", ""), browser_program()
    assert programs, "no editor; `make bench` installs it"
    assert chromium is not None, "no browser"
    (folder / "installed").mkdir(parents=True)
    built = [built_extension(folder.parent)] if with_extension else []
    extensions = install(built, folder / "installed", programs)
    profile = Profile(folder, programs, environment()["PATH"], extensions)
    with start_editor(profile, chromium, SETTINGS) as editor:
        yield editor
