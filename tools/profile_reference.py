"""Writes the reference page of profiles, docs/reference/profiles.md, from their one definition.

python -m tools.profile_reference           print the page
python -m tools.profile_reference --write   write it
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.reference_fields import fields_table
from understudy.checkers.model import Patterns
from understudy.checkers.profile import Checker
from understudy.findings.hiding_rule import HidingRule
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.profile import Profile
from understudy.values.packed_server import PackedServer

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "profiles.md"

_HEAD = """\
<!-- Made by `python -m tools.profile_reference --write`; do not edit. -->

# Profiles

A profile says what Understudy knows about one language server or checking command.
Ours are `server/understudy/langserver/catalogue.toml`.
`[servers.NAME]` in your settings adds one, or replaces keys of ours.
Of ours, `settings` and `initialization_options` are put together with yours, table by table.
It names a program, so in a folder's own files it counts only where the folder is trusted.

```toml
[servers.zuban]
group = "types"
command = ["zuban", "server"]
files = { "*.py" = "python" }
rule = "pull"
scope = "project"
packages = ["pip zuban"]
```

A mistake is the error `bad-setting`, with its place (`servers.zuban.comand`) and what is wrong.
Where a key is not known, it names the nearest that there is.
"""

_PARTS: tuple[tuple[str, str, type], ...] = (
    ("Keys", "The keys without a default are required.", Profile),
    (
        "`editor` and `bundled`",
        "Where a server lies in what an editor brings: either `main` or `program`.",
        PackedServer,
    ),
    (
        "`hides`",
        (
            "One row of what keeps it from saying what it would say otherwise: a new finding, or "
            "a line that the edit adds. What is gone behind one is `hidden`, not `fixed`. "
            "`hides = []` says that nothing does."
        ),
        HidingRule,
    ),
    (
        "`checker`",
        (
            'What a checking command (`rule = "command"`) proves. In its `command`, `{files}` '
            "stands for the files to be judged and `{python}` for the project's interpreter."
        ),
        Checker,
    ),
    ("`checker.patterns`", "Regular expressions of Python, for each line as a whole.", Patterns),
)


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_shipped(Catalogue.load().profiles), *_keys()])


def _shipped(profiles: Iterable[Profile]) -> Iterator[str]:
    yield "## What we ship\n"
    yield (
        "Of each group, the first that is installed judges a file. Where a group of a file has "
        "optional ones alone and none is installed, nothing is said of it.\n"
    )
    yield "| name | group | files | rule | scope | install |\n|---|---|---|---|---|---|"
    for profile in profiles:
        files = " ".join(f"`{glob}`" for glob in profile.files)
        group = f"{profile.group} (optional)" if profile.optional else profile.group
        install = f"`{profile.how_to_install}`"
        cells = (f"`{profile.name}`", group, files, f"`{profile.rule}`", profile.scope, install)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _keys() -> Iterator[str]:
    for title, text, kind in _PARTS:
        yield f"## {title}\n\n{text}\n\n{fields_table(kind, without=('name',))}"


def main(arguments: list[str]) -> int:
    """Print or write the page; returns the exit code."""
    if arguments == ["--write"]:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
    elif not arguments:
        sys.stdout.write(page())
    else:
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
