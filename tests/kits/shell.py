"""Shell scripts: bash-language-server, which runs ShellCheck."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support import data_projects, file_edits_data
from tests.support.edits import KINDS_ALONE
from tests.support.kit import Kit, Oracle, Pairing, Sample
from tests.support.oracle import Found, output


def _shellcheck(folder: Path) -> Iterator[Found]:
    scripts = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.sh"))
    severities = {"info": "information", "style": "hint"}
    items: list[dict[str, Any]] = json.loads(output(folder, "shellcheck", "-f", "json", *scripts))
    for item in items:
        severity = severities.get(item["level"], item["level"])
        yield Found(item["file"], item["line"] - 1, f"SC{item['code']}", severity)


_SAMPLE = Sample(
    "shell",
    data_projects.make_shell,
    file_edits_data.shell_scenarios,
    lambda text, marker: f'{text}\necho "${marker}"\n',
)
PAIRINGS = (
    Pairing("bash-language-server", Oracle("shellcheck", _shellcheck, 40), _SAMPLE, KINDS_ALONE),
)
KITS = (
    Kit(
        name="bash-language-server",
        path="app.sh",
        files={"app.sh": '#!/bin/bash\necho "hello"\n'},
        marked=lambda m: f'#!/bin/bash\necho "é😀" "${m}"\n',
        broken='#!/bin/bash\nif true; then\necho "hello"\n',
    ),
)
