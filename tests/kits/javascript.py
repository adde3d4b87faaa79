"""JavaScript: ESLint with the configuration of the project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support import file_edits_data, javascript_project
from tests.support.edits import KINDS_ALONE
from tests.support.kit import Oracle, Pairing, Sample
from tests.support.oracle import Found, output


def _eslint(folder: Path) -> Iterator[Found]:
    items: list[dict[str, Any]] = json.loads(output(folder, "eslint", "-f", "json", "."))
    for item in items:
        path = Path(item["filePath"]).resolve().relative_to(folder).as_posix()
        for one in item["messages"]:
            severity = "error" if one["severity"] == 2 else "warning"
            yield Found(path, one["line"] - 1, one["ruleId"], severity)


_SAMPLE = Sample(
    "javascript",
    javascript_project.make,
    file_edits_data.javascript_scenarios,
    lambda text, marker: f"{text}\n{marker}();\n",
)
PAIRINGS = (Pairing("eslint", Oracle("eslint", _eslint, 10), _SAMPLE, KINDS_ALONE),)
