"""A chooser of servers for which just these programs are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from understudy.langserver.catalogue import Catalogue
from understudy.values.paths import Root
from understudy.workspace.servers.choice import ServerChooser
from understudy.workspace.settings import Settings


def chooser(
    tmp_path: Path, bin_folder: Path, *installed: str, trusted: bool = False, **more: Any
) -> ServerChooser:
    """A chooser that finds just these programs: nothing beside our own Python counts."""
    for name in installed:
        if not (bin_folder / name).exists():
            (bin_folder / name).touch(mode=0o755)
    (tmp_path / "root").mkdir(exist_ok=True)
    settings = more.pop("settings", Settings())
    made = ServerChooser(
        Root.open(tmp_path / "root"), settings, trusted, Catalogue.load(settings.servers),
        {"PATH": str(bin_folder)}, **more,
    )  # fmt: skip
    made.__dict__["search_path"] = (bin_folder,)
    return made
