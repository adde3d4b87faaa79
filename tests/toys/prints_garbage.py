"""Answers initialize with something that is no message."""

from wire import Json, Toy, write_raw


class Garbage(Toy):
    def initialize(self, message: Json) -> None:
        write_raw(b"Welcome to the toy server!\n\n\r\n\r\n")


Garbage().run()
