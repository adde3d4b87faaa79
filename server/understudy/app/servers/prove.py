"""The verb `servers prove`: ask a server all that a kit can ask, and keep the proof."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from understudy.app.servers.listing import ServerEntry, ServersHere
from understudy.disk.atomic import prepare
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.proven.kit import Kit, read_kit, shipped_kit
from understudy.langserver.proven.profile_proof import proofs_text
from understudy.langserver.spec import ServerSpec
from understudy.values import toml
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.workspace.progress import Progress, silent
from understudy.workspace.proving.prove import Proving, prove
from understudy.workspace.settings import user_file

_STEERING = (
    "settings", "pinned_settings", "null_settings", "initialization_options", "options_from",
    "arguments_from",
)  # fmt: skip
"""The fields of a profile that say what a server is told of what to find."""


@frozen
class ServerProof:
    """What came of it. written: the file in which the profile was put right, if it had to be.

    is_kept: the proof is, so that the server's silence counts from now on. silence_counts: it does
    without a proof, as it is one of ours, and nothing was wrong with our kit and our settings.
    """

    proving: Proving
    is_kept: bool
    written: Path | None
    silence_counts: bool = False


async def prove_server(
    folder: Path, name: str, kit: Path | None, export: Path | None, *,
    trust: bool, progress: Progress,
) -> ServerProof:  # fmt: skip
    """Prove a profile as a folder's settings have it; `export` gets a copy of the proof.

    Raises BadInput `unknown-server`, `not-installed`, `no-kit`, `bad-kit`, `unsupported`, Refused
    `untrusted`, OutsideFailure.
    """
    here = ServersHere.of(folder, trust=trust)
    entry = here.named(name)
    proving = await prove_entry(here, entry, None if kit is None else read_kit(kit), progress)
    if proving.proof is None:
        refutation = proving.refutation
        counts = not entry.own
        if refutation is not None and counts and kit is None and _is_as_shipped(entry):
            here.chooser.proofs.add(refutation)
            counts = False
        return ServerProof(proving, is_kept=False, written=None, silence_counts=counts)
    written = None
    if proving.changed:
        if not _is_users(here, name):
            return ServerProof(proving, is_kept=False, written=None)
        written = user_file()
        _put_right(written, name, proving.changed)
    here.chooser.proofs.add(proving.proof)
    if export is not None:
        _replace(export, proofs_text([proving.proof]))
    return ServerProof(proving, is_kept=True, written=written)


async def prove_entry(
    here: ServersHere, entry: ServerEntry, kit: Kit | None = None, progress: Progress = silent
) -> Proving:
    """Ask it everything that its kit can ask, and keep nothing; raises as `prove_server` does."""
    model = _model(here, entry)
    kit = kit or _kit(entry)
    return await prove(
        entry.choice.profile, model, entry.version, kit,
        settings=here.settings, environ=dict(os.environ), progress=progress, fixed=not entry.own,
    )  # fmt: skip


def _model(here: ServersHere, entry: ServerEntry) -> ServerSpec:
    """How the server is started, wherever that is."""
    choice = entry.choice
    if choice.is_command:
        text = "it is a command: what it prints is its evidence, and nothing of it is to be proven"
        raise BadInput("unsupported", text, choice.name)
    if choice.spec is None:
        assert choice.reason is not None
        kind = Refused if choice.reason.code == "untrusted" else BadInput
        raise kind(choice.reason.code, choice.reason.text, choice.name)
    root = here.root.path
    parts = (str(path) if (path := root / part).is_file() else part for part in choice.spec.command)
    return replace(choice.spec, command=tuple(parts))


def _kit(entry: ServerEntry) -> Kit:
    languages = sorted(entry.choice.profile.languages)
    for language in entry.choice.profile.files.values():
        kit = shipped_kit(language)
        if kit is not None:
            return kit
    text = (
        f"no kit for {', '.join(languages)} comes with us: describe in a file how a definition, a "
        "use and a mistake look, and name it with --kit FILE"
    )
    raise BadInput("no-kit", text, entry.choice.name)


def _is_as_shipped(entry: ServerEntry) -> bool:
    """Whether a server of ours was asked with our settings: with others it may rightly differ."""
    profile, shipped = entry.choice.profile, Catalogue.load().named(entry.choice.name)
    return all(getattr(profile, key) == getattr(shipped, key) for key in _STEERING)


def _is_users(here: ServersHere, name: str) -> bool:
    """Whether the profile that is in force stands in the user's own file."""
    try:
        table = toml.loads(user_file().read_text("utf-8"))
    except (OSError, ValueError):
        return False
    servers = table.get("servers")
    given = cast("dict[str, object]", servers).get(name) if isinstance(servers, dict) else None
    return given is not None and given == here.settings.servers.get(name)


def _put_right(file: Path, name: str, changed: Mapping[str, object]) -> None:
    """Change keys of a profile in the user's file, and nothing else in it."""
    import tomlkit  # noqa: PLC0415 - few profiles have to be put right

    document: Any = tomlkit.parse(file.read_text("utf-8"))
    for key, value in changed.items():
        plain: Any = value if isinstance(value, str | bool | int) else dict(cast("Any", value))
        document["servers"][name][key] = plain
    text: str = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType] - untyped there
    _replace(file, text)


def _replace(file: Path, text: str) -> None:
    try:
        prepare(file, text.encode("utf-8")).commit()
    except OSError as error:
        text = f"cannot be written: {error.strerror}"
        raise OutsideFailure("cannot-write", text, str(file)) from error
