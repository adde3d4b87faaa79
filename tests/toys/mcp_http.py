"""An MCP server over HTTP on the loopback: answers with the status that a file names.

Usage: mcp_http.py STATUS_FILE COUNT_FILE; the first line on stdout is its URL. The second file
counts the requests. 200 answers well.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mcp_wire import McpToy


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send(405, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with Path(sys.argv[2]).open("a") as stream:
            stream.write(f"{self.headers.get('Authorization')}\n")
        status = int(Path(sys.argv[1]).read_text())
        message = json.loads(body)
        if status != 200:
            self.send(status, b"<html>no</html>")
        elif "id" not in message:
            self.send(202, b"")
        else:
            self.send(200, json.dumps(McpToy().response(message)).encode())

    def send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "text/html")
        self.send_header("Content-Length", str(len(body)))
        if status == 401:
            self.send_header("WWW-Authenticate", 'Bearer error="invalid_token"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)
server.serve_forever()
