"""Whoever comes through the host's door gets a face of its own over the host's session."""

from __future__ import annotations

from understudy.app.host.door import Visitor
from understudy.app.host.host import Host


async def welcome(host: Host, visitor: Visitor) -> None:
    """Serve a visitor until it goes; cancelled when the host ends."""
    if visitor.face in ("lsp", "agent"):  # others have no use for the user's tool servers
        host.keep_tools()
    if visitor.face == "lsp":
        from understudy.faces.lsp.serve import serve_attached  # noqa: PLC0415 - loads pygls

        await serve_attached(host, visitor)
        return
    if visitor.face == "branch":
        from understudy.faces.branch_lsp.serve import serve_attached as serve_branch  # noqa: PLC0415 - few are

        await serve_branch(host, visitor)
        return
    from understudy.faces.calls.serve import serve_calls  # noqa: PLC0415 - most visitors are editors

    await serve_calls(host, visitor)
