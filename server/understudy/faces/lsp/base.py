"""What the editor decides, told without being asked."""

from __future__ import annotations

from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.lsp.options import InitializationOptions, options_given
from understudy.workspace.progress import Audience


async def take_options(
    server: UnderstudyServer, params: InitializationOptions, _: Audience
) -> Json:
    """Trust, interpreter and the like as the editor has them now; raises as `Host.reconfigure`."""
    if server.configuration is not None:
        server.configuration.give(options_given(params))
    return {}
