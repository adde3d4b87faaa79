"""The MCP server on stdio, by the official SDK."""
