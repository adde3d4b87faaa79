"""Other people's MCP servers: what the workspace defines, and connections to them."""
