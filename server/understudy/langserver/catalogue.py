"""The catalogue: every profile we ship, with the user's put over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, cast

from understudy.langserver.profile import Profile
from understudy.langserver.profile_table import parse_profile
from understudy.langserver.proven.profile_proof import deciding
from understudy.langserver.shipped import shipped_profiles
from understudy.langserver.spec import merged
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.globs import glob_fits

_TOLD = ("settings", "initialization_options")
_KEPT_PATHS = 65_536
"""Paths of which it is remembered who judges them: every check asks of the same ones again."""


@frozen
class Catalogue:
    """Profiles in order of preference: of each group, the first installed one judges a file.

    Ours are right as they are shipped, so each is made of its record when it is asked for.
    """

    records: Mapping[str, Mapping[str, Any]]
    own: frozenset[str] = field(default=frozenset())
    """The user's: new ones, and ours where the user has changed what decides about answers."""
    _made: dict[str, Profile] = field(default_factory=dict[str, Profile], compare=False, repr=False)
    _fitting: dict[str, tuple[Profile, ...]] = field(
        default_factory=dict[str, "tuple[Profile, ...]"], compare=False, repr=False
    )

    @staticmethod
    def load(overrides: Mapping[str, object] | None = None) -> Catalogue:
        """Our profiles with `overrides` (name -> record) put over them.

        A name that we do not ship makes a new profile, preferred to ours of its group; of one that
        we do ship, the keys given are replaced whole, but for what the server is told, which goes
        over ours. Raises BadInput `bad-setting` with the place in `where`.
        """
        shipped = shipped_profiles()
        given = {name: _checked(record, name) for name, record in (overrides or {}).items()}
        over = {name: _over(shipped.get(name, {}), record) for name, record in given.items()}
        made = {name: parse_profile(name, record) for name, record in over.items()}
        new = {name: record for name, record in over.items() if name not in shipped}
        own = (name for name, one in made.items() if not _decides_as(one, shipped.get(name)))
        return Catalogue({**new, **shipped, **over}, frozenset(own), made)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all profiles."""
        return tuple(self.records)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All of them."""
        return tuple(map(self._profile, self.records))

    @property
    def patterns(self) -> tuple[str, ...]:
        """All globs of files that some profile judges, each once."""
        return self._globs("files")

    @property
    def config_patterns(self) -> tuple[str, ...]:
        """All globs of files that decide answers without being judged themselves."""
        return self._globs("config_files", "reads")

    @property
    def program_sections(self) -> frozenset[str]:
        """The sections of an editor's settings that say where programs are."""
        places = [packed.program or "" for profile in self.profiles for packed in profile.editor]
        return frozenset(re.findall(r"\$\{config:([^.}]+)", " ".join(places)))

    def named(self, name: str) -> Profile | None:
        """The profile of that name."""
        return self._profile(name) if name in self.records else None

    def profiles_for(self, path: str) -> tuple[Profile, ...]:
        """The profiles that judge a path, in order of preference."""
        found = self._fitting.get(path)
        if found is None:
            if len(self._fitting) >= _KEPT_PATHS:
                self._fitting.clear()
            fitting = (
                self._profile(name)
                for name, record in self.records.items()
                if any(glob_fits(glob, path) for glob in record["files"])
            )
            found = self._fitting[path] = tuple(fitting)
        return found

    def groups_for(self, path: str) -> Mapping[str, tuple[Profile, ...]]:
        """The same by group, each in order of preference."""
        groups: dict[str, tuple[Profile, ...]] = {}
        for profile in self.profiles_for(path):
            groups[profile.group] = (*groups.get(profile.group, ()), profile)
        return groups

    def language_of(self, path: str) -> str | None:
        """The language id that the first fitting profile gives a path."""
        return next((profile.language_of(path) for profile in self.profiles_for(path)), None)

    def _profile(self, name: str) -> Profile:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = parse_profile(name, self.records[name])
        return found

    def _globs(self, *keys: str) -> tuple[str, ...]:
        records = self.records.values()
        every = (glob for record in records for key in keys for glob in record.get(key, ()))
        return tuple(dict.fromkeys(every))


def _over(ours: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """Our record with the user's keys; a table of what the server is told is put over ours."""
    told = {
        key: merged(cast("Mapping[str, Any]", ours[key]), cast("Mapping[str, Any]", given[key]))
        for key in _TOLD
        if isinstance(ours.get(key), Mapping) and isinstance(given.get(key), Mapping)
    }
    return {**ours, **given, **told}


def _decides_as(profile: Profile, shipped: Mapping[str, object] | None) -> bool:
    """Whether a profile is ours but for what decides nothing about its answers."""
    if shipped is None:
        return False
    return deciding(profile) == deciding(parse_profile(profile.name, shipped))


def _checked(record: object, name: str) -> Mapping[str, object]:
    if not isinstance(record, Mapping):
        raise BadInput("bad-setting", "must be a table", f"servers.{name}")
    return cast("Mapping[str, object]", record)
