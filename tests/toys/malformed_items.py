"""Answers every pull with diagnostics that have no range."""

from wire import Json, Toy


class Malformed(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.answer(message, {"kind": "full", "items": [{"message": "BAD"}]})


Malformed().run()
