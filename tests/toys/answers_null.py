"""Answers every pull with null."""

from wire import Json, Toy


class Null(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.answer(message, None)


Null().run()
