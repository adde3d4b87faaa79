"""The verb `stats`: what the files of this folder's logs have saved and cost."""

from __future__ import annotations

from understudy.context.policy import Policy
from understudy.context.providers.stats import LogStats, stats_of
from understudy.disk.store.history_log import log_names
from understudy.workspace.context_place import ContextPlace


def log_stats(place: ContextPlace, name: str | None, policy: Policy) -> list[LogStats]:
    """The figures of one log, or of all; raises as `HistoryLog.read`."""
    names = log_names(place.store.folder) if name is None else [name]
    return [stats_of(place.log(one).read(), policy) for one in names]
