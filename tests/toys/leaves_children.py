"""Starts a child in a session of its own, and dies of every pull."""

import os
import subprocess
import sys

from wire import Json, Toy


class Leaves(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        os._exit(1)


Leaves().run()
