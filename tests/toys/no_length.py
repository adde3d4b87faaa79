"""Answers every pull without a Content-Length."""

from wire import Json, Toy, write_raw


class NoLength(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        write_raw(b"Content-Type: text/plain\r\n\r\n{}")


NoLength().run()
