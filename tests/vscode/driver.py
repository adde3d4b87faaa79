"""The tests' end of the driver extension: runs steps inside a window's extension host."""

from __future__ import annotations

import itertools
import json
import socket
from pathlib import Path
from typing import Any
from zipfile import ZipFile

SOURCES = Path(__file__).with_name("driver")
SECONDS = 180.0
"""Longest wait for anything in the editor on a loaded machine: what needs it all hangs."""


class StepError(AssertionError):
    """A step threw in the extension host; the text has its stack."""


class Hub:
    """Where the windows' drivers make themselves known as their extension hosts start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()

    def next(self, seconds: float = SECONDS) -> Driver:
        """The driver of the window that was opened or reloaded next."""
        self._listener.settimeout(seconds)
        connection, _ = self._listener.accept()
        return Driver(connection)

    def close(self) -> None:
        """Take no more drivers."""
        self._listener.close()


class Driver:
    """One window's extension host."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._arrived = b""
        self._ids = itertools.count(1)
        connection.settimeout(SECONDS)
        self.pid: int = self._line("its pid")["pid"]
        """The extension host's."""

    def run(self, step: str, *, seconds: float = SECONDS, **values: Any) -> Any:
        """What the body of an async function returns; `values` are constants in it."""
        number = next(self._ids)
        constants = "".join(f"const {name} = {json.dumps(v)};\n" for name, v in values.items())
        line = json.dumps({"id": number, "step": constants + step}) + "\n"
        self._connection.settimeout(seconds)
        self._connection.sendall(line.encode())
        answer = self._answer(number, step)
        if "error" in answer:
            raise StepError(f"{answer['error']}\nin: {step.strip()}")
        return answer["value"]

    def until(self, step: str, *, seconds: float = SECONDS, **values: Any) -> Any:
        """Run the step until what it returns is neither null, false, 0 nor empty; gives that."""
        return self.run(_UNTIL % (step, json.dumps(seconds)), seconds=seconds + 10, **values)

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()

    def _answer(self, number: int, step: str) -> Any:
        while True:
            answer = self._line(step)
            if answer["id"] == number:  # others are late ones, to steps that were given up
                return answer

    def _line(self, step: str) -> Any:
        """The next line, kept together over time limits."""
        while b"\n" not in self._arrived:
            try:
                data = self._connection.recv(65536)
            except TimeoutError:
                raise StepError(f"no answer in time: {step.strip()}") from None
            if not data:
                raise StepError(f"the extension host has ended; asked: {step.strip()}")
            self._arrived += data
        line, _, self._arrived = self._arrived.partition(b"\n")
        return json.loads(line)


_UNTIL = """
const look = async () => { %s };
const longest = Date.now() + 1000 * %s;
for (;;) {
  const found = await look();
  if (found && found.length !== 0) return found;
  if (Date.now() > longest) throw new Error("it is still " + JSON.stringify(found));
  await new Promise((resolve) => setTimeout(resolve, 30));
}
"""


def pack(target: Path, sources: Path = SOURCES) -> Path:
    """Make a VSIX of an extension's folder; of the driver extension's, if none is given."""
    manifest = json.loads((sources / "package.json").read_text())
    identity = f'Id="{manifest["name"]}" Version="{manifest["version"]}"'
    with ZipFile(target, "w") as archive:
        for path in sorted(path for path in sources.rglob("*") if path.is_file()):
            archive.write(path, f"extension/{path.relative_to(sources)}")
        publisher = f'Publisher="{manifest["publisher"]}"'
        archive.writestr("extension.vsixmanifest", _MANIFEST % f"{identity} {publisher}")
        archive.writestr("[Content_Types].xml", _CONTENT_TYPES)
    return target


_MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata><Identity Language="en-US" %s/><DisplayName>Of a test</DisplayName></Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/>
  </Assets>
</PackageManifest>
"""
_CONTENT_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""
