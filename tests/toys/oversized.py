"""Announces a message of a terabyte."""

from wire import Json, Toy, write_raw


class Oversized(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        write_raw(b"Content-Length: 1000000000000\r\n\r\n{}")


Oversized().run()
