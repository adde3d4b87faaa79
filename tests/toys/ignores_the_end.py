"""Refuses to end: neither shutdown nor SIGTERM is heeded."""

import signal
import time

from wire import Json, Toy


class Stubborn(Toy):
    def other(self, message: Json) -> None:
        pass

    def answer(self, message: Json, result: Json) -> None:
        super().answer(message, result)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)


Stubborn().run()
