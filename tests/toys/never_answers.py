"""Never answers a pull; given a word, none for files that have it in their names."""

import sys

from wire import Json, Toy

WORD = "".join(sys.argv[1:])


class Silent(Toy):
    def push(self, uri: str, version: int, text: str) -> None:
        pass

    def diagnostic(self, message: Json, uri: str) -> None:
        if WORD not in uri.rpartition("/")[2]:
            super().diagnostic(message, uri)


Silent().run()
