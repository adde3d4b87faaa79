"""The hosts that a command may reach: a name, an address or a pattern, and a port."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

HTTPS = 443
"""The port of a host that is named without one."""
MOST_HOSTS = 200

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?")
_MOST_NAME = 253


@dataclass(frozen=True, slots=True, order=True)
class ListedHost:
    """One entry of a list of hosts. `name` is in lower case; a pattern begins with `*.`."""

    name: str
    port: int = HTTPS

    @property
    def is_pattern(self) -> bool:
        """Whether it stands for all names below one."""
        return self.name.startswith("*.")

    @property
    def address(self) -> str | None:
        """The address that it is; None for a name."""
        try:
            return str(ipaddress.ip_address(self.name))
        except ValueError:
            return None

    @property
    def may_be_here(self) -> bool:
        """Whether it may lead to this machine: who wrote an address, or `localhost`, meant that.

        Where any other name leads is decided by whoever answers for it.
        """
        return self.address is not None or self.name == "localhost"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port == HTTPS else f"{name}:{self.port}"


@frozen
class HostList:
    """The hosts that may be reached; everything else may not."""

    hosts: tuple[ListedHost, ...] = ()

    def allows(self, name: str, port: int) -> bool:
        """Whether a connection to this name (or address) and port is on the list."""
        name = name.lower().rstrip(".")
        if (name, port) in self._exact:
            return True
        above = name
        while "." in above:
            above = above.partition(".")[2]
            if (f"*.{above}", port) in self._exact:
                return True
        return False

    def knows(self, name: str) -> bool:
        """Whether any port of a name is on the list."""
        return any(self.allows(name, port) for _, port in self._exact)

    @property
    def exact(self) -> tuple[ListedHost, ...]:
        """Those that are no patterns."""
        return tuple(host for host in self.hosts if not host.is_pattern)

    @property
    def patterns(self) -> tuple[ListedHost, ...]:
        """Those that stand for many names."""
        return tuple(host for host in self.hosts if host.is_pattern)

    @cached_property
    def _exact(self) -> frozenset[tuple[str, int]]:
        return frozenset((host.name, host.port) for host in self.hosts)


def parse_hosts(texts: Iterable[str], where: str) -> HostList:
    """The list that these entries make, each `HOST`, `HOST:PORT` or several with commas between.

    Raises BadInput `bad-host` for what is none, or for more than `MOST_HOSTS`.
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    hosts = tuple(dict.fromkeys(_host(part, where) for part in parts))
    if len(hosts) > MOST_HOSTS:
        raise BadInput("bad-host", f"at most {MOST_HOSTS} hosts can be named", where)
    return HostList(hosts)


def _host(text: str, where: str) -> ListedHost:
    name, port = _split(text, where)
    if name in ("none", "host"):
        raise BadInput("bad-host", f"{name!r} stands alone: it is no host of a list", where)
    bare = name.removeprefix("*.")
    address = ListedHost(name).address
    if address is not None:
        found = ipaddress.ip_address(address)
        if found.is_unspecified or found.is_multicast:
            raise BadInput("bad-host", f"{text!r} is the address of no one host", where)
        return ListedHost(address, port)
    if len(bare) > _MOST_NAME or not _NAME.fullmatch(bare):
        text = f"{text!r} is no host: it takes a name, an address, or a pattern as *.example.org"
        raise BadInput("bad-host", text, where)
    if name != bare and "." not in bare.rstrip("."):
        raise BadInput("bad-host", f"{text!r} stands for a whole top of all names", where)
    return ListedHost(name.rstrip("."), port)


def _split(text: str, where: str) -> tuple[str, int]:
    """The name in lower case, and the port."""
    lowered = text.lower()
    if lowered.startswith("["):
        name, closed, rest = lowered[1:].partition("]")
        port = rest.removeprefix(":") if rest else ""
        is_odd = not closed or (rest != "" and not rest.startswith(":")) or rest == ":"
    elif lowered.count(":") > 1:  # an address of version 6 as it is
        name, port, is_odd = lowered, "", False
    else:
        name, colon, port = lowered.partition(":")
        is_odd = colon != "" and port == ""
    if is_odd or (port and not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16)):
        raise BadInput("bad-host", f"{text!r} has no port from 1 to 65535", where)
    return name, int(port) if port else HTTPS
