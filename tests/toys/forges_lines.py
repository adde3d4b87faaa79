"""Its findings, and its fixes for them, are full of what steers a terminal or commands a job."""

from wire import Json, Toy, diagnostics

FORGED = "\x1b[1A\x1b[2K\u202e\n::error file=a.py::forged\r\n##[error]forged\u200b"


class ForgesLines(Toy):
    def capabilities(self) -> Json:
        return {**super().capabilities(), "codeActionProvider": True}

    def diagnostic(self, message: Json, uri: str) -> None:
        items = [
            {**item, "message": item["message"] + FORGED, "code": FORGED, "source": FORGED}
            for item in diagnostics(self.texts[uri])
        ]
        self.answer(message, {"kind": "full", "items": items})

    def other(self, message: Json) -> None:
        if message.get("method") != "textDocument/codeAction":
            if "id" in message and "method" in message:
                self.refuse(message, -32601)  # at once, as servers do; nobody is to wait for it
            return
        found, uri = message["params"]["context"]["diagnostics"], message["params"]["textDocument"]
        edits = [{"range": item["range"], "newText": f"good{FORGED}"} for item in found]
        change = {"changes": {uri["uri"]: edits}}
        fix = {"title": f"Fix {FORGED}", "kind": "quickfix", "edit": change, "diagnostics": found}
        self.answer(message, [fix])


ForgesLines().run()
