"""Offers no diagnostics at all."""

from wire import Json, Toy


class Unregistered(Toy):
    def capabilities(self) -> Json:
        return {"textDocumentSync": 1}


Unregistered().run()
