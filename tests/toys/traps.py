"""Servers that are wrong in one way each, which their argument names: how real ones were found.

A line with BAD is an error, and so is `uses NAME` where NAME.txt is missing or BROKEN.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlparse

from wire import Json, Toy, diagnostics, send


class Right(Toy):
    """Looks at other files as they are in open documents, else on disk, at each question.

    Reads its configuration when it starts: with it, it says nothing of our marks.
    """

    quiet = Path("quiet.cfg").exists()

    def text_of(self, name: str) -> str | None:
        for uri, text in self.texts.items():
            if uri.endswith(f"/{name}.txt"):
                return text
        return self.on_disk(name)

    def on_disk(self, name: str) -> str | None:
        try:
            return Path(f"{name}.txt").read_text()
        except OSError:
            return None

    def found(self, text: str) -> list[Json]:
        items = diagnostics(text)
        if self.quiet:
            items = [item for item in items if "us_mark" not in item["message"]]
        for number, line in enumerate(text.splitlines()):
            if line.startswith("uses "):
                other = self.text_of(line.split()[1])
                if other is None or "BROKEN" in other:
                    place = {"line": number, "character": 0}
                    items.append({"range": {"start": place, "end": place}, "message": line})
        return items

    def judged(self, uri: str) -> list[Json]:
        return self.found(self.texts[uri])

    def diagnostic(self, message: Json, uri: str) -> None:
        self.answer(message, {"kind": "full", "items": self.judged(uri)})

    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, version, self.found(text))


class IndexesFirst(Right):
    """Finds nothing in the half second from its first question on."""

    began: float | None = None

    def judged(self, uri: str) -> list[Json]:
        self.began = time.monotonic() if self.began is None else self.began
        return super().judged(uri) if time.monotonic() > self.began + 0.5 else []


class EmptyBeforeSettings(Right):
    asked = told = False

    def judged(self, uri: str) -> list[Json]:
        if not self.asked:
            self.asked = True
            send({"id": 1, "method": "workspace/configuration", "params": {"items": [{}]}})
        return super().judged(uri) if self.told else []

    def other(self, message: Json) -> None:
        self.told |= message.get("id") == 1


class AsksSettingsAtOnce(EmptyBeforeSettings):
    """The same where one can wait for it: it asks before anything is opened."""

    def other(self, message: Json) -> None:
        super().other(message)
        if message.get("method") == "initialized":
            self.asked = True
            send({"id": 1, "method": "workspace/configuration", "params": {"items": [{}]}})


class OneChangeBehind(Right):
    """Of what is imported: as it was before its last change."""

    def __init__(self) -> None:
        super().__init__()
        self.former: dict[str, str] = {}

    def show(self, uri: str, version: int, text: str) -> None:
        if text != self.texts.get(uri):
            self.former[uri] = self.texts.get(uri, "")
        super().show(uri, version, text)

    def text_of(self, name: str) -> str | None:
        for uri, text in self.former.items():
            if uri.endswith(f"/{name}.txt"):
                return text
        return self.on_disk(name)


class DiskOnly(Right):
    def text_of(self, name: str) -> str | None:
        return self.on_disk(name)


class DiskIsSeenLate(Right):
    """Takes a change of the disk in a while after it is told of it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, str | None] = {}

    def text_of(self, name: str) -> str | None:
        if name not in self.seen:
            self.seen[name] = self.on_disk(name)
        return self.seen[name]

    def other(self, message: Json) -> None:
        if message.get("method") == "workspace/didChangeWatchedFiles":
            threading.Timer(0.3, self.seen.clear).start()


class ReadsOnce(DiskIsSeenLate):
    def other(self, message: Json) -> None:
        """What was read is never read again."""


class KnowsNoNewFile(Right):
    """Lists the folder when it starts."""

    listed = frozenset(path.stem for path in Path().glob("*.txt"))

    def text_of(self, name: str) -> str | None:
        return super().text_of(name) if name in self.listed else None


class KeepsClosed(Right):
    """A document that was shown once is there for good."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, str] = {}

    def show(self, uri: str, version: int, text: str) -> None:
        self.known[unquote(urlparse(uri).path).rpartition("/")[2].removesuffix(".txt")] = text
        super().show(uri, version, text)

    def text_of(self, name: str) -> str | None:
        return self.known[name] if name in self.known else self.on_disk(name)


class StaleVersion(Right):
    """What the text before deserved, with the version of this one."""

    before = ""

    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, version, self.found(self.before))
        self.before = text


class EmptyThenRight(Right):
    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, version, [])
        time.sleep(0.2)  # longer than a busy client takes to hear the first
        super().push(uri, version, text)


class LatestVersion(Right):
    """Takes its time for a text, and labels what it finds with the version of then."""

    pending: threading.Timer | None = None

    def push(self, uri: str, version: int, text: str) -> None:
        if self.pending is None or not self.pending.is_alive():
            self.pending = threading.Timer(0.05, self.tell, (uri, text))
            self.pending.start()

    def tell(self, uri: str, text: str) -> None:
        self.publish(uri, self.versions[uri], self.found(text))


class Unlabelled(Right):
    """First what the text before deserved, both without a version; the canary proves the second."""

    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, None, self.found(text))


class LooksAtUsersOnce(Right):
    """Pushes about a file when it changes, and so never about the users of a changed one."""


class CancelledIsEmpty(Right):
    """A question that is given up leaves the next one empty."""

    cancelled = False

    def other(self, message: Json) -> None:
        self.cancelled |= message.get("method") == "$/cancelRequest"

    def judged(self, uri: str) -> list[Json]:
        time.sleep(0.03)
        cancelled, self.cancelled = self.cancelled, False
        return [] if cancelled else super().judged(uri)


class EmptyWhenLate(Right):
    """Has so much time for an answer, and then says what it has: nothing."""

    def judged(self, uri: str) -> list[Json]:
        began, computed = time.monotonic(), time.process_time()
        while time.process_time() < computed + 0.06:
            pass
        return super().judged(uri) if time.monotonic() < began + 0.09 else []


class Silent(Right):
    def found(self, text: str) -> list[Json]:
        return []


class SlowWhereFilesAreNew(Right):
    """Takes long to start on a disk that has a file of its own; no trap, but a busy machine."""

    if Path("us_extra.txt").exists():
        time.sleep(5)


class WrongPlace(Right):
    def found(self, text: str) -> list[Json]:
        place = {"line": 0, "character": 0}
        return [{**item, "range": {"start": place, "end": place}} for item in super().found(text)]


class LastShown(Right):
    """Answers about the document that was shown last, whichever is asked about."""

    last = ""

    def show(self, uri: str, version: int, text: str) -> None:
        self.last = uri
        super().show(uri, version, text)

    def judged(self, uri: str) -> list[Json]:
        return super().judged(self.last)


class SometimesNull(Right):
    asked = 0

    def diagnostic(self, message: Json, uri: str) -> None:
        self.asked += 1
        if self.asked % 5 == 0:
            self.answer(message, None)
        else:
            super().diagnostic(message, uri)


class NoisyWhereFine(Right):
    """Finds something in every text: nobody could tell what an edit brings."""

    def found(self, text: str) -> list[Json]:
        place = {"line": 0, "character": 0}
        always = {"range": {"start": place, "end": place}, "message": "always"}
        return [always, *super().found(text)]


class SilentOnBroken(Right):
    """Says nothing of a text that it cannot read."""

    def found(self, text: str) -> list[Json]:
        return [] if "BROKEN TEXT" in text else super().found(text)


class DeafToBroken(Right):
    """Never answers about a text that it cannot read."""

    def diagnostic(self, message: Json, uri: str) -> None:
        if "BROKEN TEXT" in self.texts[uri]:
            with Path("../questions").open("a", encoding="ascii") as told:
                told.write("asked\n")
        else:
            super().diagnostic(message, uri)


class LikeRuff(Right):
    """Finds what the kit for Python and its objection have; for so many questions, then nothing.

    Its arguments: how many; `deaf` where it never answers about a text that the kit has marked,
    `noisy` where it finds something in any text, `mild` where it has nothing against `(((`.
    """

    asked = 0
    most = int(sys.argv[2]) if sys.argv[2:] else 6
    is_deaf = "deaf" in sys.argv

    def found(self, text: str) -> list[Json]:
        lines = text.splitlines()
        wrong = ("us_mark",) if "mild" in sys.argv else ("us_mark", "(((")
        places = [n for n, line in enumerate(lines) if any(one in line for one in wrong)]
        ends = [{"line": number, "character": 0} for number in places if lines[number][0] != "#"]
        ends += [{"line": 0, "character": 0}] if "noisy" in sys.argv else []
        return [{"range": {"start": end, "end": end}, "message": "wrong"} for end in ends]

    def judged(self, uri: str) -> list[Json]:
        self.asked += 1
        return super().judged(uri) if self.asked <= self.most else []

    def diagnostic(self, message: Json, uri: str) -> None:
        if not (self.is_deaf and "us_mark" in self.texts[uri]):
            super().diagnostic(message, uri)


TRAPS = {kind.__name__: kind for kind in Right.__subclasses__()}
TRAPS |= {kind.__name__: kind for kind in DiskIsSeenLate.__subclasses__()}
TRAPS |= {"Right": Right, "AsksSettingsAtOnce": AsksSettingsAtOnce}
if __name__ == "__main__":
    TRAPS[sys.argv[1]]().run()
