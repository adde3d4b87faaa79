"""A small MCP server on stdin and stdout; toys change one thing of it.

Protocol 2025-11-25: one JSON-RPC message a line. It imports nothing of the product or the SDK.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Message = dict[str, Any]


def tool(name: str, description: str = "says what it is told", **more: Any) -> Message:
    """A tool's definition."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"name": name, "description": description, "inputSchema": schema, **more}


def text(said: str, *, failed: bool = False) -> Message:
    """A tool's result."""
    return {"content": [{"type": "text", "text": said}], "isError": failed}


class McpToy:
    """Answers what it knows; override `tools`, `page` and `call`."""

    def tools(self) -> list[Any]:
        return [tool("say"), tool("fail")]

    def page(self, cursor: str | None) -> Message:
        del cursor
        return {"tools": self.tools()}

    def call(self, name: str, arguments: Message) -> Message:
        if name == "fail":
            return text("it went wrong", failed=True)
        return text(str(arguments.get("text", "nothing")))

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "id" in message and "method" in message:
                self.answer(message)

    def answer(self, message: Message) -> None:
        self.say(self.response(message))

    def response(self, message: Message) -> Message:
        params = message.get("params") or {}
        method = message["method"]
        if method == "initialize":
            result: Any = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "toy", "version": "1"},
            }
        elif method == "tools/list":
            result = self.page(params.get("cursor"))
        elif method == "tools/call":
            result = self.call(params["name"], params.get("arguments") or {})
        else:
            error = {"code": -32601, "message": f"no {method} here"}
            return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def say(self, message: Message) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
