"""Publishes what the text before deserved, labelled with its version, and nothing else."""

from wire import Toy


class Stale(Toy):
    before: tuple[int, str] = (0, "")

    def push(self, uri: str, version: int, text: str) -> None:
        super().push(uri, *self.before)
        self.before = (version, text)


Stale().run()
