"""Cancels every pull by itself twice, then answers."""

from wire import Json, Toy


class CancelsTwice(Toy):
    n_asked = 0

    def diagnostic(self, message: Json, uri: str) -> None:
        self.n_asked += 1
        if self.n_asked % 3:
            self.refuse(message, -32802)
        else:
            super().diagnostic(message, uri)


CancelsTwice().run()
