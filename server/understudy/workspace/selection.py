"""Which files a scan of a folder lists: all that something reads, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.dependents import families, onlookers
from understudy.disk.folder.scan import Selection
from understudy.findings.silencing.rules import silencing_patterns
from understudy.langserver.shipped import shipped_globs


def selection_with(globs: Iterable[str]) -> Selection:
    """The files that profiles name by these globs, and those that count without any server."""
    return Selection(
        {
            *globs,
            *families.CONFIGURATION_PATTERNS,
            *onlookers.PATTERNS,
            *silencing_patterns(),
        }
    )


def selection_of(profiles: Mapping[str, object]) -> Selection:
    """The same of the user's `profiles` over ours; raises BadInput `bad-setting`."""
    if not profiles:
        return selection_with(shipped_globs())
    from understudy.langserver.catalogue import Catalogue  # noqa: PLC0415 - few have some

    catalogue = Catalogue.load(profiles)
    return selection_with((*catalogue.patterns, *catalogue.config_patterns))
