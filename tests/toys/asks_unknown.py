"""Judges only when an unknown request was answered, and not with an error."""

from wire import Json, Toy, send


class AsksUnknown(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        self.asked = (message, uri)
        send({"id": "x", "method": "toy/unheardOf", "params": None})

    def other(self, message: Json) -> None:
        if message.get("id") == "x" and "result" in message:
            super().diagnostic(*self.asked)


AsksUnknown().run()
