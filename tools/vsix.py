"""Packages the extension: one .vsix for each platform, and one without compiled parts for all.

    python -m tools.vsix                       all of them, into dist/
    python -m tools.vsix --target linux-x64    only this one; may be repeated

Pictures are in its walkthrough: of an extension's README an editor shows those from the web alone,
so there they are left out.

What goes in is listed in `SHIPPED`, `tools/bundle.py` and `manifest()`; nothing else does.
Unpacked they are kept in build/vsix/TARGET, where an editor can run them from.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tools.bundle import PLATFORMS, ROOT, UNIVERSAL, bundle, tools
from tools.provision import ProvisionError, locked
from tools.release.parts import describe

SHIPPED = {
    "CHANGELOG.md": "CHANGELOG.md",
    "LICENSE": "LICENSE",
    "client-vscode/README.md": "README.md",
    "client-vscode/dist/extension.js": "client-vscode/dist/extension.js",
    "client-vscode/media": "client-vscode/media",
    "docs/explanation": "docs/explanation",
    "docs/how-to": "docs/how-to",
    "docs/index.md": "docs/index.md",
    "docs/pictures": "docs/pictures",
    "docs/reference": "docs/reference",
    "docs/tutorial": "docs/tutorial",
    "skills": "skills",
    "syntaxes": "syntaxes",
}
"""Source -> place in the extension; folders with all that is in them."""

OPTIONAL = frozenset(("skills", "syntaxes"))
_DEVELOPMENT = ("devDependencies", "scripts", "private", "allowScripts")
_DEADLINE_S = 600
_RELATIVE = re.compile(r"\]\((?!#|https?:|mailto:)([^)]*)\)")
_RECORDING = re.compile(r"^!\[[^\]]*\]\([^)]*/rehearsal\.svg\)\n\n", re.MULTILINE)
_DECISION = re.compile(r"\[([^\]]*)\]\([^)\s]*\bdecisions/(\d+)-[\w-]+\.md\)")
_TYPES = re.compile(r"\[([^\]]*)\]\(requests\.(?:d\.ts|schema\.json)\)")
_PICTURE = re.compile(r"^!\[[^\]]*\]\([^):]+\)\n\n", re.MULTILINE)


def main() -> int:
    """Package the wanted targets; the exit code is 1 when a step failed, and it says which."""
    parser = argparse.ArgumentParser(description="package the extension")
    known = [*PLATFORMS, UNIVERSAL]
    parser.add_argument("--target", action="append", choices=known, help="default: all")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="default: dist/")
    wanted = parser.parse_args()
    try:
        for target in wanted.target or known:
            started = time.monotonic()
            path = package(target, wanted.out)
            size = path.stat().st_size / 1e6
            took = time.monotonic() - started
            sys.stderr.write(f"vsix: {path}: {size:.1f} MB in {took:.0f} s\n")
    except ProvisionError as error:
        sys.stderr.write(f"vsix: {error}\nvsix: {error.advice}\n")
        return 1
    return 0


LEFT_OUT = (
    "docs/explanation/decisions",
    "docs/pictures/rehearsal.svg",
    "docs/reference/attacks.md",
    "docs/reference/mutants.md",
    "docs/reference/public-names.txt",
    "docs/reference/requests.d.ts",
    "docs/reference/requests.schema.json",
)
"""What is for who works on the code or writes a client, speaks of tests, or is for them."""


def package(target: str, out: Path) -> Path:
    """Make the .vsix of a target; raises ProvisionError."""
    folder = ROOT / "build" / "vsix" / target
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / "lock"):
        return _packaged(target, folder, out)


def _packaged(target: str, folder: Path, out: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for source, place in SHIPPED.items():
        _copy(ROOT / source, folder / place, is_needed=source not in OPTIONAL)
    _leave_out(folder)
    page = folder / "README.md"
    page.write_text(without_pictures(page.read_text(encoding="utf-8")), encoding="utf-8")
    text = json.dumps(manifest(), indent=2, ensure_ascii=False)
    (folder / "package.json").write_text(text + "\n", encoding="utf-8")
    bundle(target, folder / "bundled")
    describe(folder, target, manifest()["version"])
    _set_modes(folder)
    out.mkdir(parents=True, exist_ok=True)
    path = out.resolve() / f"understudy-{target}-{manifest()['version']}.vsix"
    arguments = ["package", "--no-dependencies", "--allow-missing-repository", "--out", str(path)]
    # The search for secrets takes minutes on basedpyright, and the list above leads to none.
    arguments += ["--allow-package-all-secrets", "--allow-package-env-file"]
    if target != UNIVERSAL:
        arguments += ["--target", target]
    _vsce(arguments, folder)
    return path


def _leave_out(folder: Path) -> None:
    for name in LEFT_OUT:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    for page in (folder / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = _TYPES.sub(r"\1", _RECORDING.sub("", text))
        page.write_text(without_decisions(text), encoding="utf-8")


def without_decisions(text: str) -> str:
    """A page of the docs that names decisions by their number, where it leads to them."""
    return _DECISION.sub(lambda found: f"{found[1]} (decision {int(found[2])})", text)


def without_pictures(text: str) -> str:
    """The extension's page as an editor can show it, which loads pictures from the web alone.

    Raises ProvisionError where a link leads to a file beside the page.
    """
    made = _PICTURE.sub("", text)
    if lost := _RELATIVE.findall(made):
        raise ProvisionError(f"the page leads to {', '.join(lost)}", "name an address on the web")
    return made


def manifest() -> dict[str, Any]:
    """The manifest as the editor gets it: without what only development needs."""
    made: dict[str, Any] = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    return {key: value for key, value in made.items() if key not in _DEVELOPMENT}


def _copy(source: Path, place: Path, *, is_needed: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place)
    elif source.is_file():
        shutil.copyfile(source, place)
    elif is_needed:
        raise ProvisionError(f"{source.relative_to(ROOT)} is missing", "make extension")


def _set_modes(folder: Path) -> None:
    """Who may read and run what does not depend on who builds."""
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _vsce(arguments: list[str], folder: Path) -> None:
    path = tools()
    vsce = shutil.which("vsce", path=path)
    assert vsce is not None  # tools() has seen to it
    done = subprocess.run(
        [vsce, *arguments],
        cwd=folder,
        # The order of the names depends on the language, the times in a zip on the zone.
        env={**os.environ, "PATH": path, "TZ": "UTC", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_DEADLINE_S,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise ProvisionError(f"exit code {done.returncode} from vsce", "see above")


if __name__ == "__main__":
    sys.exit(main())
