"""A running editor for tests: server, browser and windows, on a profile of its own."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.vscode.code_server import Profile
from tests.vscode.driver import Hub, pack
from tests.vscode.workbench import Window, browser, open_window


@dataclass(frozen=True)
class Editor:
    """What opens windows; all of them close with it."""

    profile: Profile
    address: str
    context: BrowserContext
    hub: Hub
    windows: list[Window] = field(default_factory=list[Window])

    def open(self, folder: Path) -> Window:
        """Open a folder in a window of its own."""
        window = open_window(self.context, self.address, self.hub, folder)
        self.windows.append(window)
        return window

    def keep_traces(self, folder: Path) -> list[Path]:
        """A picture of every open window and the extension's logs; gives their paths."""
        for number, window in enumerate(self.windows):
            if not window.page.is_closed():
                with suppress(PlaywrightError):  # what hides the failure itself is worse than none
                    window.page.screenshot(path=folder / f"window-{number}.png")
        for number, log in enumerate(self.profile.logs()):
            shutil.copyfile(log, folder / f"log-{number}.txt")
        return sorted(folder.iterdir())


def install(extensions: Sequence[Path], folder: Path, programs: str) -> Path:
    """Install these and the tests' driver, with a profile of their own; gives where they are."""
    profile = Profile(folder, programs, "", folder / "extensions")
    profile.prepare({})
    profile.install(*extensions, pack(folder / "driver.vsix"))
    return profile.extensions


def installed_once(extensions: Sequence[Path], shared: Path, programs: str) -> Path:
    """The same below a folder of several processes, by the first of them that comes."""
    whole = shared / "installed"
    with (shared / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.is_symlink():  # a first one may have been ended in it
            whole.symlink_to(install(extensions, Path(tempfile.mkdtemp(dir=shared)), programs))
    return whole.resolve()


@contextmanager
def start_editor(profile: Profile, chromium: str, settings: Mapping[str, Any]) -> Iterator[Editor]:
    """Run the editor on a fresh profile until the block ends; its extensions are installed."""
    profile.prepare(settings)
    with tempfile.TemporaryDirectory(prefix="us-") as short:  # a socket's path must be short
        hub = Hub(Path(short) / "hub")
        try:
            with (
                profile.serve(hub) as address,
                sync_playwright() as playwright,
                browser(playwright, chromium, profile.folder / "chromium") as context,
            ):
                editor = Editor(profile, address, context, hub)
                try:
                    yield editor
                finally:
                    for window in editor.windows:
                        window.close()
        finally:
            hub.close()
