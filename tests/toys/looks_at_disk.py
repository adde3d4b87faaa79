"""Looks on its disk for what a text imports, and keeps what it saw until it is told of a change.

Given a word, it keeps nothing: as clangd, it looks again for each question.

`import name` needs name.py, `import a.b` a/b.py; `says name text` needs name.py to hold the text.
At its start it reads toy.toml: each line there with a word makes that word an error everywhere.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

from wire import Json, Toy

LINE = re.compile(r"(import|says) ([\w.]+) ?(.*)")


class LooksAtDisk(Toy):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path.cwd()
        self.seen: dict[Path, str | None] = {}
        self.forbidden = (self.look(self.root / "toy.toml") or "").split()

    def other(self, message: Json) -> None:
        if message.get("method") == "workspace/didChangeWatchedFiles":
            for change in message["params"]["changes"]:
                told = Path(unquote(urlparse(change["uri"]).path))
                for path in [path for path in self.seen if path.is_relative_to(told)]:
                    del self.seen[path]

    def look(self, path: Path) -> str | None:
        if path not in self.seen:
            try:
                self.seen[path] = path.read_text()
            except OSError:
                self.seen[path] = None
        return self.seen[path]

    def diagnostic(self, message: Json, uri: str) -> None:
        if sys.argv[1:]:
            self.seen.clear()
        items = [
            {
                "range": {
                    "start": {"line": number, "character": 0},
                    "end": {"line": number, "character": len(line)},
                },
                "severity": 1,
                "message": line,
            }
            for number, line in enumerate(self.texts[uri].splitlines())
            if "BAD" in line or self.is_wrong(line)
        ]
        self.answer(message, {"kind": "full", "items": items})

    def is_wrong(self, line: str) -> bool:
        found = LINE.match(line)
        if found is None:
            return any(word in line for word in self.forbidden)
        text = self.look(self.root / (found[2].replace(".", "/") + ".py"))
        return text is None or (found[1] == "says" and text.strip() != found[3])


LooksAtDisk().run()
