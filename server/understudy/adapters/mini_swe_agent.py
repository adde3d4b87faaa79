"""mini-swe-agent's environment (its protocol of version 2) over a branch.

    environment:
      environment_class: understudy.adapters.mini_swe_agent.UnderstudyEnvironment
      folder: .
      trust: true

Each command runs on a private copy of the folder; what it changes becomes edits of one branch, and
the agent reads what they break. The user's folder stays as it is until the user accepts the branch.
"""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.faces.python.questions import Network
from understudy.faces.python.results import Diff, RunResult
from understudy.faces.python.verdicts import Clean
from understudy.faces.python.workspace import Branch, Workspace
from understudy.values.errors import BadInput, UnderstudyError

SUBMITS = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""What the first line of an output says when the agent is done; mini-swe-agent's own word."""


@dataclass
class UnderstudyEnvironmentConfig:
    """What `environment:` of a configuration may have.

    `cwd` is relative to the folder, `timeout` in s. `branch` takes up a kept branch; else one with
    this `title` is made. `check` has the agent read what it has broken after each change.
    """

    folder: str = "."
    trust: bool = False
    branch: str | None = None
    title: str = "mini-swe-agent"
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict[str, str])
    timeout: float = 60.0
    network: Network = "none"
    shell: str = "bash"
    check: bool = True


class UnderstudyEnvironment:
    """An environment of mini-swe-agent; `branch` has what its agent did."""

    def __init__(self, **config: Any) -> None:  # noqa: ANN401 - of a YAML file
        """Raise TypeError for a name that the configuration has not, and as `Workspace`."""
        self.config = UnderstudyEnvironmentConfig(**config)
        self.workspace = Workspace(self.config.folder, trust=self.config.trust)
        self._branch: Branch | None = None

    @property
    def branch(self) -> Branch:
        """The agent's branch; made, or taken up, when it is first asked for."""
        if self._branch is None:
            kept, title = self.config.branch, self.config.title
            self._branch = (
                self.workspace.branch(title) if kept is None else self.workspace.open(kept)
            )
        return self._branch

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run the action's command; raises mini-swe-agent's `Submitted` when the agent is done."""
        stamp = self.branch.diff()
        try:
            done = self.branch.run(
                [self.config.shell, "-c", str(action.get("command", ""))],
                cwd=self._inside(cwd or self.config.cwd),
                env=self.config.env,
                timeout=self.config.timeout,
                network=self.config.network,
                keep=True,
                adopt=True,
            )
        except UnderstudyError as error:
            extra = {"exception_type": type(error).__name__, "exception": str(error)}
            return {"output": "", "returncode": -1, "exception_info": str(error), "extra": extra}
        _raise_submitted(done)
        output = done.output.read()
        if self.config.check and self.branch.diff() != stamp:
            output += f"\n{_told(self.branch)}"
        return {
            "output": output,
            "returncode": -1 if done.limit is not None else done.status,
            "exception_info": "" if done.limit is None else f"ended at its limit of {done.limit}",
        }

    def get_template_vars(self, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - the protocol's own
        """What prompts may name: the configuration, the system, the environment's variables."""
        known: dict[str, Any] = {**asdict(self.config), "cwd": str(self.workspace.root)}
        return {**os.environ, **platform.uname()._asdict(), **known, **given}

    def serialize(self) -> dict[str, Any]:
        """What a trajectory says of it."""
        kind = f"{type(self).__module__}.{type(self).__name__}"
        config = {"environment": asdict(self.config), "environment_type": kind}
        return {"info": {"config": config, "understudy": {"branch": self.branch.id}}}

    def diff(self) -> Diff:
        """What the agent has changed."""
        return self.branch.diff()

    def close(self) -> None:
        """Leave the folder; the branch is kept."""
        self.workspace.close()

    def _inside(self, cwd: str) -> str:
        """The working folder as `run` takes it; raises BadInput `outside-root` for another one."""
        root = self.workspace.root
        place = os.path.normpath(root / cwd)
        if not Path(place).is_relative_to(root):
            raise BadInput("outside-root", "commands run within the folder", cwd)
        return os.path.relpath(place, root)


def _told(branch: Branch) -> str:
    """What the edits of a branch break, as an agent reads it."""
    try:
        verdict = branch.check()
    except UnderstudyError as error:
        return f"understudy: not checked: {error}\n"
    head = "understudy: your changes are clean" if isinstance(verdict, Clean) else "understudy:"
    return f"{head}\n{verdict.text}"


def _raise_submitted(done: RunResult) -> None:
    """End the agent's loop if that is what its command has printed."""
    lines = done.output.head.lstrip().splitlines(keepends=True)
    if done.status != 0 or not lines or lines[0].strip() != SUBMITS:
        return
    submitted = import_module("minisweagent.exceptions").Submitted
    submission = "".join(done.output.read().lstrip().splitlines(keepends=True)[1:])
    extra = {"exit_status": "Submitted", "submission": submission}
    raise submitted({"role": "exit", "content": submission, "extra": extra})
