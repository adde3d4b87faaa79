"""How the programs on a recorded terminal know that it is one."""

from __future__ import annotations

TERMINAL_VARIABLE = "UNDERSTUDY_TERMINAL"
"""The device of the recorded terminal: another one that inherits the variable is not recorded."""

LOG_VARIABLE = "UNDERSTUDY_TERMINAL_LOG"
"""The file of its log."""
