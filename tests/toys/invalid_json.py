"""Answers every pull with a frame whose body is no JSON."""

from wire import Json, Toy, write_raw


class InvalidJson(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        write_raw(b"Content-Length: 5\r\n\r\n{'a':")


InvalidJson().run()
