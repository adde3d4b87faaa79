"""The proof of a profile: a server of one version, asked by one rule, was right in every answer.

It is about what decides whether an answer can be believed (`deciding`), not about the files that
are judged or the settings, which may change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, cast

from understudy.langserver.profile import Profile, Rule
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.stamps import stamp_of
from understudy.values.structure import structure

SCHEMA = 3
_READ = (1, 2, SCHEMA)
"""Before 2, no record was of a server that answered wrong; before 3, none of a drill."""
INDIFFERENT = frozenset(
    {
        "name", "group", "command", "files", "install", "requires", "npm_package", "npm_major",
        "wheel_script", "editor", "bundled", "optional", "root_markers", "config_keys", "settings",
        "initialization_options", "options_from", "arguments_from", "settings_root",
        "null_settings", "pinned_settings", "executes_workspace_code", "needs_config",
        "environment", "remedies", "commands", "objections", "hides", "unmarked_fixes",
        "packages", "settings_from", "config_extends", "config_beside",
    }
)  # fmt: skip
"""The fields of a profile that decide nothing about whether an answer is about the text shown."""

BESIDE = ", TypeScript "
"""In a version, between that of a server and that of the TypeScript that it runs."""
_VERSION = re.compile(r"v?(\d+)\.(\d+)")


@frozen
class ProfileProof:
    """What was asked of a server, and that it was right.

    version: of the server, as it is installed; where nothing tells it, what tells its program from
    others. digest: of what decides in the profile. asked, unknown: questions, and those without an
    answer; the others were right. objections: language id -> lines that it objects to. date: a day,
    as YYYY-MM-DD. refuted: what was answered wrong instead; then it proves the contrary. drilled:
    what was asked is what fits into a few seconds, as the version was new on this machine.
    """

    server: str
    version: str
    digest: str
    rule: Rule
    scope: str
    asked: int
    unknown: int
    date: str
    kit: str
    objections: Mapping[str, str] = field(default_factory=dict[str, str])
    groups: Mapping[str, int] = field(default_factory=dict[str, int])
    refuted: str = ""
    drilled: bool = False

    def is_about(self, profile: Profile, version: str) -> bool:
        """Whether it proves this profile for a server of this version: minor versions are equal.

        One that names no TypeScript is about any.
        """
        return self.digest == digest_of(profile) and minor(self.version) in _minors(version)


def deciding(profile: Profile) -> dict[str, Any]:
    """What of a profile a proof is about; a key that is not set decides as if there were none."""
    found = ((one, getattr(profile, one.name)) for one in fields(profile))
    return {
        one.name: value
        for one, value in found
        if one.name not in INDIFFERENT and value != _unset(one)
    }


def digest_of(profile: Profile) -> str:
    """Names what of a profile a proof is about, its program and languages with it."""
    parts = [f"{key}={_plain(value)}" for key, value in sorted(deciding(profile).items())]
    program = PurePath(profile.command[0]).name
    return stamp_of([*parts, program, *profile.command[1:], *sorted(profile.languages)])


def minor(version: str) -> str:
    """The major and minor part of a version; of what is none, all of it."""
    parts = ((_VERSION.match(part), part) for part in version.split(BESIDE))
    return BESIDE.join(part if one is None else f"{one[1]}.{one[2]}" for one, part in parts)


def _minors(version: str) -> tuple[str, str]:
    """What a proof about a version may say: that of the server alone is about any TypeScript."""
    whole = minor(version)
    return whole, whole.partition(BESIDE)[0]


def parse_proofs(text: str | bytes, where: str) -> tuple[ProfileProof, ...]:
    """Proofs from the text of a file; raises BadInput `bad-proofs`, also for a newer schema."""
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("bad-proofs", f"cannot be read: {error}", where) from error
    table = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    if table.get("schema") not in _READ or not isinstance(table.get("proofs"), list):
        text = f"no list of proofs of schema {SCHEMA}; remove it, and prove again"
        raise BadInput("bad-proofs", text, where)
    rows = cast("list[object]", table["proofs"])
    return tuple(
        structure(row, ProfileProof, "bad-proofs", f"{where}: proofs[{index}]")
        for index, row in enumerate(rows)
    )


def proofs_text(proofs: Iterable[ProfileProof]) -> str:
    """The text of a file of proofs: equal proofs give equal bytes."""
    ordered = sorted(proofs, key=lambda one: (one.server, one.version, one.digest))
    document = {"schema": SCHEMA, "proofs": [asdict(one) for one in ordered]}
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def with_proof(proofs: Sequence[ProfileProof], new: ProfileProof) -> tuple[ProfileProof, ...]:
    """The proofs with another one, in the place of those of the same profile and minor version.

    What names a TypeScript takes no place of what names none, which is about all others, too.
    A drill takes no place but that of another drill, where it has found what that one has not.
    """
    old = [
        one
        for one in proofs
        if (one.server, one.digest) == (new.server, new.digest)
        and minor(one.version) == minor(new.version)
    ]
    if new.drilled and any(one.refuted or not (one.drilled and new.refuted) for one in old):
        return tuple(proofs)
    return (*(one for one in proofs if one not in old), new)


@cache
def shipped_proofs() -> tuple[ProfileProof, ...]:
    """The proofs of the catalogue that come with us."""
    text = files("understudy.langserver.proven").joinpath("proofs.json").read_text("utf-8")
    return parse_proofs(text, "proofs.json")


def _unset(one: Field[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()


def objecting(profile: Profile) -> Profile:
    """One of ours with the lines that it was seen to object to, in whatever version."""
    digest = digest_of(profile)
    proof = next((one for one in shipped_proofs() if one.digest == digest), None)
    if proof is None:
        return profile
    return replace(profile, objections={**proof.objections, **profile.objections})


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return json.dumps(dict(cast("Mapping[str, Any]", value)), sort_keys=True, default=str)
    return repr(value)
