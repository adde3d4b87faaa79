"""Registers its pull only after a document was opened."""

from wire import Json, Toy, send


class Late(Toy):
    def capabilities(self) -> Json:
        return {"textDocumentSync": 1}

    def push(self, uri: str, version: int, text: str) -> None:
        registration = {"id": "1", "method": "textDocument/diagnostic", "registerOptions": {}}
        send(
            {
                "id": "register",
                "method": "client/registerCapability",
                "params": {"registrations": [registration]},
            }
        )


Late().run()
