"""Lists its tools and ends in the first call."""

import sys

from mcp_wire import McpToy, Message


class Toy(McpToy):
    def call(self, name: str, arguments: Message) -> Message:
        sys.exit(f"cannot {name} {arguments}")


Toy().run()
