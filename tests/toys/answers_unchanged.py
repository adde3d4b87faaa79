"""Answers every pull with 'unchanged', which nobody asked for."""

from wire import Json, Toy


class Unchanged(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.answer(message, {"kind": "unchanged", "resultId": "1"})


Unchanged().run()
