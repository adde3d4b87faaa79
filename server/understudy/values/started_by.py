"""The mark of processes that we have started ourselves: nobody sits in front of them."""

from __future__ import annotations

from pathlib import Path

STARTED_BY = "UNDERSTUDY_STARTED_BY"
"""`host`: a server, a tool, a helper; `stage`: a command on a private copy of a folder."""

BRANCH_SOCKET = "UNDERSTUDY_BRANCH_SOCKET"
"""Names the socket of the branch that a process lives in."""

BRANCH_SOCKET_PLACE = Path("/run/understudy-branch")
"""Where that is on a stage with a `/run` of its own."""
