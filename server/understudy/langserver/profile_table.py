"""Reads a profile from a table of the catalogue or of a user, and refuses what makes no sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from understudy.checkers.profile import check_checker
from understudy.langserver.packages.names import mistakes
from understudy.langserver.profile import Profile
from understudy.values.errors import BadInput
from understudy.values.packed_server import PackedServer
from understudy.values.structure import structure


def parse_profile(name: str, record: Mapping[str, object]) -> Profile:
    """A profile from an untrusted table; raises BadInput `bad-setting` with the place."""
    where = f"servers.{name}"
    if "name" in record:
        raise BadInput("bad-setting", "the table's own name is the name", f"{where}.name")
    profile = structure({"name": name, **record}, Profile, "bad-setting", where, pinpointed=True)
    for key, text in (*_contradictions(profile), *mistakes(profile.install, profile.packages)):
        raise BadInput("bad-setting", text, f"{where}.{key}")
    if profile.checker is not None:
        check_checker(profile.checker, f"{where}.checker")
    return profile


def _contradictions(profile: Profile) -> Iterator[tuple[str, str]]:
    """Keys whose values do not go with others, each with why."""
    if not profile.command:
        yield "command", "must name a program"
    if profile.at_once < 1:
        yield "at_once", "must be positive"
    for key, packed in _places(profile):
        if (packed.main is None) == (packed.program is None):
            yield key, "needs either `main` or `program`"
        if not packed.extension and key != "bundled":
            yield key, "needs `extension`"
    if (profile.rule == "command") != (profile.checker is not None):
        yield "checker", "rule = 'command' and a table `checker` belong together"
    for index, rule in enumerate(profile.hides or ()):
        fits = ("block", "below", "file") if rule.added else ("range", "file", "folder", "users")
        if rule.within not in fits:
            yield f"hides[{index}].within", f"must be one of {', '.join(fits)} here"
    if profile.probe and profile.rule not in ("version", "reopen", "canary"):
        yield "probe", "goes with a rule by published diagnostics"
    if any(profile.language_of(path) is None for path in profile.probe):
        yield "probe", "its files must be among `files`"
    if profile.rule == "canary" and not profile.languages <= set(profile.canary):
        yield "canary", "the rule needs a line for each language"


def _places(profile: Profile) -> Iterator[tuple[str, PackedServer]]:
    yield from ((f"editor[{idx}]", packed) for idx, packed in enumerate(profile.editor))
    if profile.bundled is not None:
        yield "bundled", profile.bundled
