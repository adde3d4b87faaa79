"""At any command, appends a line to `written` in the folder that it is given; tells its lines."""

from __future__ import annotations

from pathlib import Path

from wire import Json, Toy


class WritesOnCommand(Toy):
    def other(self, message: Json) -> None:
        if message.get("method") != "workspace/executeCommand":
            super().other(message)
            return
        params = message["params"]
        file = Path(params["arguments"][0], "written")
        with file.open("a") as stream:
            stream.write(f"{params['command']}\n")
        self.answer(message, file.read_text().splitlines())


WritesOnCommand().run()
