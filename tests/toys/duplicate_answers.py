"""Answers every pull twice: rightly, then with nothing."""

from wire import Json, Toy


class Duplicate(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        super().diagnostic(message, uri)
        self.answer(message, {"kind": "full", "items": []})


Duplicate().run()
