"""Writes 10 MB to stderr before each answer."""

import sys

from wire import Json, Toy


class Floods(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        for _ in range(10):
            sys.stderr.write(("x" * 1023 + "\n") * 1024)
        super().diagnostic(message, uri)


Floods().run()
