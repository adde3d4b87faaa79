"""Publishes an empty list without a version first, then the right answer with it."""

from wire import Toy


class EmptyFirst(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, None, [])
        super().push(uri, version, text)


EmptyFirst().run()
