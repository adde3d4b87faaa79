"""The prompt that a user picks in the client's menu; a model reads it only then."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.values.errors import BadInput

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext

TITLE = "Understudy"
CHECK = "check"
CHECK_TITLE = "Check what was changed, and mend it"
CHECK_TEXT = """\
Call the tool understudy_lint without arguments. If it says that there is nothing to compare with, \
call it with {"revision": "HEAD"}.
Mend every error that it lists as introduced, and call it again until it says `clean`, or until \
what is left is not yours to mend.
Then say in a few lines what was broken and is mended, what is left, and what is UNKNOWN. \
Unknown means not verified: never call it a pass. Add nothing that silences a checker.
"""


async def list_prompts(
    _context: ServerRequestContext, _: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    """The one that there is."""
    import mcp_types as types  # noqa: PLC0415 - it takes half a second to load

    return types.ListPromptsResult(prompts=[types.Prompt(name=CHECK, title=CHECK_TITLE)])


async def get_prompt(
    _context: ServerRequestContext, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    """Its text; raises the SDK's error for any other."""
    import mcp_types as types  # noqa: PLC0415 - as above
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - as above

    if params.name != CHECK:
        error = BadInput("unknown-prompt", f"there is: {CHECK}", params.name)
        data = {"code": error.code, "text": error.text, "where": error.where}
        text = f"{error.code}: {params.name}: {error.text}"
        raise MCPError(types.INVALID_PARAMS, text, data)
    content = types.TextContent(type="text", text=CHECK_TEXT)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


def icon_address() -> str:
    """Our icon, in an address that names no host."""
    data = Path(__file__).with_name("icon.svg").read_bytes()
    return f"data:image/svg+xml;base64,{base64.b64encode(data).decode()}"
