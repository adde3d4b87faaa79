"""Does everything right; its tools tell what it was started with, send long texts, and wait."""

import os
import sys
import time
from pathlib import Path

from mcp_wire import McpToy, Message, text, tool


class Toy(McpToy):
    def tools(self) -> list[Message]:
        names = ("say", "fail", "long", "where", "image", "wait", "a/b")
        return [tool(name, description=f"{name} does it. " * 20) for name in names]

    def call(self, name: str, arguments: Message) -> Message:
        if name == "long":
            return text("".join(f"line {n}\n" for n in range(1, 20_001)))
        if name == "where":
            return text(f"{os.getpid()} {Path.cwd()} {sys.argv[1:]} {os.environ.get('TOY')}")
        if name == "image":
            return {"content": [{"type": "image", "data": "AAEC/w==", "mimeType": "image/png"}]}
        if name == "wait":
            Path(arguments["text"]).touch()
            time.sleep(3600)
        return super().call(name, arguments)


Toy().run()
