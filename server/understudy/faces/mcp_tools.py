"""The tools of the MCP face: what each is called, takes, and asks of a host.

Their list never changes within a session, and nothing in it depends on the machine: it stands at
the very front of an agent's context.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.faces import call_params
from understudy.faces.host_link import HostLink
from understudy.faces.json_schema import schema_of
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root

INSTRUCTIONS = """\
Understudy rehearses edits beside the user's editor: it applies them to shadow copies, has real \
language servers judge them, and leaves the user's files alone.
- Before you write a change, pass it to understudy_lint and read the verdict. `clean` is proven; \
`findings` are what the change introduces; `unknown` means not verified - never a pass.
- After you have written files yourself, call understudy_lint without arguments: it says what \
changed for the worse since this session began.
- understudy_run runs tests or builds on a private copy that holds your edits.
- Long outputs are kept as files; look into them with understudy_context instead of running again.
Only the user can accept a branch into the folder.
"""


@dataclass(frozen=True)
class Tool:
    """One tool; `call` is the host's call that answers it."""

    name: str
    call: str
    takes: type[Any]
    is_read_only: bool

    @property
    def description(self) -> str:
        """What an agent reads of it."""
        return inspect.getdoc(self.takes) or ""

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes, and the folder that it is about."""
        schema = schema_of(self.takes)
        root = {
            "type": ["string", "null"],
            "description": "the folder; null: the one that this server was started for",
        }
        return {**schema, "properties": {**schema["properties"], "root": root}}


TOOLS = (
    Tool("understudy_lint", "lint", call_params.Lint, is_read_only=True),
    Tool("understudy_run", "run", call_params.Run, is_read_only=False),
    Tool("understudy_context", "context", call_params.Context, is_read_only=True),
)


@dataclass
class _Place:
    """A folder that this session works on, and the branch that it has there."""

    link: HostLink
    branch: str | None = None


class AgentSession:
    """One agent's session: its folders, each with a host and a branch of this session's own."""

    def __init__(self) -> None:
        self._places: dict[Path, _Place] = {}

    async def call(self, name: str, arguments: Mapping[str, Any], folder: Path) -> str:
        """The text that answers a tool's call; raises UnderstudyError.

        `folder` is meant where the call names no `root`.
        """
        tool = next((tool for tool in TOOLS if tool.name == name), None)
        if tool is None:
            known = ", ".join(tool.name for tool in TOOLS)
            raise BadInput("unknown-tool", f"there are: {known}", name)
        params = {key: value for key, value in arguments.items() if value is not None}
        place = self._place(params.pop("root", None), folder)
        is_ours = place.branch is not None and _wants_branch(tool, params)
        if is_ours:
            params["branch"] = place.branch
        try:
            answer = await place.link.call(tool.call, params)
        except UnderstudyError as error:
            if not is_ours or error.code != "unknown-branch":
                raise
            # The user has accepted or discarded it: what comes now is over the user's text.
            place.branch = None
            del params["branch"]
            answer = await place.link.call(tool.call, params)
        place.branch = answer.get("branch") or place.branch
        return answer["text"]

    async def open(self, folder: Path) -> None:
        """Come to the folder's host now: what changes from here on is this session's."""
        await self._place(None, folder).link.open()

    async def close(self) -> None:
        """Leave every host, and end those that are in this process."""
        for place in self._places.values():
            await place.link.close()

    def _place(self, named: object, folder: Path) -> _Place:
        if named is not None and not isinstance(named, str):
            raise BadInput("bad-params", "expected a string", "root")
        root = Root.open(folder if named is None else Path(named))
        if root.path in (Path(root.path.anchor), Path.home()):
            text = "too wide for a project; name the folder as `root`, or start with --root"
            raise BadInput("no-such-root", text, str(root.path))
        if root.path not in self._places:
            self._places[root.path] = _Place(HostLink(root, agent=True, stays=True))
        return self._places[root.path]


def _wants_branch(tool: Tool, params: Mapping[str, Any]) -> bool:
    """Whether a call that names no branch is about the session's own."""
    if "branch" in params:
        return False
    if tool.call == "lint":
        return bool(params.get("edits") or params.get("diff")) and not params.get("fresh")
    return True
