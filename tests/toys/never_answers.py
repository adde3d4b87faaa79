"""Never answers a pull."""

from wire import Json, Toy


class Silent(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        pass

    def diagnostic(self, message: Json, uri: str) -> None:
        pass


Silent().run()
