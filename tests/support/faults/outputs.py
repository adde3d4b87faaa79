"""Verbs that keep what is not a branch: outputs, histories, trust, the host's lock, recordings."""

from __future__ import annotations

import json
import re
from functools import partial

from tests.support.faults.case import (
    Case,
    as_command,
    let_time_pass,
    strays,
    tree,
    understudy,
    wrong_in_error,
)
from tests.support.faults.run import Ended
from understudy.app.host.host import HostOptions, open_host
from understudy.faces.hosting.visits import welcome
from understudy.values.paths import Root

_HEADS = re.compile(r"^## \d+ (\w+)", re.MULTILINE)
OUTPUT = b"".join(b"line %d of a long output\n" % number for number in range(2000))
EVENTS = [
    {"kind": "call", "tool": "cat", "call": "1", "input": "long"},
    {"kind": "result", "tool": "cat", "call": "1", "text": OUTPUT.decode()},
]


class Store(Case):
    """An output goes to a file, and a receipt for it to the caller."""

    name = "store"
    given = OUTPUT

    def make(self) -> None:
        (self.place.project / "a.txt").write_text("a\n")
        self.old = tree(self.place.project)

    def program(self) -> None:
        understudy("context", "put", "--label", "cat", "--format", "json")()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        if ended.code == 0:
            path = json.loads(ended.out)["path"]
            got = self.do(understudy("context", "get", path))
            if got.out.encode() != OUTPUT:
                wrong.append(f"the receipt's file is not the output: {got.err[-300:]}")
        let_time_pass(self.place)
        again = self.do(self.program, OUTPUT)
        if again.code != 0:
            wrong.append(f"cannot be stored afterwards: {again.err[-300:]}")
        elif self.do(understudy("context", "get", json.loads(again.out)["path"])).out != (
            OUTPUT.decode()
        ):
            wrong.append("what is stored afterwards is not the output")
        if tree(self.place.project) != self.old:
            wrong.append("the folder is not as it was")
        return wrong + strays(self.place)


class History(Case):
    """Events are appended to a log; a long result leaves it for a file."""

    name = "history"
    given = "".join(json.dumps(event) + "\n" for event in EVENTS).encode()

    def make(self) -> None:
        first = json.dumps({"kind": "user", "text": "the first"}).encode()
        ended = self.do(understudy("context", "log", "s", "--append", "-"), first)
        assert ended.code == 0, ended.err
        self.before = self._events()

    def program(self) -> None:
        understudy("context", "log", "s", "--append", "-")()

    def _events(self) -> list[object]:
        read = self.do(understudy("context", "log", "s"))
        if read.code != 0:
            return [f"the log cannot be read: {read.err[-300:]}"]
        return [kind for kind in _HEADS.findall(read.out) if kind != "repair"]

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        found = self._events()
        n_new = len(found) - len(self.before)
        if found[: len(self.before)] != self.before or not 0 <= n_new <= len(EVENTS):
            wrong.append(f"the log is not what it was and more: {found}")
        if ended.code == 0 and n_new != len(EVENTS):
            wrong.append("said to be kept, and is not")
        let_time_pass(self.place)
        again = self.do(self.program, self.given)
        if again.code != 0 or len(self._events()) != len(found) + len(EVENTS):
            wrong.append(f"cannot be appended to afterwards: {again.err[-300:]}")
        return wrong + strays(self.place)


class Trust(Case):
    """A folder is trusted; another one is already."""

    name = "trust"

    def make(self) -> None:
        other = self.place.folder / "home"
        ended = self.do(understudy("trust", "--root", str(other)))
        assert ended.code == 0, ended.err
        self.old = [str(other)]
        self.new = sorted((str(other), str(self.place.project)))

    def program(self) -> None:
        understudy("trust")()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        read = self.do(understudy("trust", "--list"))
        found = read.out.splitlines()
        if found not in (self.old, self.new):
            wrong.append(f"another list: {found} {read.err[-300:]}")
        if ended.code == 0 and found != self.new:
            wrong.append("said to be trusted, and is not")
        let_time_pass(self.place)
        again = self.do(self.program)
        if again.code != 0:
            wrong.append(f"cannot be trusted afterwards: {again.err[-300:]}")
        return wrong + strays(self.place)


class HostStart(Case):
    """A process becomes the folder's host, lets others attach, and ends."""

    name = "host"

    def make(self) -> None:
        (self.place.project / "a.txt").write_text("a\n")

    def program(self) -> None:
        as_command(self._serve)

    async def _serve(self) -> None:
        host = await open_host(Root.open(self.place.project), HostOptions())
        try:
            await host.open_door(partial(welcome, host))
            print("serves", flush=True)
        finally:
            await host.close()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        let_time_pass(self.place)
        again = self.do(self.program)
        if again.code != 0 or again.out != "serves\n":
            wrong.append(f"no host can be started afterwards: {again.err[-300:]}")
        return wrong + strays(self.place)


class Record(Case):
    """A command runs in a recorded terminal: it runs and ends as it would, whatever is wrong."""

    name = "record"

    def make(self) -> None:
        (self.place.project / "a.txt").write_text("a\n")

    def program(self) -> None:
        understudy("terminals", "record", "--", "sh", "-c", "echo shown; exit 3")()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = [word for word in wrong_in_error(ended) if word == "internal"]
        if ended.code >= 0 and (ended.code, ended.out.replace("\r", "")) != (3, "shown\n"):
            wrong.append(f"the command did not run as it would: {ended.code} {ended.out!r}")
        let_time_pass(self.place)
        again = self.do(self.program)
        if again.code != 3:
            wrong.append(f"cannot be recorded afterwards: {again.err[-300:]}")
        read = self.do(understudy("terminals", "list", "--format", "json"))
        if read.code != 0:
            wrong.append(f"recordings cannot be listed afterwards: {read.err[-300:]}")
        return wrong + strays(self.place)
