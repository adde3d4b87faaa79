"""The mark of processes that we have started ourselves: nobody sits in front of them."""

from __future__ import annotations

STARTED_BY = "UNDERSTUDY_STARTED_BY"
"""`host`: a server, a tool, a helper; `stage`: a command on a private copy of a folder."""
