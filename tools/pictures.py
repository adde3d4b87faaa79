"""Makes the pictures of docs/pictures anew: from a real editor, and from the command line.

    make pictures                            all of them
    make pictures ARGS="branch problems"     these; `check` and `rehearsal` need no editor

The editor is that of the tests, in their browser, on the sample project; the extension is built
from the checkout. Look at every picture before it is committed.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PIL import Image
from playwright.sync_api import ViewportSize, expect
from rich.console import Console
from rich.text import Text

from tests.e2e.folders import copy_demo
from tests.support.servers import environment
from tests.vscode.branch_view import BranchView
from tests.vscode.build import built_extension
from tests.vscode.code_server import Profile
from tests.vscode.editor import install, start_editor
from tests.vscode.workbench import Window
from tools.provision_editor import browser_program
from tools.rehearsal_picture import rehearsal_picture

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
PATCH = "tests/data/demo.patch"
MOST_BYTES = 300_000
_SIZE: ViewportSize = {"width": 1280, "height": 620}
_COLUMNS = 128
_SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "breadcrumbs.enabled": False,
        "diffEditor.renderSideBySide": False,
        "editor.minimap.enabled": False,
        "security.workspace.trust.enabled": False,
        "window.commandCenter": False,
        "workbench.colorTheme": "Default Light Modern",
        "workbench.layoutControl.enabled": False,
    }
)
_SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""
"""As rich has it, without fonts from the network and without a title."""


def main(arguments: list[str]) -> int:
    """Make the named pictures, or all; returns the exit code."""
    known = (*_SCENES, *_DRAWN)
    wanted = arguments or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.stderr.write(f"no such picture: {', '.join(unknown)}; there are: {', '.join(known)}\n")
        return 2
    PICTURES.mkdir(exist_ok=True)
    for name in (name for name in wanted if name in _DRAWN):
        _kept(f"{name}.svg", _DRAWN[name]().encode())
    scenes = [name for name in wanted if name in _SCENES]
    if scenes:
        with tempfile.TemporaryDirectory(prefix="understudy-pictures-") as folder:
            _take(scenes, Path(folder))
    return 0


def _take(scenes: list[str], folder: Path) -> None:
    """Open the sample project, have a patch checked as an agent does, and take the scenes."""
    chromium = browser_program()
    programs = os.environ.get("UNDERSTUDY_TEST_EDITOR", "")
    if chromium is None or not programs:
        sys.exit("make pictures: no editor is installed, see `make test`")
    installed = install([built_extension(folder)], _made(folder / "installed"), programs)
    profile = Profile(_made(folder / "profile"), programs, environment()["PATH"], installed)
    with start_editor(profile, chromium, _SETTINGS) as editor:
        window = editor.open(copy_demo(folder / "invoices"))
        window.page.set_viewport_size(_SIZE)
        said = window.lint(diff=(ROOT / PATCH).read_text(encoding="utf-8"), servers=[])
        found = re.search(r"^branch (b\d+) holds", said, re.MULTILINE)
        if found is None:
            sys.exit(f"make pictures: the patch was not checked: {said}")
        for name in scenes:
            _SCENES[name](window, found[1])
            window.command("notifications.clearAll")
            window.page.mouse.move(_SIZE["width"] - 5, _SIZE["height"] - 60)
            shot = window.page.screenshot(animations="disabled", caret="hide")
            _kept(f"{name}.png", _with_few_colours(shot))


def _branch(window: Window, branch: str) -> None:
    """A branch with its findings in the side bar, and the difference of a file."""
    _widen(window)
    BranchView(window).file(branch, "invoices/tax.py").click()
    inserted = window.page.locator(
        ".monaco-diff-editor .modified .view-line", has_text="SWISS_RISE"
    )
    expect(inserted.first).to_be_visible()


def _problems(window: Window, branch: str) -> None:
    """The findings of a branch, and one of them in a file that the branch does not change."""
    _widen(window)
    view = BranchView(window)
    view.file(branch, "invoices/totals.py").click()
    view.finding("Argument missing").click()
    expect(window.page.locator(".tab.active", has_text="totals.py")).to_be_visible()


def _widen(window: Window) -> None:
    """Make the side bar wide enough for a sentence."""
    window.command("workbench.action.closeAllEditors")
    window.command("workbench.view.extension.understudy")
    sash = window.page.locator(
        ".monaco-split-view2.horizontal > .sash-container > .monaco-sash"
    ).nth(1)
    box = sash.bounding_box()
    if box is not None and box["x"] < 400:
        window.page.mouse.move(box["x"] + 2, 300)
        window.page.mouse.down()
        window.page.mouse.move(460, 300, steps=4)
        window.page.mouse.up()


_SCENES: Mapping[str, Callable[[Window, str], None]] = MappingProxyType(
    {"branch": _branch, "problems": _problems}
)


def _command_line() -> str:
    """What a check of the sample patch prints, as a terminal shows it."""
    command = ["understudy", "check", PATCH, "--root", "tests/data/demo"]
    done = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 1:
        sys.exit(f"make pictures: the check ended with {done.returncode}: {done.stderr}")
    console = Console(record=True, width=_COLUMNS, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    console.print(Text(f"$ {' '.join(command)}\n", style="bold"))
    console.print(Text.from_ansi(done.stdout))
    return console.export_svg(title="", code_format=_SVG, unique_id="check")


_DRAWN: Mapping[str, Callable[[], str]] = MappingProxyType(
    {"check": _command_line, "rehearsal": rehearsal_picture}
)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _with_few_colours(png: bytes) -> bytes:
    """The picture in 48 colours, which show an editor's window well: a quarter of the size."""
    made = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(
            48, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
        )
        few.save(made, "PNG", optimize=True)
    return made.getvalue()


def _kept(name: str, data: bytes) -> None:
    if len(data) > MOST_BYTES:
        sys.exit(f"make pictures: {name} has {len(data)} bytes, at most {MOST_BYTES}")
    (PICTURES / name).write_bytes(data)
    sys.stdout.write(f"{name}: {len(data) // 1000} kB\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
