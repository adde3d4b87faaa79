"""Lists tools of which two are well-formed; the name of one is a way out of a folder."""

from mcp_wire import McpToy, tool


class Toy(McpToy):
    def tools(self) -> list[object]:
        return [
            *(tool("good"), tool("../../../../outside"), tool("good", "again")),
            *("no object", None, {"description": "no name"}, {"name": 5}, {"name": ""}),
            *({"name": "schema", "inputSchema": "a string"}, {"name": "d", "description": []}),
        ]


Toy().run()
