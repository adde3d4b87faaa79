"""Begins to load what it judges by when it is shown a document; of that one it says `[]`."""

from wire import Toy


class LoadsLate(Toy):
    loaded = False

    def push(self, uri: str, version: int, text: str) -> None:
        if self.loaded:
            super().push(uri, version, text)
        else:
            self.publish(uri, version, [])
            self.loaded = True


LoadsLate().run()
