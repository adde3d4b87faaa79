"""Which tool servers the workspace has, and which of them may be started: nothing is without leave.

Even to list its tools runs a server's code. So the folder must be trusted, the user must have
allowed this very definition, and nobody is asked for the value of a placeholder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from understudy.disk.layout import Layout
from understudy.disk.mcp_consent import McpConsent
from understudy.mcpclient.configuration import FILES, Definitions, read_definitions
from understudy.mcpclient.model import Status, ToolServer
from understudy.mcpclient.placeholders import Filled, NeedsInput, fill
from understudy.values.errors import HOW_TO_TRUST
from understudy.values.frozen import frozen
from understudy.values.paths import Root

_MOST_BYTES = 4 * 1024 * 1024
_ALLOW = "the user allows it by `understudy tools allow`"


@frozen
class ToolServerEntry:
    """A server with what it is started by, or the status that keeps it from being started."""

    server: ToolServer
    filled: Filled | None = None
    status: Status = "starting"
    hint: str = ""


@frozen
class Workspace:
    """Every server by its name, and what is wrong with the files that define them."""

    entries: Mapping[str, ToolServerEntry]
    problems: tuple[str, ...]


class ServerFiles:
    """Reads the definitions and the user's consent, when one of them has changed."""

    def __init__(
        self, root: Root, layout: Layout, environ: Mapping[str, str], trusted: Callable[[], bool]
    ) -> None:
        self.consent = McpConsent(layout.folder)
        self._root = root
        self._layout = layout
        self._environ = environ
        self._trusted = trusted

    def marks(self) -> tuple[object, ...]:
        """Differs when `read` may say something else."""
        files = (*(self._root.path / name for name in FILES), self.consent.file)
        return (self._trusted(), *(_mark(file) for file in files))

    def definitions(self) -> Definitions:
        """What the files say; nothing in them is carried out."""
        texts: dict[str, str] = {}
        problems: list[str] = []
        for name in FILES:
            file = self._root.path / name
            try:
                if file.stat().st_size > _MOST_BYTES:
                    problems.append(f"{name}: more than {_MOST_BYTES} bytes")
                elif file.is_file():
                    texts[name] = file.read_text("utf-8-sig")
            except FileNotFoundError:
                continue
            except (OSError, UnicodeDecodeError) as error:
                problems.append(f"{name}: cannot be read: {error}")
        found = read_definitions(texts)
        return Definitions(found.servers, (*problems, *found.problems))

    def read(self) -> Workspace:
        """The servers, each with its leave or the lack of it."""
        found = self.definitions()
        allowed = self.consent.allowed()
        entries = {name: self._entry(one, allowed) for name, one in found.servers.items()}
        return Workspace(entries, found.problems)

    def _entry(self, server: ToolServer, allowed: Mapping[str, str]) -> ToolServerEntry:
        if server.fault:
            return ToolServerEntry(server, None, "failed", f"{server.origin}: {server.fault}")
        if server.is_ours:
            return ToolServerEntry(server, None, "disabled", "it is Understudy itself")
        if server.is_off:
            return ToolServerEntry(server, None, "disabled", f"{server.origin} has it switched off")
        if not self._trusted():
            hint = f"the folder is not trusted: {HOW_TO_TRUST}"
            return ToolServerEntry(server, None, "needs-trust", hint)
        if server.name not in allowed:
            return ToolServerEntry(server, None, "disabled", f"it is not allowed yet; {_ALLOW}")
        if allowed[server.name] != server.digest:
            hint = f"its definition has changed since it was allowed; {_ALLOW}"
            return ToolServerEntry(server, None, "disabled", hint)
        log = self._layout.log(f"mcp-{server.name}-{server.digest[:6]}")
        try:
            filled = fill(server, self._root.path, self._environ, log, _text)
        except NeedsInput as wanting:
            return ToolServerEntry(server, None, "needs-input", str(wanting))
        except (ValueError, OSError) as error:
            return ToolServerEntry(server, None, "failed", f"{server.origin}: {error}")
        return ToolServerEntry(server, filled)


def _mark(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _text(file: Path) -> str:
    return file.read_text("utf-8")
