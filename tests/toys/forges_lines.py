"""Its findings are full of what steers a terminal, forges a line, or commands a job's log."""

from wire import Json, Toy, diagnostics

FORGED = "\x1b[1A\x1b[2K\u202e\n::error file=a.py::forged\r\n##[error]forged\u200b"


class ForgesLines(Toy):
    def diagnostic(self, message: Json, uri: str) -> None:
        items = [
            {**item, "message": item["message"] + FORGED, "code": FORGED, "source": FORGED}
            for item in diagnostics(self.texts[uri])
        ]
        self.answer(message, {"kind": "full", "items": items})


ForgesLines().run()
