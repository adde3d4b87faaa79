"""Judges only when its settings were answered with a list of the exact length."""

from wire import Json, Toy, send


class AsksSettings(Toy):
    def show(self, uri: str, version: int, text: str) -> None:
        self.texts[uri] = text

    def diagnostic(self, message: Json, uri: str) -> None:
        self.asked = (message, uri)
        items = [{"scopeUri": uri, "section": "toy"}, {"section": "nothing"}]
        send({"id": 1, "method": "workspace/configuration", "params": {"items": items}})

    def other(self, message: Json) -> None:
        if message.get("id") == 1 and message.get("result") == [{"strict": True}, None]:
            super().diagnostic(*self.asked)


AsksSettings().run()
