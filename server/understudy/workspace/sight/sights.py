"""How a server can be shown a snapshot: in the user's folder, on a stage, or only in part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from understudy.langserver.folder_follower import concerns
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.frozen import frozen
from understudy.values.stamps import stamp_of
from understudy.values.verdicts import Reason
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.servers.taken_files import TakenSet
from understudy.workspace.session import Session
from understudy.workspace.sight.blind_spots import blind_spots, settling, unknowable


@frozen
class Sight:
    """One server's view of one snapshot.

    spec: the process that shows it (None: there is none). blind: path -> why it cannot judge it;
    the key `*` means every path.
    """

    spec: ServerSpec | None
    blind: Mapping[str, Reason]

    @property
    def staged(self) -> bool:
        """Whether the server's own disk is the snapshot's."""
        return self.spec is not None and self.spec.staged is not None


async def sights(
    session: Session, choice: ServerChoice, snapshots: Sequence[Snapshot]
) -> list[Sight]:
    """The best view that this server can have of each snapshot.

    Where one of them needs a stage, the others come along: one process then judges both.
    """
    index, spec = session.bindings, choice.spec
    if spec is None:
        return [Sight(None, await unknowable(index, one, choice)) for one in snapshots]
    files = session.configuration_files
    taken = [await session.taken_files.of(choice.profile, one) for one in snapshots]
    specs = [spec.configured_by(one.state) for one in taken]
    fixed = [
        await _fixed(index, one, choice, files.of(one), also)
        for one, also in zip(snapshots, taken, strict=True)
    ]
    if all(one is None for one in fixed):
        return [
            Sight(own, await unknowable(index, one, choice))
            for one, own in zip(snapshots, specs, strict=True)
        ]
    refusal = await session.server_stages.refusal()
    if refusal is not None:
        return [
            Sight(
                own, _explained(await blind_spots(index, one, choice, files.of(one), also), refusal)
            )
            for one, own, also in zip(snapshots, specs, taken, strict=True)
        ]
    shared = "" if "" in fixed else None
    found: list[Sight] = []
    for snapshot, own, off_stage in zip(snapshots, fixed, specs, strict=True):
        key = shared if own is None else own
        fitting = off_stage if key is None else off_stage.on_stage(key)
        found.append(Sight(fitting, await unknowable(index, snapshot, choice)))
    return found


async def _fixed(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice,
    configuration: Sequence[str], taken: TakenSet,
) -> str | None:  # fmt: skip
    """None if the user's folder will do; else what names the files that a process must start with.

    That is the empty text unless configuration differs from the disk: it is read at the start.
    """
    profile, unlike = choice.profile, snapshot.unlike_disk
    if profile.client_content or not unlike:
        return None
    absent = [path for path in sorted(unlike) if await _is_absent(index, snapshot, choice, path)]
    settled = await settling(index, snapshot, choice, configuration, taken)
    if profile.folder_events == "restart" and choice.sees_project:
        settled += absent
    if settled:
        ordered = sorted(set(settled))
        return stamp_of(part for path in ordered for part in (path, snapshot.digest(path)))
    return "" if absent and (choice.sees_project or profile.looks_up_modules) else None


async def _is_absent(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice, path: str
) -> bool:
    """Whether the user's disk is wrong about a file in a way that no open document puts right."""
    if choice.reads_as_configuration(path):
        return False
    if not concerns(choice.profile, path):
        # Any file can be included in another.
        return choice.sees_project and bool(await index.dependents_of([snapshot], [path]))
    on_disk = snapshot.base.folder.reader.fingerprint(path) is not None
    if choice.judges(path) and choice.profile.reads_disk:
        return True
    if choice.judges(path):
        return on_disk != snapshot.exists(path)
    return bool(await index.dependents_of([snapshot], [path]))


def _explained(blind: Mapping[str, Reason], refusal: str) -> Mapping[str, Reason]:
    """The reasons, with why there is no way around them here."""
    return {
        path: Reason(reason.code, f"{reason.text}; {refusal}")
        if reason.code == "unsupported"
        else reason
        for path, reason in blind.items()
    }
