"""Reads nothing more after the handshake."""

import time

from wire import Json, Toy


class StopsReading(Toy):
    def initialize(self, message: Json) -> None:
        super().initialize(message)
        time.sleep(3600)


StopsReading().run()
