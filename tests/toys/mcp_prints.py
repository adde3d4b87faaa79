"""Prints what is no message on its stdout, before, between and in pieces."""

import sys

from mcp_wire import McpToy, Message


class Toy(McpToy):
    def answer(self, message: Message) -> None:
        sys.stdout.write('starting up\n{"half": \n\x00\xff\n[1, 2]\n"text"\n\n')
        sys.stdout.flush()
        super().answer(message)


Toy().run()
