"""Which servers judge a file: the first installed profile of each enabled group.

Of those that are installed, one that the user's editor brings comes first, as an answer is then
what Problems would show; then one on the search path, which may be the project's own; then one that
`servers add` has installed; then one that came with us. A checking command comes after all servers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from understudy.dependents.places import folders_of
from understudy.disk.added_servers import AddedServer
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.editor import NODE_ENVIRONMENT, EditorServers
from understudy.langserver.find import find_command, installed_version, server_version
from understudy.langserver.packages.names import of_ours
from understudy.langserver.profile import Profile
from understudy.langserver.proven.profile_proof import BESIDE, objecting
from understudy.langserver.spec import ServerSpec, merged, section_of, with_carried
from understudy.values.errors import HOW_TO_TRUST
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.stamps import Stamp
from understudy.values.verdicts import Reason
from understudy.workspace.agents.catalogue import agent_files
from understudy.workspace.servers.cross_file import widened
from understudy.workspace.servers.editor_variables import EditorVariables
from understudy.workspace.servers.environment import (
    NATIVE_TYPESCRIPT,
    ProjectTool,
    find_python,
    find_typescript,
    is_inside,
    search_path,
    typescript_major,
    typescript_version,
)
from understudy.workspace.servers.go_flags import VARIABLE as GO_FLAGS
from understudy.workspace.servers.go_flags import go_environment
from understudy.workspace.servers.installing import added_for, ways_to_install
from understudy.workspace.servers.proof_book import ProofBook, refuted_reason, unproven_reason
from understudy.workspace.settings import Settings

Origin = Literal["editor", "path", "added", "bundled"]
_ORIGINS: tuple[Origin, ...] = ("editor", "path", "added", "bundled")
"""Where servers come from, in the order of preference."""

_PROGRAMS = frozenset({"pythonPath", "defaultInterpreterPath", "venvPath"})
"""Settings of the `python` section that decide which interpreter a server executes."""


@frozen
class ServerChoice:
    """A profile chosen for a file, with what is needed to start it, or why it cannot be asked."""

    profile: Profile
    spec: ServerSpec | None
    reason: Reason | None
    origin: Origin = "path"
    doubt: Reason | None = None
    """Why its silence proves nothing, although it is asked: nobody has proven its profile."""
    added: AddedServer | None = None
    """What `servers add` has installed for it, where that is what is asked."""

    @property
    def name(self) -> str:
        """The profile's name."""
        return self.profile.name

    @property
    def rule(self) -> str:
        """The freshness rule."""
        return self.profile.rule

    @property
    def sees_project(self) -> bool:
        """Whether its findings in one file can depend on other files."""
        return self.profile.scope == "project"

    def judges(self, path: str) -> bool:
        """Whether the file is of one of its languages."""
        return self.profile.language_of(path) is not None

    def reads_as_configuration(self, path: str) -> bool:
        """Whether the server reads this file from disk to configure itself."""
        return self.profile.is_config(path)

    @property
    def is_installed(self) -> bool:
        """Whether there is something that could be started, were it allowed to."""
        return self.reason is None or self.reason.code != "not-installed"

    @property
    def rank(self) -> tuple[bool, int]:
        """The less, the rather it is asked, of the installed ones of its group."""
        return self.is_command, _ORIGINS.index(self.origin)

    @property
    def is_command(self) -> bool:
        """Whether it is a checking command, which is run on a stage, and no server."""
        return self.profile.checker is not None

    def is_moved_by(self, path: str) -> bool:
        """Whether a change of this file on disk may change its findings in files elsewhere."""
        return self.reads_as_configuration(path) or (self.is_command and self.judges(path))

    @cached_property
    def stamp(self) -> Stamp:
        """Names the server's version, settings and environment."""
        return self.spec.key if self.spec is not None else f"no {self.name}"

    def __hash__(self) -> int:
        return hash((self.profile.name, self.stamp))


@frozen
class _Program:
    command: tuple[str, ...]
    origin: Origin
    added: AddedServer | None = None


@dataclass
class ServerChooser:
    """Chooses servers for files, by the settings, the trust and what is installed."""

    root: Root
    settings: Settings
    trusted: bool
    catalogue: Catalogue
    environ: Mapping[str, str]
    selected_python: str | None = None
    server_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    editor: EditorServers = field(default_factory=EditorServers)
    proofs: ProofBook = field(default_factory=ProofBook)
    _made: dict[str, ServerChoice] = field(default_factory=lambda: {})
    _made_at: object = None

    def choose(self, path: str, only: tuple[str, ...] = ()) -> tuple[ServerChoice, ...]:
        """One choice a group that has a profile for this file; `only` names the servers wanted.

        A group of optional profiles, none of them installed, has none; so it is for a file of an
        agent's configuration: setting an agent up makes no check unknown.
        """
        self._look_again()
        if only:
            fitting = self.catalogue.profiles_for(path)
            return tuple(self._choice(profile) for profile in fitting if profile.name in only)
        chosen = (
            self._best(
                [p for p in profiles if not p.needs_config or self._is_configured(p, path)], path
            )
            for group, profiles in self.catalogue.groups_for(path).items()
            if group not in self.settings.disabled_groups
        )
        return tuple(choice for choice in chosen if choice is not None)

    def sections(self) -> tuple[str, ...]:
        """The sections of an editor's settings that are about any server."""
        found = {section for profile in self.catalogue.profiles for section in _sections(profile)}
        return tuple(sorted(found | self.catalogue.program_sections))

    def names(self) -> tuple[str, ...]:
        """The names of all profiles."""
        return self.catalogue.names

    def all(self) -> tuple[ServerChoice, ...]:
        """A choice for every profile of the catalogue, installed or not."""
        self._look_again()
        return tuple(self._choice(profile) for profile in self.catalogue.profiles)

    def doubt_of(self, name: str) -> Reason | None:
        """Why the silence of the server of this name proves nothing, as it is known by now."""
        self._look_again()
        profile = self.catalogue.named(name)
        return None if profile is None else self._choice(profile).doubt

    def version_of(self, profile: Profile, command: Sequence[str]) -> str:
        """The version that a proof is about: of the program, and of the TypeScript that it runs."""
        version = installed_version(command, self.root.path)
        tool = self._tool(profile).path
        if profile.environment == "typescript" and tool and profile.npm_package != "typescript":
            return f"{version}{BESIDE}{typescript_version(tool)}"
        return version

    def untold(self, choice: ServerChoice) -> ServerSpec | None:
        """How one of ours is started here where its user has set nothing; None: it is not so."""
        shipped, spec = Catalogue.load().named(choice.name), choice.spec
        if shipped is None or spec is None:
            return None
        settings, options, _ = self._fitted(shipped, self._tool(shipped).path, choice.added, {})
        env = {name: value for name, value in spec.env.items() if name != GO_FLAGS}
        return replace(
            spec, profile=shipped, settings=settings, initialization_options=options, env=env
        )

    @cached_property
    def python(self) -> ProjectTool:
        """The project's interpreter."""
        selected = self.selected_python or self.settings.python
        return find_python(self.root, selected=selected, trusted=self.trusted, environ=self.environ)

    @cached_property
    def typescript(self) -> ProjectTool:
        """The project's TypeScript."""
        own = self.editor.typescript
        return find_typescript(self.root, trusted=self.trusted, editors=own)

    @cached_property
    def search_path(self) -> tuple[Path, ...]:
        """Where servers are looked for."""
        own = Path(sys.executable).parent
        return search_path(
            self.root, self.settings.server_path, self.environ, own, trusted=self.trusted
        )

    @cached_property
    def _variables(self) -> EditorVariables:
        settings = self.server_settings if self.trusted else dict[str, Any]()
        return EditorVariables(self.root.path, self.environ, settings, self.search_path)

    def _best(self, profiles: Sequence[Profile], path: str) -> ServerChoice | None:
        best: ServerChoice | None = None
        if not profiles:
            return None
        none_is_better = (False, 0 if self.editor.extensions else 1)
        for profile in profiles:
            choice = self._choice(profile)
            if choice.is_installed and (best is None or choice.rank < best.rank):
                best = choice
                if best.rank <= none_is_better:  # without looking for all the others
                    break
        if best is not None or all(profile.optional for profile in profiles):
            return best
        if path in agent_files():
            return None
        listed = "; ".join(f"{profile.name} ({ways_to_install(profile)})" for profile in profiles)
        text = f"nothing that judges the {profiles[0].group} of this file is installed: {listed}"
        if any(of_ours(profile.packages) for profile in profiles):
            text = f"{text}; `understudy servers add NAME` installs one of them"
        return ServerChoice(profiles[0], None, Reason("not-installed", text))

    def _is_configured(self, profile: Profile, path: str) -> bool:
        """Whether the disk has one of its configuration files beside the path, or further up."""
        folders = ["", *(f"{folder}/" for folder in folders_of(path))]
        return any(
            (self.root.path / f"{folder}{name}").is_file()
            for folder in folders
            for name in profile.root_markers
        )

    def _look_again(self) -> None:
        state = self.proofs.state
        if self._made_at != state:  # somebody has proven one meanwhile, or the contrary
            self._made, self._made_at = {}, state

    def _choice(self, profile: Profile) -> ServerChoice:
        made = self._made.get(profile.name)
        if made is None:
            made = self._made[profile.name] = self._make(widened(profile, self.root.path))
        return made

    def _make(self, profile: Profile) -> ServerChoice:
        tool = self._tool(profile)
        program = self._program(profile, tool)
        if program is None:
            text = f"{profile.name} is not installed: {ways_to_install(profile)}"
            if of_ours(profile.packages):
                text = f"{text}; `understudy servers add {profile.name}` does it"
            return ServerChoice(profile, None, Reason("not-installed", text))
        command, origin = program.command, program.origin
        if profile.arguments_from is not None:
            command += self._variables.arguments(profile.arguments_from, command)
        if tool.reason is not None:
            return ServerChoice(profile, None, tool.reason, origin, added=program.added)
        if profile.executes_workspace_code and not self.trusted:
            text = (
                f"{profile.name} executes code of this folder, and it is not trusted: "
                f"{HOW_TO_TRUST}, or pass --trust"
            )
            reason = Reason("untrusted", text)
            return ServerChoice(profile, None, reason, origin, added=program.added)
        profile, doubt = self._weighed(profile, command)
        told = self.server_settings
        settings, options, env = self._fitted(profile, tool.path, program.added, told)
        if self.editor.runs(command):
            env |= NODE_ENVIRONMENT
        deciding = command
        if profile.environment == "typescript" and tool.path is not None:
            deciding = (*command, str(tool.path / "package.json"))
        spec = ServerSpec(
            profile, command, self.root, env, settings, options, server_version(deciding),
            trusted=self.trusted, shipped=profile.name not in self.catalogue.own,
        )  # fmt: skip
        return ServerChoice(profile, spec, None, origin, doubt, program.added)

    def _weighed(self, profile: Profile, command: Sequence[str]) -> tuple[Profile, Reason | None]:
        """A profile of the user's with what its proof knows, or why its silence proves nothing."""
        if profile.checker is not None:
            return profile, None
        is_ours = profile.name not in self.catalogue.own
        if is_ours and not self.proofs.has_refuted(profile.name):
            return objecting(profile), None
        proof = self.proofs.word_on(profile, self.version_of(profile, command))
        if is_ours and (proof is None or not proof.refuted):
            return objecting(profile), None
        if proof is not None and proof.refuted:
            return profile, refuted_reason(profile.name)
        if proof is not None:
            return replace(profile, objections={**proof.objections, **profile.objections}), None
        return profile, unproven_reason(profile.name)

    def _program(self, profile: Profile, tool: ProjectTool) -> _Program | None:
        """The program; a TypeScript that is a server itself (7 and later) is the project's own.

        An older one is run by a server from elsewhere, but it is the one that decides.
        """
        if profile.environment != "typescript" or tool.path is None:
            return self._found(profile)
        is_itself = profile.npm_package == "typescript"
        native = typescript_major(tool.path) >= NATIVE_TYPESCRIPT
        if native and not is_itself:
            return None
        of_project = tool.path != self.editor.typescript
        if tool.reason is None and (native or (profile.checker is not None and of_project)):
            own = str(tool.path / "bin" / profile.command[0])
            return _Program((own, *profile.command[1:]), "editor")
        found = self._found(profile)
        return found if found is None or is_itself else replace(found, origin="editor")

    def _found(self, profile: Profile) -> _Program | None:
        command = self.editor.find(profile, self._variables.expand)
        if command is not None and self._may_run(command):
            return _Program(command, "editor")
        command = find_command(profile, self.search_path)
        if command is not None:
            return _Program(command, "path")
        added = added_for(profile)
        if added is not None:
            command = find_command(profile, (*added.places, *self.search_path))
            if command is not None:
                return _Program(command, "added", added)
        command = self.editor.find_bundled(profile)
        return None if command is None else _Program(command, "bundled")

    def _may_run(self, command: Sequence[str]) -> bool:
        """A workspace may hold extensions, too (`.vscode/extensions`)."""
        programs = [Path(part) for part in command if Path(part).is_absolute()]
        return self.trusted or not any(is_inside(self.root, program) for program in programs)

    def _tool(self, profile: Profile) -> ProjectTool:
        if profile.environment == "python":
            return self.python
        return self.typescript if profile.environment == "typescript" else ProjectTool()

    def _fitted(
        self, profile: Profile, tool: Path | None, added: AddedServer | None,
        told: Mapping[str, Any],
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:  # fmt: skip
        """Settings, initialization options and environment that point at the project's own tool."""
        own = merged({}, {name: one for name, one in told.items() if name in _sections(profile)})
        if not self.trusted and isinstance(own.get("python"), dict):
            own["python"] = {k: v for k, v in own["python"].items() if k not in _PROGRAMS}
        settings = with_carried(merged(profile.settings, own), told, profile.settings_from)
        settings = merged(settings, profile.pinned_settings)
        for section, _, key in (name.partition(".") for name in profile.null_settings):
            settings.setdefault(section, {}).setdefault(key, None)
        given = {key: section_of(own, name) for key, name in profile.options_from.items()}
        chosen = {key: value for key, value in given.items() if value is not None}
        options = merged(profile.initialization_options, chosen)
        places = () if added is None else added.places
        env = {"PATH": os.pathsep.join(map(str, (*self.search_path, *places)))}
        if profile.environment == "python":
            env["VIRTUAL_ENV"] = "" if tool is None else str(tool.parent.parent)
            if tool is not None:
                settings = merged(settings, {"python": {"pythonPath": str(tool)}})
        if profile.environment == "go":
            env |= go_environment(self._go_settings(), self.environ)
        if profile.environment == "typescript" and tool is not None:
            options = merged(options, {"tsserver": {"path": str(tool / "lib" / "tsserver.js")}})
        return settings, options, env

    def _go_settings(self) -> dict[str, Any]:
        """What the editor says of Go, over what the profile of its language server is told."""
        server = self.catalogue.named("gopls")
        return merged({} if server is None else server.settings, self.server_settings)


def _sections(profile: Profile) -> frozenset[str]:
    """The sections of an editor's settings that are about this server."""
    shared = {"python": {"python"}, "typescript": {"typescript", "javascript", "js/ts"}}
    own = {profile.name, *profile.settings}
    return frozenset(own | shared.get(profile.environment or "", set()))
