"""Proves the catalogue's servers that are installed here, and keeps the proofs with the package.

    python -m tools.proofs [NAME ...]    prove them, and write proofs.json and the page

The servers of the tests are found by UNDERSTUDY_TEST_SERVERS. One that is not proven keeps its old
proof, and the exit code is 1.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from understudy.app.servers.listing import ServersHere
from understudy.app.servers.prove import prove_entry
from understudy.disk.layout import ephemeral_layout
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.proven.profile_proof import (
    ProfileProof,
    digest_of,
    parse_proofs,
    proofs_text,
    with_proof,
)

ROOT = Path(__file__).resolve().parent.parent
PROOFS = ROOT / "server" / "understudy" / "langserver" / "proven" / "proofs.json"
PAGE = ROOT / "docs" / "reference" / "proofs.md"
_HEAD = """\
# Proofs of the catalogue

What `understudy servers prove` has asked of our own profiles, and nothing was wrong.
A proof counts for all versions of the same minor number.
[What is asked](../how-to/own-language-server.md#what-is-asked) is the same for a server of yours.
This page is made by `python -m tools.proofs`.

| server | version | rule | scope | questions | without an answer | kit |
|---|---|---|---|---|---|---|
"""


def page(proofs: tuple[ProfileProof, ...]) -> str:
    """The page, a row a proof."""
    rows = (
        f"| {one.server} | {one.version} | `{one.rule}` | `{one.scope}` | {one.asked} "
        f"| {one.unknown} | {one.kit} |\n"
        for one in sorted(proofs, key=lambda one: (one.server, one.version))
    )
    return _HEAD + "".join(rows)


def main(names: list[str]) -> int:
    """Prove them one after the other."""
    pinned = os.environ.get("UNDERSTUDY_TEST_SERVERS", "")
    os.environ["PATH"] = os.pathsep.join(filter(None, (pinned, os.environ.get("PATH", ""))))
    known = {str(one.name): digest_of(one) for one in Catalogue.load().profiles}
    proofs = parse_proofs(PROOFS.read_bytes(), str(PROOFS))
    proofs = tuple(one for one in proofs if known.get(one.server) == one.digest)
    failed: list[str] = []
    with ephemeral_layout() as layout:
        here = ServersHere.of(layout.folder, trust=True)
        for entry in here.entries():
            name = entry.choice.name
            if (names and name not in names) or entry.choice.is_command or not entry.version:
                continue
            found = asyncio.run(prove_entry(here, entry))
            if found.proof is None:
                failed.append(f"{name}: {found.why or found.tried[-1].refuted}")
                continue
            sys.stdout.write(f"{name} {found.version}: {found.seconds:.1f} s\n")
            proofs = with_proof(proofs, found.proof)
    PROOFS.write_text(proofs_text(proofs), encoding="ascii")
    PAGE.write_text(page(proofs), encoding="utf-8")
    sys.stderr.writelines(f"{one}\n" for one in failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
