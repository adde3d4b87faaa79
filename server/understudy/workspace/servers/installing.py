"""How a server comes onto this machine, and what of it `servers add` has brought."""

from __future__ import annotations

from understudy.disk.added_servers import AddedServer, read_added
from understudy.langserver.packages.names import key_of, of_ours
from understudy.langserver.profile import Profile


def added_for(profile: Profile) -> AddedServer | None:
    """What `servers add` has installed of a profile's packages."""
    ours = of_ours(profile.packages)
    return read_added(key_of(ours)) if ours else None


def ways_to_install(profile: Profile) -> str:
    """How a user gets a server."""
    extensions = dict.fromkeys(packed.extension for packed in profile.editor)
    foreign = [f"the editor extension {name}" for name in extensions if name[:7] != "vscode."]
    return " or ".join([profile.how_to_install, *foreign])
