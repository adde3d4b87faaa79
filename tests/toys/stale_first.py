"""Publishes without versions: first what the text before deserved, then the right answer."""

from wire import Toy, diagnostics


class StaleFirst(Toy):
    before = ""

    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, None, diagnostics(self.before))
        self.publish(uri, None, diagnostics(text))
        self.before = text


StaleFirst().run()
