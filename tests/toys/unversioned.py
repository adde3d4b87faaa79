"""Publishes without a version."""

from wire import Toy, diagnostics


class Unversioned(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, None, diagnostics(text))


Unversioned().run()
