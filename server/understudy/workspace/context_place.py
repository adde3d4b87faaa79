"""The context folder of a workspace: its store, its logs and the user's store beside them."""

from __future__ import annotations

import time
from pathlib import Path

from understudy.disk.layout import user_context, workspace_layout
from understudy.disk.store.history_log import HistoryLog
from understudy.disk.store.store import ContextStore, Tier
from understudy.values.paths import Root


class ContextPlace:
    """Safe for any number of processes and threads at once; nothing exists until it is used."""

    def __init__(self, folder: Path, user_folder: Path) -> None:
        self.store = ContextStore(folder)
        self.user_store = ContextStore(user_folder, "user")
        self._logs: dict[str, HistoryLog] = {}

    @staticmethod
    def of_workspace(folder: Path) -> ContextPlace:
        """The place of a folder, without a host; raises BadInput `no-such-root`."""
        return ContextPlace(workspace_layout(Root.open(folder)).context, user_context())

    @property
    def stores(self) -> tuple[ContextStore, ...]:
        """What is searched: the workspace's store, then the user's."""
        return (self.store, self.user_store)

    def store_of(self, tier: Tier) -> ContextStore:
        """The store of a tier."""
        return self.user_store if tier == "user" else self.store

    def holder(self, path: str) -> ContextStore:
        """The store that a path is about, as a receipt names it or absolute."""
        return self.user_store if self.user_store.is_named_by(path) else self.store

    def log(self, name: str) -> HistoryLog:
        """A log of this name, there or not; raises BadInput `bad-log-name`."""
        known = self._logs.get(name)
        if known is None or not known.file.exists():  # it was never there, or is forgotten
            known = self._logs[name] = HistoryLog(self.store.folder, name)
        return known


def seconds_now() -> int:
    """The time as logs have it: whole seconds since 1970."""
    return int(time.time())
