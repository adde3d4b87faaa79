"""Well behaved, but for what the file of its argument tells it to say (JSON).

`at` names the step before which it is said, once; `says` are bytes (latin-1), `{n}` in them is
counted up to `times`, and they are framed but for what is `bare`;
`answer` is what it answers with instead of what it finds, where it finds something.
"""

import json
import sys
from pathlib import Path

from wire import Json, Toy, write_raw

PART = json.loads(Path(sys.argv[1]).read_text())


class Plays(Toy):
    said = False

    def play(self, at: str) -> None:
        if PART.get("at", "diagnostic") != at or self.said:
            return
        self.said = True
        for number in range(PART.get("times", 1)):
            for says in PART.get("says", ()):
                body = says.replace("{n}", str(number)).encode("latin-1")
                if not PART.get("bare"):
                    body = b"Content-Length: %d\r\n\r\n" % len(body) + body
                write_raw(body)

    def initialize(self, message: Json) -> None:
        self.play("initialize")
        super().initialize(message)

    def push(self, uri: str, version: int, text: str) -> None:
        self.play("open")
        super().push(uri, version, text)

    def diagnostic(self, message: Json, uri: str) -> None:
        self.play("diagnostic")
        if "answer" in PART and "BAD" in self.texts[uri]:
            answer = PART["answer"].replace("{id}", str(message["id"])).replace("{uri}", uri)
            body = answer.encode("latin-1")
            write_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        else:
            super().diagnostic(message, uri)


Plays().run()
