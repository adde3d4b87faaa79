"""Writes the rules for secrets that we take from gitleaks, as data, with its licence.

    python -m tools.secret_rules          write them anew from the pinned package
    python -m tools.secret_rules --latest  pin the newest package first

They come from a package of the registry that carries gitleaks' own configuration file. What does
not fit the text of a terminal is left out by name, and its ends of words are widened: a token in a
URL or in brackets ends there, too.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "server" / "understudy" / "terminal" / "gitleaks.json"
PACKAGE = "secretscreen"
_CONFIGURATION = f"{PACKAGE}/gitleaks.toml"
_DEADLINE_S = 120

_LEFT_OUT = {
    "curl-auth-header": "headers have a rule of ours, whatever program they stand beside",
    "facebook-access-token": "of ids and versions alike; the name tells it",
    "freemius-secret-key": "of PHP sources",
    "generic-api-key": "hits one line of ten of an ordinary log; names have a rule of ours",
    "hashicorp-tf-password": "names have a rule of ours",
    "kubernetes-secret-yaml": "spans lines; names have a rule of ours",
    "nuget-config-password": "names have a rule of ours",
    "pkcs12-file": "of files",
    "private-key": "spans lines: key_blocks.py",
    "sourcegraph-access-token": "takes any commit's hash beside the word; ours knows its prefix",
}
_END = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
_ANY_END = r"(?:[^\w-]|$)"
_START = r"\b("
_ANY_START = r"(?:\b|\\[nrt])("
_BY_NAME = r"[\w.-]{0,50}?"

_GATES = {
    "1password-secret-key": "A3-[A-Z0-9]{6}-",
    "authress-service-client-access-key": r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.",
    "azure-ad-client-secret": r"\dQ~",
    "gocardless-api-token": "(?i:gocardless)",
    "harness-api-key": r"(?:pat|sat)\.[\w-]{22}\.",
    "jwt": r"ey[A-Za-z0-9]{17,}\.ey",
    "lob-api-key": "(?:live|test)_[a-f0-9]{35}",
    "lob-pub-api-key": "(?:live|test)_pub_",
    "octopus-deploy-api-key": "API-[A-Z0-9]{26}",
    "sendgrid-api-token": r"SG\.",
    "square-access-token": "EAAA|sq0atp-",
    "sumologic-access-id": "(?:[Ss]umo|SUMO)",
    "sumologic-access-token": "(?:[Ss]umo|SUMO)",
    "twilio-api-key": "SK[0-9a-fA-F]{32}",
    "vault-service-token": r"hvs\.|s\.[A-Za-z0-9]{24}",
}
"""For rules whose words stand in any text: what must be in a line before they are tried on it."""


def write(configuration: str, source: str) -> None:
    """Write our file from the text of gitleaks' configuration."""
    rules = list(_rules(tomllib.loads(configuration)["rules"]))
    content = {
        "source": source, "licence": "MIT, see gitleaks.LICENSE", "left_out": _LEFT_OUT,
        "rules": rules,
    }  # fmt: skip
    RULES.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"{RULES.relative_to(ROOT)}: {len(rules)} rules of {source}\n")


def _rules(found: list[dict[str, Any]]) -> Iterator[dict[str, object]]:
    unknown = (_LEFT_OUT.keys() | _GATES.keys()) - {rule["id"] for rule in found}
    if unknown:
        sys.exit(f"gitleaks has no such rules any more: {', '.join(sorted(unknown))}")
    for rule in found:
        name = rule["id"]
        if name in _LEFT_OUT:
            continue
        pattern = rule["regex"].replace(_END, _ANY_END)
        if pattern.startswith(_START):
            pattern = _ANY_START + pattern.removeprefix(_START)
        words = sorted({word.lower() for word in rule["keywords"]})
        gate = _GATES.get(name, "(?i:" + "|".join(map(re.escape, words)) + ")")
        yield {
            "name": name, "pattern": pattern, "words": words, "gate": gate,
            "by_name": _BY_NAME in pattern, "group": rule.get("secretGroup", 1),
        }  # fmt: skip


def _download(folder: str, requirement: str) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
    command += ["--python-version", "3.13", "-d", folder, requirement]
    subprocess.run(command, check=True, timeout=_DEADLINE_S)
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


def main() -> None:
    """Fetch the package and write the rules."""
    pinned = json.loads(RULES.read_text("utf-8"))["source"].split()[-1] if RULES.exists() else ""
    if sys.argv[1:] not in ([], ["--latest"]):
        sys.exit("usage: secret_rules.py [--latest]")
    is_pinned = bool(pinned) and not sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        wheel = _download(folder, f"{PACKAGE}=={pinned}" if is_pinned else PACKAGE)
        with zipfile.ZipFile(wheel) as archive:
            configuration = archive.read(_CONFIGURATION).decode("utf-8")
        version = wheel.name.split("-")[1]
        write(configuration, f"gitleaks' default configuration, as in {PACKAGE} {version}")


if __name__ == "__main__":
    main()
