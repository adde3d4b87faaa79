"""Answers the question for its tools with what is no list."""

from mcp_wire import McpToy, Message


class Toy(McpToy):
    def page(self, cursor: str | None) -> Message:
        return {"tools": {"say": cursor}}


Toy().run()
