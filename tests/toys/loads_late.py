"""Begins to load what it judges by when it is shown a document, and publishes `[]` before."""

from wire import Toy


class LoadsLate(Toy):
    loaded = False

    def push(self, uri: str, version: int, text: str) -> None:
        if not self.loaded:
            self.publish(uri, version, [])
            self.loaded = True
        super().push(uri, version, text)


LoadsLate().run()
