"""Has 500 tools with long definitions."""

from mcp_wire import McpToy, Message, tool


class Toy(McpToy):
    def tools(self) -> list[Message]:
        return [tool(f"tool_{n}", description=f"number {n} " * 200) for n in range(500)]


Toy().run()
