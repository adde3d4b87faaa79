"""Has always one more page of tools; with `circle`, always the same one."""

import sys

from mcp_wire import McpToy, Message, tool


class Toy(McpToy):
    def page(self, cursor: str | None) -> Message:
        number = int(cursor or 0) + 1
        if "circle" in sys.argv:
            return {"tools": [tool(f"tool_{number}")], "nextCursor": "7"}
        return {"tools": [tool(f"tool_{number}")], "nextCursor": str(number)}


Toy().run()
