"""A file that links give several paths is one: its edit reaches who takes it by any of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.support.kits import COMMANDS, PAIRINGS

pytestmark = pytest.mark.real

PYTHON = {
    "pyproject.toml": '[tool.basedpyright]\ntypeCheckingMode = "standard"\n',
    "src/shared/__init__.py": "",
    "src/shared/api.py": "def size(one: int) -> int:\n    return one\n",
    "src/shared/near.py": "from .api import size\n\nNEAR: int = size(1)\n",
    "src/settings.py": "LIMIT: int = 1\n",
    "main.py": "from lib.api import size\nfrom conf import LIMIT\n\nN: int = size(LIMIT)\n",
    "far.py": "import lib.near\n\nN: int = lib.near.NEAR\n",
    "deep/inner.py": "from deep.across.api import size\n\nN: int = size(1)\n",
}
ONCE = {**PYTHON, "deep/inner.py": "", "conf.py": "LIMIT: int = 1\n"}
PYTHON_LINKS = {"lib": "src/shared", "conf.py": "src/settings.py", "deep/across": "../lib"}
SCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "paths": {"@/*": ["./lib/*"]}}}',
    "src/shared/api.ts": "export function size(one: number): number {\n  return one\n}\n",
    "src/shared/near.ts": "import { size } from './api'\nexport const near: number = size(1)\n",
    "src/shared/placed.ts": "import { v } from '../values'\nexport const w: number = v\n",
    "src/values.ts": "export const v: number = 1\n",
    "values.ts": "export const v: number = 1\n",
    "src/settings.ts": "export const limit: number = 1\n",
    "main.ts": (
        "import { size } from './lib/api'\n"
        "import { limit } from './conf'\n"
        "export const n: number = size(limit)\n"
    ),
    "user.ts": "import { w } from './lib/placed'\nexport const u: number = w\n",
    "mapped.ts": "import { size } from '@/api'\nexport const m: number = size(1)\n",
}
SCRIPT_LINKS = {"lib": "src/shared", "conf.ts": "src/settings.ts"}
NATIVE = {
    "compile_flags.txt": "-Wall\n-Iinclude\n",
    "src/shared/api.h": "#pragma once\nint size(int one);\n",
    "src/limit.h": "#pragma once\n#define LIMIT 1\n",
    "main.c": (
        '#include "lib/api.h"\n#include "our_limit.h"\nint n(void) { return size(LIMIT); }\n'
    ),
    "angled.c": "#include <ours/api.h>\nint m(void) { return size(1); }\n",
}
NATIVE_LINKS = {"lib": "src/shared", "our_limit.h": "src/limit.h", "include/ours": "../lib"}


Texts = Mapping[str, "str | None"]


@dataclass(frozen=True)
class Case:
    """Files as an edit makes them (None: gone), and where the oracle must see it."""

    server: str
    texts: Texts
    seen_in: tuple[str, ...]
    files: Mapping[str, str]
    links: Mapping[str, str]


def python(texts: Texts, *seen_in: str, server: str = "basedpyright") -> Case:
    return Case(server, texts, seen_in, PYTHON, PYTHON_LINKS)


def script(texts: Texts, *seen_in: str, server: str = "typescript-language-server") -> Case:
    return Case(server, texts, seen_in, SCRIPT, SCRIPT_LINKS)


def native(texts: Texts, *seen_in: str) -> Case:
    return Case("clangd", texts, seen_in, NATIVE, NATIVE_LINKS)


PY_STR = "def size(one: str) -> int:\n    return len(one)\n"
PY_NEAR = "from .api import size\n\nNEAR: str = str(size)\n"
TS_STR = "export function size(one: string): number {\n  return one.length\n}\n"
TS_LIMIT = "export const limit: string = ''\n"
C_TWO = "#pragma once\nint size(int one, int two);\n"
CASES = [
    python({"src/shared/api.py": PY_STR}, "main.py", "deep/inner.py", "src/shared/near.py"),
    python({"lib/api.py": PY_STR}, "main.py", "deep/inner.py", "src/shared/near.py"),
    python({"src/settings.py": "LIMIT: str = ''\n", "lib/near.py": PY_NEAR}, "main.py", "far.py"),
    python({"conf.py": "LIMIT: str = ''\n", "src/shared/api.py": None}, "main.py", "deep/inner.py"),
    python({"src/shared/api.py": PY_STR}, "main.py", "deep/inner.py", server="ty"),
    Case("mypy", {"src/shared/api.py": PY_STR}, ("main.py",), ONCE, {"lib": "src/shared"}),
    script({"src/shared/api.ts": TS_STR}, "main.ts", "mapped.ts", "src/shared/near.ts"),
    script({"lib/api.ts": None, "src/settings.ts": TS_LIMIT}, "main.ts", "mapped.ts"),
    script({"src/shared/api.ts": TS_STR}, "main.ts", "mapped.ts", server="tsc"),
    script({"values.ts": "export const v: string = ''\n"}, "src/shared/placed.ts"),
    native({"src/shared/api.h": C_TWO}, "main.c", "angled.c"),
    native({"src/limit.h": '#pragma once\n#define LIMIT "a"\n'}, "main.c"),
]


def named(case: Case) -> str:
    return "-".join((case.server, *case.texts, *("gone" for t in case.texts.values() if t is None)))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_an_edit_reaches_who_takes_the_file_by_another_path(case: Case, tmp_path: Path):
    folder = make_folder(tmp_path / "project", case.files).resolve()
    for link, target in case.links.items():
        (folder / link).parent.mkdir(parents=True, exist_ok=True)
        (folder / link).symlink_to(target)
    edits = [edit_of(folder, path, text) for path, text in case.texts.items()]
    oracle = {**PAIRINGS, **COMMANDS}[case.server].oracle.find
    assert not [*oracle(folder)]
    state = make_folder(tmp_path / "state", {"edits.json": json.dumps(edits)})
    shell = Shell(folder, state)
    chosen = ("--server", case.server, "--trust", "--no-host")
    done = shell("check", "--edits", state / "edits.json", "--format", "json", *chosen)
    for path, text in case.texts.items():
        (folder / path).write_text(text) if text is not None else (folder / path).unlink()
    seen = real_paths(folder, (found.path for found in oracle(folder)))
    assert seen >= {*case.seen_in}
    errors = (one["path"] for one in done.json["introduced"] if one["severity"] == "error")
    assert real_paths(folder, errors) == seen, done.out


def real_paths(folder: Path, paths: Iterable[str]) -> set[str]:
    return {(folder / path).resolve().relative_to(folder).as_posix() for path in paths}


def edit_of(folder: Path, path: str, text: str | None) -> dict[str, str]:
    if text is None:
        return {"kind": "delete", "path": path}
    return {"kind": "replace", "path": path, "old": (folder / path).read_text(), "new": text}
