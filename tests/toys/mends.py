"""Offers fixes for its findings; the word behind BAD says what is wrong with them."""

from __future__ import annotations

import sys

from wire import Json, Toy


def place(line: int, column: int) -> Json:
    return {"line": line, "character": column}


def edit(first: int, last: int, text: str) -> Json:
    """Put a text in the place of whole lines."""
    return {"range": {"start": place(first, 0), "end": place(last + 1, 0)}, "newText": text}


def action(title: str, uri: str, *edits: Json, **more: Json) -> Json:
    return {"title": title, "kind": "quickfix", "edit": {"changes": {uri: list(edits)}}, **more}


class Mends(Toy):
    def capabilities(self) -> Json:
        return {**super().capabilities(), "codeActionProvider": True}

    def other(self, message: Json) -> None:
        asked_of = message.get("params", {}).get("textDocument", {}).get("uri")
        if "BAD unasked" in self.texts.get(asked_of, ""):
            sys.exit(1)  # whatever is asked but what is wrong
        if message.get("method") != "textDocument/codeAction":
            if "id" in message and "method" in message:
                self.refuse(message, -32601)  # at once, as servers do; nobody is to wait for it
            return
        params = message["params"]
        uri, asked = params["textDocument"]["uri"], params["context"]
        if "quickfix" not in asked.get("only", ["quickfix"]):
            self.answer(message, [])
            return
        item = asked["diagnostics"][0]
        line, text = item["range"]["start"]["line"], item["message"]
        kind, _, rest = text[text.index("BAD") + 3 :].strip().partition(" ")
        if kind == "dies":
            sys.exit(1)
        offered = self.offered(kind, rest, uri, line)
        if offered is not None:
            self.answer(message, offered)

    def offered(self, kind: str, rest: str, uri: str, line: int) -> list[Json] | None:
        good = edit(line, line, "good\n")
        both = int(rest) if rest.isdigit() else line
        folder = uri.rpartition("/")[0]
        table: dict[str, list[Json]] = {
            "plain": [action("plain", uri, good)],
            "worse": [action("worse", uri, edit(line, line, "good\nBAD hopeless\n"))],
            "follows": [action("follows", uri, edit(line, line, "BAD plain\n"))],
            "endless": [action("endless", uri, edit(line, line, f"BAD endless {rest}x\n"))],
            "stays": [action("stays", uri, edit(0, 0, "elsewhere\n"))],
            "meets": [action(f"meets {rest}", uri, edit(both, both + 1, f"{rest}\n"))],
            "choice": [action("one", uri, good), action("two", uri, edit(line, line, "fine\n"))],
            "unsafe": [action("unsafe", uri, good, isPreferred=False)],
            "disabled": [action("disabled", uri, good, disabled={"reason": "no"})],
            "command": [{"title": "command", "kind": "quickfix", "command": "do.anything"}],
            "silences": [action("quiet", uri, edit(line, line, "value = 1  # type: ignore\n"))],
            "other": [action("other", f"{folder}/other.txt", edit(0, 0, "changed\n"))],
            "outside": [
                {
                    "title": "outside",
                    "edit": {"changes": {uri: [good], f"{folder}/../out.txt": [edit(0, 0, "x\n")]}},
                }
            ],
        }
        return None if kind == "never" else table.get(kind, [])


Mends().run()
