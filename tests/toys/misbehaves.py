"""Does right mostly; by chance it ends, hangs, swells, or answers with what is no answer."""

import os
import random
import time

from wire import Json, Toy, diagnostics, send, write_raw

ONE_IN = 12
MEGABYTES = 200


class Misbehaves(Toy):
    def __init__(self) -> None:
        super().__init__()
        self.held: list[bytes] = []

    def diagnostic(self, message: Json, uri: str) -> None:
        right = {"kind": "full", "items": diagnostics(self.texts[uri])}
        if random.randrange(ONE_IN):
            self.answer(message, right)
            return
        trait = random.choice(("ends", "hangs", "swells", "refuses", "null", "garbage", "twice"))
        if trait == "ends":
            write_raw(b'Content-Length: 400\r\n\r\n{"jsonrpc":')
            os._exit(1)
        if trait == "hangs":
            time.sleep(600)
        if trait == "swells":
            self.held.append(os.urandom(1 << 20) * MEGABYTES)
        if trait == "refuses":
            self.refuse(message, -32603)
        elif trait == "null":
            self.answer(message, None)
        elif trait == "garbage":
            write_raw(b"warning: this is no message\n")
        else:
            self.answer(message, right)
        if trait == "twice":
            send({"id": message["id"], "result": {"kind": "full", "items": []}})


Misbehaves().run()
