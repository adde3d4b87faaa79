"""Inspect's sandbox over a branch: `sandbox="understudy"`.

Or `sandbox=SandboxEnvironmentSpec("understudy", UnderstudyConfig(...))`.

Each sample gets a branch of its own over one folder: what its commands and its agent write becomes
edits of that branch, and the folder stays as it is. A scorer asks `sandbox().as_type(
UnderstudySandbox).branch` what they break. Stderr stands in stdout, in the order in which it came.
"""

from __future__ import annotations

import os
import shlex
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from understudy.faces.python.async_branch import AsyncBranch
from understudy.faces.python.async_workspace import AsyncWorkspace
from understudy.faces.python.questions import Network
from understudy.values.errors import BadInput

_inspect: Any = import_module("inspect_ai.util")
_INPUT = "UNDERSTUDY_INPUT"
_MAX_INPUT = 96 * 1024
"""Bytes of standard input: it travels in a variable, which Linux holds to 128 KiB."""


class UnderstudyConfig(BaseModel, frozen=True):
    """Of which folder a sandbox is, and what may run in it; `timeout` in s, where none is given.

    Without `trust`, the folder must be one that the user trusts. `keep` leaves the sample's branch
    to the user, by the name of its task; else it goes into the archive.
    """

    folder: str = "."
    trust: bool = False
    network: Network = "none"
    timeout: float = 600.0
    keep: bool = True


@_inspect.sandboxenv(name="understudy")
class UnderstudySandbox(_inspect.SandboxEnvironment):  # pyright: ignore[reportUntypedBaseClass] - it is there only where Inspect is
    """One sample's sandbox; `branch` has what was done in it."""

    def __init__(self, workspace: AsyncWorkspace, branch: AsyncBranch, config: Any) -> None:  # noqa: ANN401 - see `_config`
        super().__init__()  # pyright: ignore[reportUnknownMemberType] - as the class
        self.workspace, self.branch = workspace, branch
        self.config: UnderstudyConfig = config

    @classmethod
    async def sample_init(
        cls,
        task_name: str,
        config: UnderstudyConfig | str | None,
        metadata: dict[str, str],
    ) -> dict[str, Any]:
        """Make the sample's branch; a string is the folder."""
        del metadata
        given = _config(config)
        workspace = AsyncWorkspace(given.folder, trust=given.trust)
        try:
            return {"default": cls(workspace, await workspace.branch(task_name), given)}
        except BaseException:  # whatever it is: undone, and raised again
            await workspace.close()
            raise

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: UnderstudyConfig | str | None,
        environments: dict[str, Any],
        interrupted: bool,
    ) -> None:
        """Leave the folder."""
        del task_name, config, interrupted
        for sandbox in environments.values():
            try:
                if not sandbox.config.keep:
                    await sandbox.branch.discard()
            finally:
                await sandbox.workspace.close()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> UnderstudyConfig:
        """The configuration that a log has."""
        return UnderstudyConfig(**config)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - Inspect's own name
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> Any:  # noqa: ANN401 - Inspect's ExecResult
        """Run a command; raises TimeoutError, PermissionError for another user."""
        del timeout_retry, concurrency
        if user is not None:
            raise PermissionError(f"commands run as the user who evaluates, not as {user}")
        variables = dict(env or {})
        if input is not None:
            data = input.encode() if isinstance(input, str) else input
            if len(data) > _MAX_INPUT:
                text = f"{len(data)} bytes of standard input; at most {_MAX_INPUT}: write a file"
                raise BadInput("too-large", text, "input")
            variables[_INPUT] = b64encode(data).decode("ascii")
            piped = f'printf %s "${_INPUT}" | base64 -d | (unset {_INPUT}; {shlex.join(cmd)})'
            cmd = ["sh", "-c", piped]
        done = await self.branch.run(
            cmd,
            cwd="." if cwd is None else self._inside(cwd),
            env=variables,
            timeout=self.config.timeout if timeout is None else timeout,
            network=self.config.network,
            keep=True,
            adopt=True,
        )
        if done.limit == "time":
            raise TimeoutError(done.output.tail)
        return _inspect.ExecResult(done.status == 0, done.status, done.output.read(), "")

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a text; raises UnicodeDecodeError for bytes that are none."""
        text = contents if isinstance(contents, str) else contents.decode("utf-8")
        await self.branch.edit([{"kind": "write", "path": self._inside(file), "text": text}])

    async def read_file(self, file: str, text: bool = True) -> Any:  # noqa: ANN401 - text or bytes
        """Read a text; raises FileNotFoundError, IsADirectoryError."""
        path = self._inside(file)
        found = await self.branch.read(path)
        if found is None and (self.workspace.root / path).is_dir():
            raise IsADirectoryError(file)
        if found is None:
            raise FileNotFoundError(file)
        return found if text else found.encode("utf-8", "surrogateescape")

    def _inside(self, place: str) -> str:
        """A path as the branch takes it; raises PermissionError for one elsewhere."""
        root = self.workspace.root
        found = os.path.normpath(root / place)
        if not Path(found).is_relative_to(root):
            raise PermissionError(f"the sandbox is {root}; there is nothing else: {place}")
        return os.path.relpath(found, root)


def _config(config: UnderstudyConfig | str | None) -> UnderstudyConfig:
    if isinstance(config, UnderstudyConfig):
        return config
    return UnderstudyConfig() if config is None else UnderstudyConfig(folder=config)
