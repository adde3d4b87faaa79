"""In its first life, dies in the middle of its first answer."""

import os

from wire import Json, Toy, first_life, write_raw


class DiesHalfway(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        if first_life():
            write_raw(b'Content-Length: 400\r\n\r\n{"jsonrpc":')
            os._exit(1)
        super().diagnostic(message, uri)


DiesHalfway().run()
