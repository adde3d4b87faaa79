"""Another user of the machine can neither read nor enter what is ours, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import address_of, open_editor

pytestmark = pytest.mark.ring


@pytest.fixture
def generous() -> Iterator[None]:
    """A umask that takes no right from anybody, as some login scripts set it."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("generous")
async def test_nothing_of_ours_is_open_to_others(tmp_path: Path) -> None:
    folder, state = make_folder(tmp_path / "work", {"a.txt": "fine\n"}), tmp_path / "state"
    async with open_editor(folder, state, {"trusted": True}) as editor:
        branch = await editor.branch({"kind": "write", "path": "a.txt", "text": "good\n"})
        await editor.ask("understudy/branch/run", {"branch": branch, "command": ["true"]})
        address = address_of(state)
        assert _open_to_others(state / "understudy") == []
        assert _open_to_others(state / "tmp") == []
        assert stat.S_IMODE(Path(address["socket"]).parent.stat().st_mode) == 0o700
        assert address["token"] not in _told_by_processes()
    assert _open_to_others(state / "understudy") == []


def _open_to_others(above: Path) -> list[str]:
    """What another user can reach, and then read or write: behind a closed folder nothing is."""
    found: list[str] = []
    for path in above.iterdir():
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # a file that was in the place of another meanwhile
            continue
        if stat.S_ISDIR(mode):
            found += [str(path)] if mode & 0o077 else []
            found += _open_to_others(path) if mode & 0o011 else []
        elif mode & 0o066 and above.stat().st_mode & 0o011:
            found.append(str(path))
    return found


def _told_by_processes() -> str:
    """Every command line of the machine, which all users can read."""
    told: list[bytes] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                told.append((entry / "cmdline").read_bytes())
            except OSError:
                continue
    return b"\0".join(told).decode("utf-8", "replace")
