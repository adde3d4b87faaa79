"""The verb `doctor`: what works here, why not, and the fix."""

from __future__ import annotations

import asyncio
import platform
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Literal

from understudy.disk.host_address import read_address
from understudy.disk.layout import ephemeral_layout, without_log, workspace_layout
from understudy.disk.lock import holder
from understudy.disk.trust import is_trusted
from understudy.langserver.waiting import all_of
from understudy.process.tree import is_known as processes_are_known
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.stage.btrfs import is_subvolume
from understudy.stage.model import memory_text
from understudy.stage.overlay.frozen import why_no_snapshot
from understudy.syntax.grammars import why_no_grammars
from understudy.terminal.secrets.linear import why_missing as why_no_redaction
from understudy.values.errors import HOW_TO_TRUST
from understudy.values.frozen import frozen
from understudy.values.own_folders import state_home
from understudy.values.paths import Root
from understudy.values.version import __version__
from understudy.workspace import settings as settings_module
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.stage_additions import additions, mistaken

State = Literal["ok", "problem", "unused"]
_PROBE_SECONDS = 60.0
_STAGES = {
    "overlay": "commands run at the folder's own path; files, network, processes kept apart",
    "copy": "commands run on a fenced copy at another path",
}


@frozen
class HealthFinding:
    """One thing looked at: its state in a word, and what is so or what to do."""

    subject: str
    state: State
    text: str


async def doctor(folder: Path, *, trust: bool) -> list[HealthFinding]:
    """Look at everything a check needs; each server that would judge is really asked once."""
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    with ephemeral_layout() as layout:
        return await _examined(Session(root, settings, layout, trusted))


async def doctor_beside(session: Session) -> list[HealthFinding]:
    """The same with the settings, trust and servers of an editor's session, which is left alone."""
    with ephemeral_layout() as layout:
        return await _examined(
            Session(
                session.root,
                session.settings,
                layout,
                session.trusted,
                selected_python=session.selected_python,
                server_settings=session.server_settings,
                editor=session.editor,
                beside_an_editor=True,
            )
        )


async def _examined(session: Session) -> list[HealthFinding]:
    try:
        base = await session.fresh_base()
        found = [*_surroundings(session), *await _stages(session), *_shown(session)]
        return found + await _servers(session, base)
    finally:
        await session.close()


def _surroundings(session: Session) -> list[HealthFinding]:
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    trusted = (
        HealthFinding("trust", "ok", "this folder is trusted")
        if session.trusted
        else HealthFinding("trust", "ok", f"not trusted: nothing of it is executed; {HOW_TO_TRUST}")
    )
    unreadable = ", ".join(session.unreadable)
    python = session.servers.python
    found = [
        HealthFinding("understudy", "ok", f"{__version__} on {system} ({sys.executable})"),
        HealthFinding("state folder", "ok", str(state_home())),
        *_hosts(session),
        trusted,
    ]
    if unreadable:
        text = f"cannot be listed, what is in them is not judged: {unreadable}"
        found.append(HealthFinding("folders", "problem", text))
    found += _compiled_parts()
    if python.reason is not None:
        found.append(HealthFinding("python", "problem", python.reason.text))
    else:
        text = f"{python.path} ({python.origin})" if python.path else "none of the project's own"
        found.append(HealthFinding("python", "ok", text))
    return found


def _hosts(session: Session) -> Iterator[HealthFinding]:
    """The hosts that checks have left behind for the next ones."""
    own = workspace_layout(session.root)
    for place in (own, *own.all_beside()):
        address, pid = read_address(place), holder(place.lock)
        if address is None or address.terms is None or pid is None:
            continue
        with suppress(OSError):  # it ends in this moment
            idle = max(0.0, time.time() - place.host.stat().st_mtime) / 60
            text = f"process {pid} has stayed behind for the next check, last asked {idle:.0f} min"
            yield HealthFinding("host", "ok", f"{text} ago; it ends by itself, or by: kill {pid}")


def _compiled_parts() -> list[HealthFinding]:
    """What is missing of them: an extension without any, or a Python they were not made for."""
    found: list[HealthFinding] = []
    fix = "fix: the extension for this platform, or a Python that it has compiled parts for"
    if reason := why_no_grammars():
        text = f"{reason}: outlines and maps go by the look of lines; {fix}"
        found.append(HealthFinding("outlines", "problem", text))
    if not processes_are_known():
        text = "no psutil: the memory of servers has no limit, and what they leave behind may stay"
        found.append(HealthFinding("processes", "problem", f"{text}; {fix}"))
    if reason := why_no_redaction():
        text = f"{reason}: no terminal is recorded, as no secret could be taken out"
        found.append(
            HealthFinding("recording", "problem", f"{text}; {fix}, or pip install google-re2")
        )
    return found


async def _stages(session: Session) -> list[HealthFinding]:
    """Every kind of stage: each is really set up once, and tries to let a program out.

    A kind that does not work is a problem only where no other can run commands.
    """
    reports = await session.stages.probe()
    runs = any(report.ok and report.kind != "memory" for report in reports)
    found: list[HealthFinding] = []
    for report in reports:
        subject = f"stage {report.kind}"
        if report.ok:
            text = report.text or _STAGES[report.kind]
            if report.memory is not None:
                text = f"{text}; {memory_text(report.memory)}"
            found.append(HealthFinding(subject, "ok", text))
            continue
        said = [part for part in (report.errno, report.text) if part]
        text = f"{report.step or 'set-up'} failed: {': '.join(said)}"
        text = f"{text}; fix: {report.fix}" if report.fix else text
        found.append(HealthFinding(subject, "unused" if runs else "problem", text))
    return found + await asyncio.to_thread(_snapshot, session.root.path)


def _snapshot(root: Path) -> list[HealthFinding]:
    """Whether what lives in a branch lies on a snapshot; nothing where nobody would expect one."""
    home = next(place for place in (state_home(), *state_home().parents) if place.is_dir())
    if not is_subvolume(root):
        return []
    why_not = why_no_snapshot(root, home)
    if why_not:
        text = f"rehearsals lie over the folder itself, though it is a subvolume: {why_not}"
        return [HealthFinding("stage snapshot", "unused", text)]
    text = "rehearsals lie on a snapshot of the folder, which is a btrfs subvolume"
    return [HealthFinding("stage snapshot", "ok", text)]


def _shown(session: Session) -> list[HealthFinding]:
    """What every stage of this folder shows: the lists that are in force, as they are here."""
    from understudy.stage.shown.surroundings import home_of, surroundings  # noqa: PLC0415 - heavy
    from understudy.stage.shown.variables import withheld  # noqa: PLC0415 - see above

    home, settings = home_of(session.environ), session.settings
    added = additions(settings.stage_home, settings.stage_env, session.environ)
    view = surroundings(session.root.path, session.environ, also=added.places)
    kept_back = withheld(session.environ, added.values, added.names)
    parts = [_below(path, home) for path in view.private]
    texts = [_below(path, home) for path, _ in view.files]
    lists = f"the lists: {files('understudy.stage.shown') / 'shown.toml'}"
    found = [
        HealthFinding(
            "stage home", "ok", f"empty but for {_listed(parts)}; --home PATH adds to it"
        ),
        HealthFinding("stage settings", "ok", f"shown without secrets: {_listed(texts)}"),
        HealthFinding(
            "stage machine", "ok", f"outside /usr and its like: {_listed(view.visible)}; {lists}"
        ),
        HealthFinding(
            "stage variables", "ok", f"kept back: {_listed(kept_back)}; --env NAME passes one on"
        ),
    ]
    slips = mistaken(settings.stage_home, settings.stage_env, session.environ)
    return found + [HealthFinding("stage settings", "problem", f"{m.code}: {m}") for m in slips]


def _below(path: Path, home: Path | None) -> str:
    if home is not None and path.is_relative_to(home):
        return f"~/{path.relative_to(home).as_posix()}"
    return str(path)


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items)) or "nothing"


async def _servers(session: Session, base: Base) -> list[HealthFinding]:
    """Every profile: the ones that would judge a file here are asked about one."""
    samples: dict[str, tuple[ServerChoice, str]] = {}
    for path in sorted(base.folder.files):
        for choice in session.servers.choose(path):
            samples.setdefault(choice.name, (choice, path))
    probes = [_probe(session, base, choice, path) for choice, path in samples.values()]
    found = await all_of(probes)
    for choice in session.servers.all():
        if choice.name not in samples:
            found.append(HealthFinding(choice.name, "unused", _why_unused(session, choice)))
    return found


def _why_unused(session: Session, choice: ServerChoice) -> str:
    if choice.reason is not None and choice.reason.code == "not-installed":
        return f"not installed: {choice.profile.how_to_install}"
    group = choice.profile.group
    if group in session.settings.disabled_groups:
        return f"installed; the settings turn its group off ({group})"
    return "installed, not needed for the files here"


async def _probe(session: Session, base: Base, choice: ServerChoice, path: str) -> HealthFinding:
    if choice.reason is not None or choice.spec is None:
        text = choice.reason.text if choice.reason else "not installed"
        return HealthFinding(choice.name, "problem", text)
    if choice.is_command:  # it may build for minutes
        text = f"installed, not tried; a check runs it on a stage ({choice.spec.command[0]})"
        return HealthFinding(choice.name, "ok", text)
    began = time.monotonic()
    deadline = began + _PROBE_SECONDS
    snapshot = Snapshot(base)
    try:
        spec = await session.taken_files.fitted(choice.spec, snapshot)
    except Moved as moved:
        text = f"{moved.path} is being written; ask again"
        return HealthFinding(choice.name, "problem", text)
    async with session.pool.lease(spec, "doctor", deadline) as lease:
        answer = (await lease.judge(snapshot, [path], deadline))[path]
    if answer.reason is not None:
        text = f"{answer.reason.code}: {without_log(answer.reason.text, session.layout)}"
        return HealthFinding(choice.name, "problem", text)
    took = time.monotonic() - began
    origin = {
        "editor": "the editor's, ",
        "path": "",
        "added": "added by `understudy servers add`, ",
        "bundled": "it came with understudy, ",
    }
    command = shlex.join(choice.spec.command)
    text = f"answered about {path} in {took:.1f} s ({origin[choice.origin]}{command})"
    return HealthFinding(choice.name, "ok", text)
