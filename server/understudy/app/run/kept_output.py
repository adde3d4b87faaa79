"""What is kept of a command's output: all of it, but for the secrets in it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from understudy.disk.output_file import OutputFile, StoredOutput
from understudy.terminal.secrets.stream import OutputRedactor
from understudy.workspace.session import Session


class KeptOutput:
    """Writes a command's output to a new file in a folder; a line is written once it has ended."""

    def __init__(self, folder: Path, redactor: OutputRedactor) -> None:
        """Raises what OutputFile raises, as all that is done here does."""
        self._file = OutputFile(folder)
        self._redactor = redactor

    @property
    def path(self) -> Path:
        """Where the output lies."""
        return self._file.path

    def write(self, data: bytes) -> None:
        """Take what came, of both streams in their order."""
        self._file.write(self._redactor.feed(data))

    def finish(self) -> StoredOutput:
        """Make sure that the output is on disk; returns what there was of it."""
        self._file.write(self._redactor.end())
        return replace(self._file.finish(), redacted=self._redactor.count)

    def remove(self) -> None:
        """Leave no file: the command never ran."""
        self._file.close()
        self.path.unlink(missing_ok=True)


def redactor(session: Session) -> asyncio.Task[OutputRedactor]:
    """What takes the secrets out, loaded meanwhile: a tenth of a second, once a process."""
    patterns = session.settings.terminal_redact
    loading = asyncio.to_thread(OutputRedactor, patterns)
    return session.tasks.spawn(loading, "load what secrets look like")
