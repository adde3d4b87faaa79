"""Computes for ever instead of answering."""

from wire import Json, Toy


class Computing(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        pass

    def diagnostic(self, message: Json, uri: str) -> None:
        while True:
            sum(range(10_000))


Computing().run()
