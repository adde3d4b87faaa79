"""Needs a while for each answer."""

import time

from wire import Json, Toy


class Slow(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        time.sleep(0.6)
        super().diagnostic(message, uri)


Slow().run()
