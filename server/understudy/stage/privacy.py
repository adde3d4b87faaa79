"""What a stage hides of the user's machine: secrets, agents' sockets, tell-tale variables."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_SECRETS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".docker", ".kube", ".netrc", ".pypirc"),
    *(".git-credentials", ".config/git/credentials", ".config/gcloud", ".config/gh"),
    *(".config/op", ".config/hub", ".config/containers", ".config/google-chrome"),
    *(".config/chromium", ".mozilla", ".password-store", ".local/share/keyrings"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"),
    *(".terraform.d/credentials.tfrc.json", ".vault-token", ".npmrc", ".yarnrc", ".pgpass"),
    *(".bash_history", ".zsh_history", ".python_history"),
)
"""Below each home folder; those that are not there cost nothing."""

_PRIVATE = (("/tmp", 0o1777, False), ("/var/tmp", 0o1777, False), ("/run", 0o755, True))  # noqa: S108
"""Folders that a stage has for itself, with their mode, and whether links in them are kept."""

_SECRET_VARIABLE = re.compile(
    r"(TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)(_|$)"
    r"|^(AWS|AZURE|GOOGLE|GCLOUD|GH|GITHUB|GITLAB|SSH|GPG|DOCKER|KUBE|VAULT|VSCODE|DBUS)_"
    r"|^(KUBECONFIG|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|SESSION_MANAGER|GIT_ASKPASS|NETRC)$"
    r"|^(XDG_RUNTIME_DIR|XDG_SESSION_\w+|INVOCATION_ID|NOTIFY_SOCKET|LISTEN_\w+|TMUX\w*|STY)$"
    r"|^(TMPDIR|TMP|TEMP|OLDPWD|_|CI_JOB_\w+|DATABASE_URL|PGPASSFILE)$",
    re.IGNORECASE,
)


def private_folders() -> list[tuple[str, int, bool]]:
    """Folders that are replaced by new, empty ones that can be written."""
    found = {os.path.realpath(path): (mode, links) for path, mode, links in _PRIVATE}
    return [(path, *how) for path, how in sorted(found.items()) if os.path.isdir(path)]


def hidden_ones(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those paths that a stage would not show, because a folder above is private."""
    private = [Path(path) for path, _, _ in private_folders()]
    reals = {Path(os.path.realpath(path)) for path in paths}
    return tuple(
        sorted(path for path in reals if any(path.is_relative_to(folder) for folder in private))
    )


def hidden_tools(root: Path, environ: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Our own interpreter and the programs on PATH, where a private folder would hide them.

    A virtual environment or another prefix is shown whole: its programs read what lies beside them.
    """
    places = [Path(sys.prefix), *map(Path, filter(None, os.get_exec_path(environ)))]
    prefixes = [place.parent for place in places if place.name == "bin" and _is_prefix(place)]
    shown = hidden_ones(place for place in (*places, *prefixes) if os.path.isdir(place))
    return tuple(
        path for path in shown if not (path.is_relative_to(root) or root.is_relative_to(path))
    )


def _is_prefix(programs: Path) -> bool:
    return any(os.path.exists(programs.parent / beside) for beside in ("pyvenv.cfg", "lib"))


def masks(root: Path) -> list[str]:
    """Secrets to hide, by real path; never the root itself or a folder above it."""
    found: set[Path] = set()
    for home in _homes():
        for name in _SECRETS:
            path = home / name
            if os.path.lexists(path):
                found.add(Path(os.path.realpath(path)))
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        found.add(Path(os.path.realpath(runtime)))
    return sorted(str(path) for path in found if not root.is_relative_to(path))


def default_homes(environ: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """The home folder, and where else tools keep what they would download or build again."""
    variables = os.environ if environ is None else environ
    found = {Path.home()}
    for name in ("XDG_CACHE_HOME", "CARGO_HOME", "GOCACHE", "GOMODCACHE", "npm_config_cache"):
        if variables.get(name):
            found.add(Path(variables[name]))
    private = [Path(path) for path, _, _ in private_folders()]
    reals = {
        real
        for real in (Path(os.path.realpath(path)) for path in found)
        if real.is_dir() and not any(path.is_relative_to(real) for path in private)
    }
    return tuple(sorted(path for path in reals if not reals.intersection(path.parents)))


def _homes() -> list[Path]:
    """The user's home folder; everybody's for root, who may read them all."""
    found = {Path.home()}
    if hasattr(os, "getuid"):
        import pwd  # noqa: PLC0415 - not on Windows

        with suppress(KeyError):  # a number without a name
            found.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
        if os.getuid() == 0 and os.path.isdir("/home"):
            found |= {Path("/home", name) for name in os.listdir("/home")}
    return sorted(home for home in found if home.is_absolute() and home != Path("/"))


def scrubbed(environ: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The environment without secrets and without ways to outside; `changes` are put over it."""
    kept = {name: value for name, value in environ.items() if not _SECRET_VARIABLE.search(name)}
    merged: dict[str, str | None] = {**kept, **changes}
    return {name: value for name, value in merged.items() if value is not None}
