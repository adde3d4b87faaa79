"""Answers every pull with an internal error."""

from wire import Json, Toy


class Error(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.refuse(message, -32603)


Error().run()
