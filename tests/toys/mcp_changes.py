"""Has the tools that a file names, one a line; a call makes it say that they have changed."""

import sys
from pathlib import Path

from mcp_wire import McpToy, Message, text, tool


class Toy(McpToy):
    def tools(self) -> list[Message]:
        return [tool(name) for name in Path(sys.argv[1]).read_text().split()]

    def call(self, name: str, arguments: Message) -> Message:
        Path(sys.argv[1]).write_text(str(arguments["text"]))
        self.say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return text(name)


Toy().run()
