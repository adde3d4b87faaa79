"""Reports its progress while it answers."""

from wire import Json, Toy, send


class Progress(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        send({"id": "p", "method": "window/workDoneProgress/create", "params": {"token": 1}})
        for value in (
            {"kind": "begin", "title": "indexing", "percentage": 0},
            {"kind": "report", "message": "half", "percentage": 50},
            {"kind": "end"},
        ):
            send({"method": "$/progress", "params": {"token": 1, "value": value}})
        super().diagnostic(message, uri)


Progress().run()
