"""Cancels every pull by itself."""

from wire import Json, Toy


class Cancels(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.refuse(message, -32802)


Cancels().run()
