"""The tools of agents: what each is called, takes, and asks of a host; one list for every face.

The list never changes within a session, and nothing in it depends on the machine: it stands at
the very front of an agent's context.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from understudy.faces.params import calls as call_params
from understudy.faces.params.schema import schema_of
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.structure import structure
from understudy.workspace.progress import NOBODY, Audience

INSTRUCTIONS = """\
Understudy checks edits beside the user's editor: it applies them to shadow copies, has real \
language servers judge them, and leaves the user's files alone.
- Before you write a change, pass it to understudy_lint and read the verdict. `clean` is proven; \
`findings` are what the change introduces; `unknown` means not verified - never a pass.
- After you have written files yourself, call understudy_lint without arguments: it says what \
changed for the worse since this session began.
- understudy_run runs tests or builds on a private copy that holds your edits.
- Long outputs are kept as files; look into them with understudy_context instead of running again.
- understudy_code reads outlines, single symbols and maps instead of whole files, says which files \
a change can reach, and answers where a name is defined, used and called: by name, without search.
- Tools of the user's other MCP servers: understudy_context reads their names in mcp/INDEX.md and \
calls them.
Only the user can accept a branch into the folder.
"""

INSTRUCTIONS_INSIDE = """\
You work in a branch: what you write is kept beside the user's files, who alone can accept it.
- understudy_lint without arguments says what your branch has broken so far, judged by real \
language servers. `clean` is proven; `unknown` means not verified - never a pass.
- With edits it says what these would break, before you write them.
- understudy_code reads outlines, single symbols and maps instead of whole files, says which files \
a change can reach, and answers where a name is defined, used and called: by name, without search.
Run tests and builds as usual.
"""
"""What an agent reads that lives in a branch."""

BEGINS_NOW = """\
UNKNOWN - NOT VERIFIED: nothing was judged. Do not take this for a pass.
This session has no checkpoint from before its changes (it begins with this call, or the process \
that kept its checkpoint has ended), so they have nothing to be compared with.
A checkpoint is set now: from here on, understudy_lint without arguments says what changed for \
the worse since.
To judge what was changed before, pass it as `edits` or `diff`, or compare with a git revision: \
{"revision": "HEAD"}.
"""
"""The answer to a question about what changed since a beginning that is this very question."""


@frozen
class FaceTool:
    """One tool; `call` is the host's call that answers it."""

    name: str
    title: str
    """For people: no model reads it."""
    call: str
    takes: type[Any]
    is_read_only: bool
    reaches_out: bool = False
    """Whether it may call tools of others, who may do anything."""

    @property
    def description(self) -> str:
        """What an agent reads of it."""
        return inspect.getdoc(self.takes) or ""

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes, and the folder that it is about."""
        schema = schema_of(self.takes, terse=True)
        text = "folder; else the first"
        root = {"type": "string", "description": text}
        return {**schema, "properties": {**schema["properties"], "root": root}}


TOOLS = (
    FaceTool("understudy_lint", "Check edits", "lint", call_params.Lint, is_read_only=True),
    FaceTool("understudy_run", "Run a command", "run", call_params.Run, is_read_only=False),
    FaceTool(
        "understudy_context",
        "Look things up",
        "context",
        call_params.Context,
        is_read_only=False,
        reaches_out=True,
    ),
    FaceTool("understudy_code", "Read code", "code", call_params.Code, is_read_only=True),
)


TOOLS_INSIDE = tuple(tool for tool in TOOLS if tool.call in ("lint", "code"))
"""Those of an agent that lives in a branch: its own tools do all else there."""


def tool_named(name: str) -> FaceTool:
    """The tool of that name; raises BadInput `unknown-tool`."""
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        known = ", ".join(tool.name for tool in TOOLS)
        raise BadInput("unknown-tool", f"there are: {known}", name)
    return tool


_FACTS = ("verdict", "branch")


@frozen
class AgentReply:
    """The text, which is all that a model reads; `facts` are for the program that holds it."""

    text: str
    facts: Mapping[str, Any]


@dataclass
class AgentBranch:
    """One agent's session on one folder, and the branch in which its edits add up.

    `ask` is a call of the folder's host. `begin` sets the session's checkpoint if there is none
    yet, and says whether it is one that the session has not been told of: what was changed before
    it would be passed over.
    """

    ask: Callable[[str, dict[str, Any], Audience], Awaitable[dict[str, Any]]]
    begin: Callable[[], Awaitable[bool]]
    branch: str | None = None

    async def answer(
        self, tool: FaceTool, arguments: Mapping[str, Any], audience: Audience = NOBODY
    ) -> AgentReply:
        """What answers a tool's call; raises UnderstudyError."""
        params = {key: value for key, value in arguments.items() if value is not None}
        asks_beginning = _is_about_the_beginning(tool, params)
        if asks_beginning:
            structure(params, tool.takes, "bad-params", tool.call)
            if await self.begin():
                return AgentReply(BEGINS_NOW, {"verdict": "unknown"})
        is_ours = self.branch is not None and _wants_branch(tool, params)
        if is_ours:
            params["branch"] = self.branch
        try:
            answer = await self.ask(tool.call, params, audience)
        except UnderstudyError as error:
            if not is_ours or error.code != "unknown-branch":
                raise
            # The user has accepted or discarded it: what comes now is over the user's text.
            self.branch = None
            del params["branch"]
            answer = await self.ask(tool.call, params, audience)
        self.branch = answer.get("branch") or self.branch
        if asks_beginning and await self.begin():  # its host ended in between
            return AgentReply(BEGINS_NOW, {"verdict": "unknown"})
        return AgentReply(answer["text"], {key: answer[key] for key in _FACTS if answer.get(key)})


def _wants_branch(tool: FaceTool, params: Mapping[str, Any]) -> bool:
    """Whether a call that names no branch is about the session's own."""
    if "branch" in params:
        return False
    if tool.call == "lint":
        return _has_edits(params) and not params.get("fresh")
    return not _has_edits(params)


def _is_about_the_beginning(tool: FaceTool, params: Mapping[str, Any]) -> bool:
    """Whether the call asks what has changed since the session began."""
    named = "branch" in params or "revision" in params
    return tool.call == "lint" and not named and not _has_edits(params)


def _has_edits(params: Mapping[str, Any]) -> bool:
    return not {"edits", "diff"}.isdisjoint(params)
