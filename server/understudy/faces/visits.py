"""Whoever comes through the host's door gets a face of its own over the host's session."""

from __future__ import annotations

from understudy.app.door import Visitor
from understudy.app.host import Host


async def welcome(host: Host, visitor: Visitor) -> None:
    """Serve a visitor until it goes; cancelled when the host ends."""
    if visitor.face == "lsp":
        from understudy.faces.lsp_server import serve_attached  # noqa: PLC0415 - loads pygls

        await serve_attached(host, visitor)
        return
    from understudy.faces.calls import serve_calls  # noqa: PLC0415 - most visitors are editors

    await serve_calls(host, visitor)
