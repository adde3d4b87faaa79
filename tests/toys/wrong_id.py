"""Answers every pull under the id of the request before."""

from wire import Json, Toy


class WrongId(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        super().diagnostic({"id": message["id"] - 1}, uri)


WrongId().run()
