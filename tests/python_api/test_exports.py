"""What every request takes, exported for clients in other languages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.support.servers import node
from tools import request_types
from understudy.faces.lsp.table import REQUESTS
from understudy.values.version import WIRE

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import type { Requests } from "./requests";
const edit: Requests["understudy/branch/edit"] = { branch: "b1", edits: [{ kind: "delete" }] };
const check: Requests["understudy/branch/check"] = { scope: "affected", timeout: 5, before: null };
const tool: Requests["understudy_lint"] = { diff: "..." };
// @ts-expect-error a branch is needed
const missing: Requests["understudy/branch/edit"] = { edits: [] };
// @ts-expect-error there is no such scope
const wrong: Requests["understudy/branch/check"] = { scope: "all" };
export { check, edit, missing, tool, wrong };
"""


def test_the_files_are_made_from_the_code() -> None:
    assert request_types.main([]) == 0


def test_the_schema_takes_what_is_right_and_nothing_else() -> None:
    # Loading it takes seconds, which every test process would spend before its first test.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    document = json.loads((ROOT / "docs/reference/requests.schema.json").read_text())
    assert document["wire"] == WIRE
    assert {request.method for request in REQUESTS} <= document["$defs"].keys()
    for schema in document["$defs"].values():
        Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(document["$defs"]["understudy/branch/check"])
    assert check.is_valid({"branch": "b1", "scope": "edited", "servers": ["ruff"]})
    assert not check.is_valid({"branch": "b1", "scope": "all"})
    assert not check.is_valid({"branch": "b1", "unknown": 1})


def test_the_types_are_understood(tmp_path: Path) -> None:
    (tmp_path / "requests.d.ts").write_text(request_types.types_text())
    (tmp_path / "program.ts").write_text(PROGRAM)
    tsc = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        [node(), tsc, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "program.ts"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
