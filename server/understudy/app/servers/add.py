"""The verbs `servers add` and `servers remove`: a server in a folder of ours, for all folders."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from understudy.app.servers.listing import ServerEntry, ServersHere
from understudy.app.servers.prove import ServerProof, prove_server
from understudy.disk.added_servers import adding, keep_added, remove_added
from understudy.disk.layout import ephemeral_layout
from understudy.langserver.find import find_command, find_program
from understudy.langserver.packages.names import by_tool, install_text, key_of, of_ours, pinned
from understudy.langserver.packages.tools import TOOLS, PackageTool
from understudy.langserver.profile import Profile
from understudy.langserver.proven.profile_proof import digest_of, shipped_proofs
from understudy.process.run import run
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.workspace.progress import Progress
from understudy.workspace.servers.installing import added_for, ways_to_install

_STEP_SECONDS = 1200.0
_TOLD_LINES = 4


@frozen
class AddPlan:
    """What would be installed. packages: at the version that was proven, where there is one.

    search_path: where the tools are. trusted: the folder is. there: what is installed already, so
    that nothing is to do.
    """

    entry: ServerEntry
    packages: tuple[str, ...]
    search_path: tuple[Path, ...]
    trusted: bool
    there: str = ""

    @property
    def profile(self) -> Profile:
        """The server's profile."""
        return self.entry.choice.profile

    @property
    def text(self) -> str:
        """What would be run, as a person would."""
        return install_text(self.packages)


@frozen
class AddedResult:
    """What came of it. folder: where it lies, None if it was taken away again.

    proof: None for a command, and where nothing could be asked (why).
    """

    plan: AddPlan
    folder: Path | None
    proof: ServerProof | None
    why: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it is there, and was proven or has nothing to be proven."""
        if self.plan.entry.choice.is_command:
            return True
        if self.plan.there:
            return self.plan.entry.standing == "proven"
        return self.folder is not None and self.proof is not None and self.proof.is_kept


def plan_add(folder: Path, name: str, *, trust: bool) -> AddPlan:
    """What `add_server` would do; changes nothing.

    Raises BadInput `unknown-server`, `unsupported` for what we cannot install, OutsideFailure
    `not-installed` for a tool that is missing.
    """
    here = ServersHere.of(folder, trust=trust)
    entry = here.named(name)
    profile, search_path = entry.choice.profile, here.chooser.search_path
    if not of_ours(profile.packages):
        text = f"nothing of ours can install it: {ways_to_install(profile)}"
        raise BadInput("unsupported", text, name)
    proofs = (one for one in shipped_proofs() if one.server == name)
    version = next((one.version for one in proofs if one.digest == digest_of(profile)), None)
    trusted = here.chooser.trusted
    plan = AddPlan(entry, pinned(profile.packages, version), search_path, trusted)
    added = added_for(profile)
    # Servers of equal packages share an installation: one without a proof takes the others'.
    if added is not None and (version is None or added.packages == plan.packages):
        return replace(plan, there=f"{added.folder} (added before)")
    if entry.choice.is_installed and entry.choice.added is None:
        spec = entry.choice.spec
        there = entry.missing if spec is None else spec.command[0]
        return replace(plan, there=f"{there} (found first)")
    for tool, _ in by_tool(plan.packages):
        _program_of(tool, plan)
    return plan


async def add_server(
    root: Path, plan: AddPlan, kit: Path | None, progress: Progress
) -> AddedResult:
    """Install it, and prove it; one that answers wrong is taken away again.

    Raises OutsideFailure `install-failed`, `not-installed`, `busy`, `state-full`; then nothing of
    it is left.
    """
    profile, key = plan.profile, key_of(plan.profile.packages)
    if plan.there:
        return AddedResult(plan, None, None)
    with adding(key) as folder:
        places = [await _installed(plan, tool, names, folder, progress)
                  for tool, names in by_tool(plan.packages)]  # fmt: skip
        if find_command(profile, (*places, *plan.search_path)) is None:
            text = f"{plan.text} brought no program {profile.command[0]} that is this server"
            raise OutsideFailure("install-failed", text, profile.name)
        keep_added(key, folder, plan.packages, places)
    if plan.entry.choice.is_command:
        return AddedResult(plan, folder, None, "it is a command: its output is its evidence")
    try:
        with ephemeral_layout() as layout:
            # What stands in a folder that is not trusted decides nothing, here neither.
            place = root if plan.trusted else layout.folder
            proof = await prove_server(
                place, profile.name, kit, None, trust=True, progress=progress
            )
    except BadInput as error:
        return AddedResult(plan, folder, None, str(error))
    wrong = proof.proving.proof is None and proof.proving.refutation is not None
    if wrong and not plan.entry.own:  # of one that comes with us, silence would count
        remove_added(key)
        return AddedResult(plan, None, proof)
    return AddedResult(plan, folder, proof)


def remove_server(folder: Path, name: str, *, trust: bool) -> tuple[str, ...]:
    """Remove what `add` has installed; the names of all profiles that it was for.

    Raises BadInput `unknown-server`, `not-added`, OutsideFailure `busy`, `state-unwritable`.
    """
    here = ServersHere.of(folder, trust=trust)
    profile = here.named(name).choice.profile
    ours = of_ours(profile.packages)
    if not ours or not remove_added(key_of(ours)):
        raise BadInput("not-added", "`understudy servers add` has not installed it", name)
    every = here.chooser.catalogue.profiles
    return tuple(one.name for one in every if of_ours(one.packages) == ours)


async def _installed(
    plan: AddPlan, tool: str, names: tuple[str, ...], above: Path, progress: Progress
) -> Path:
    """Let one tool install these below a folder; where their programs are then."""
    how, folder = TOOLS[tool], above / f"from-{tool}"
    folder.mkdir()
    for name, text in how.files.items():
        (folder / name).write_text(text, encoding="ascii")
    environ = {
        name: None if value is None else value.replace("{folder}", str(folder))
        for name, value in how.environ.items()
    }
    program = _program_of(tool, plan)
    steps = [*_commands(how, program, folder, names)]
    for number, command in enumerate(steps):
        progress(f"{install_text([f'{tool} {name}' for name in names])}", number, len(steps))
        done = await run(command, cwd=folder, seconds=_STEP_SECONDS, env=environ)
        if done.status != 0:
            raise _failure(plan, tool, done.status, done.stdout + b"\n" + done.stderr)
    for name in how.scrap:
        _remove(folder / name)
    return folder / how.places


def _commands(
    how: PackageTool, program: str, folder: Path, names: tuple[str, ...]
) -> Iterator[list[str]]:
    for step in how.steps:
        groups = [(name,) for name in names] if how.one_by_one else [names]
        for group in groups:
            command: list[str] = []
            for part in step:
                filled = part.replace("{program}", program).replace("{folder}", str(folder))
                command += group if part == "{packages}" else [filled]
            yield command


def _program_of(tool: str, plan: AddPlan) -> str:
    """The tool's program; raises OutsideFailure `not-installed`."""
    how = TOOLS[tool]
    found = sys.executable if how.program is None else find_program(how.program, plan.search_path)
    if not found:
        text = f"{tool} is needed for it, and not installed: it comes with {how.hint}"
        raise OutsideFailure("not-installed", text, plan.profile.name)
    return str(found)


def _failure(plan: AddPlan, tool: str, status: int | None, output: bytes) -> OutsideFailure:
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    said = " / ".join([line for line in lines if line][-_TOLD_LINES:])
    ended = f"no end after {_STEP_SECONDS:.0f} s" if status is None else f"exit status {status}"
    text = f"{plan.text} failed ({tool}: {ended}), and nothing of it is left: {said}"
    return OutsideFailure("install-failed", text, plan.profile.name)


def _remove(folder: Path) -> None:
    import shutil  # noqa: PLC0415 - few tools leave anything

    shutil.rmtree(folder, ignore_errors=True)
