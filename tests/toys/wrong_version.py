"""Publishes every answer with the version before."""

from wire import Toy


class WrongVersion(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        super().push(uri, version - 1, text)


WrongVersion().run()
