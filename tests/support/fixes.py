"""Edits with mistakes that servers can mend, by language, and how they are mended."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.javascript_project import eslint_library
from tests.support.sample import NOUNS
from tests.support.servers import environment, npm_packages
from understudy.app.check.asked import CheckQuestion
from understudy.app.check.fixes.asked import mended_answer
from understudy.disk.layout import Layout
from understudy.values.paths import Root
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions, FixWish
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Mistake:
    """A file as an edit writes it, and as it is to be once it is mended.

    `servers` are the only ones that are asked (none: all).
    """

    language: str
    kind: str
    path: str
    written: str
    mended: str
    servers: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.language}-{self.kind}"


_TSCONFIG = (
    '{"compilerOptions": {"strict": true, "target": "es2022", "module": "esnext", '
    '"moduleResolution": "bundler", "noUnusedLocals": true, "noEmit": true}}\n'
)
_SCRIPT = (
    "export function helper(x) {\n  return x;\n}\n\nexport async function load() {\n"
    "  return { id: 1 };\n}\n"
)
_ESLINT = """\
export default [
  {
    files: ["**/*.js"],
    languageOptions: { globals: { console: "readonly" } },
    rules: {
      "no-undef": "error", "no-unused-vars": "error", "prefer-const": "error",
      "no-extra-boolean-cast": "error", "no-var": "error",
    },
  },
];
"""


def files_of(language: str) -> Mapping[str, str]:
    """The project that mistakes of a language are written into."""
    return {
        "python": {
            "shop.py": "def helper(x: int) -> int:\n    return x\n",
            "pyproject.toml": '[tool.ruff.lint]\nselect = ["E", "F", "UP"]\n',
        },
        "typescript": {"shop.ts": _TYPED, "tsconfig.json": _TSCONFIG},
        "javascript": {
            "shop.js": _SCRIPT,
            "eslint.config.js": _ESLINT,
            "package.json": '{"name": "shop", "private": true, "type": "module"}\n',
            **(eslint_library() if language == "javascript" else {}),
        },
        "go": {
            "go.mod": "module example.com/shop\n\ngo 1.21\n",
            "shop.go": "package shop\n\nfunc Helper(x int) int {\n\treturn x\n}\n",
        },
        "c": {
            "compile_flags.txt": "-Wall\n",
            "shop.h": "#pragma once\nstruct thing { int n; };\nint helper(int x);\n",
        },
    }[language]


_TYPED = (
    "export function helper(x: number): number {\n  return x;\n}\n\n"
    "export async function load(): Promise<{ id: number }> {\n  return { id: 1 };\n}\n"
)


MISTAKES: Sequence[Mistake] = (
    Mistake(
        "python", "unused import", "new.py",
        "import os\n\nfrom shop import helper\n\nprint(helper(1))\n",
        "from shop import helper\n\nprint(helper(1))\n",
    ),
    Mistake(
        "python", "all imports unused", "new.py",
        '"""Doc."""\n\nimport os\n\n\ndef one() -> int:\n    import json\n\n    return 1\n',
        '"""Doc."""\n\n\ndef one() -> int:\n    return 1\n',
    ),
    Mistake(
        "python", "missing import", "new.py",
        "from shop import helper\n\nprint(helper(1), pathlib.Path())\n",
        "import pathlib\n\nfrom shop import helper\n\nprint(helper(1), pathlib.Path())\n",
    ),
    Mistake(
        "python", "cast", "new.py",
        "from typing import cast\n\n\ndef first(x: int) -> int:\n    return cast(int, x)\n",
        "def first(x: int) -> int:\n    return x\n",
    ),
    Mistake(
        "python", "f-string", "new.py",
        'def show() -> None:\n    print(f"shop")\n', 'def show() -> None:\n    print("shop")\n',
    ),
    Mistake(
        "typescript", "unused import", "new.ts",
        'import { helper, load } from "./shop";\n\nexport const one = helper(1);\n',
        'import { helper } from "./shop";\n\nexport const one = helper(1);\n',
    ),
    Mistake(
        "typescript", "missing import", "new.ts",
        'import { load } from "./shop";\n\nexport const all = [load, helper(1)];\n',
        'import { helper, load } from "./shop";\n\nexport const all = [load, helper(1)];\n',
    ),
    Mistake(
        "typescript", "await", "new.ts",
        'import { load } from "./shop";\n\nexport async function id(): Promise<number> {\n'
        "  const loaded = load();\n  return loaded.id;\n}\n",
        'import { load } from "./shop";\n\nexport async function id(): Promise<number> {\n'
        "  const loaded = load();\n  return (await loaded).id;\n}\n",
    ),
    Mistake(
        "typescript", "await in a function that is not async", "new.ts",
        'import { load } from "./shop";\n\nexport function id() {\n  return await load();\n}\n',
        'import { load } from "./shop";\n\nexport async function id() {\n'
        '  return await load();\n}\n',
    ),
    Mistake(
        "typescript", "spelling", "new.ts",
        'import { helper } from "./shop";\n\n'
        'const total = helper(1);\nexport const two = totl + 1;\n',
        'import { helper } from "./shop";\n\n'
        'const total = helper(1);\nexport const two = total + 1;\n',
    ),
    Mistake(
        "javascript", "unused import", "new.js",
        'import { helper, load } from "./shop.js";\n\nexport const one = helper(1);\n',
        'import { helper } from "./shop.js";\n\nexport const one = helper(1);\n',
    ),
    Mistake(
        "javascript", "const", "new.js",
        "let one = 1;\nexport function first() {\n  return one;\n}\n",
        "const one = 1;\nexport function first() {\n  return one;\n}\n",
    ),
    Mistake(
        "javascript", "cast", "new.js",
        "export function first(x) {\n  return !!x ? 1 : 2;\n}\n",
        "export function first(x) {\n  return x ? 1 : 2;\n}\n",
    ),
    Mistake(
        "go", "unused import", "new.go",
        'package shop\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n'
        'func Show() {\n\tfmt.Println(Helper(1))\n}\n',
        'package shop\n\nimport (\n\t"fmt"\n)\n\nfunc Show() {\n\tfmt.Println(Helper(1))\n}\n',
    ),
    Mistake(
        "go", "missing import", "new.go",
        "package shop\n\nfunc Show() {\n\tfmt.Println(Helper(1))\n}\n",
        'package shop\n\nimport "fmt"\n\nfunc Show() {\n\tfmt.Println(Helper(1))\n}\n',
    ),
    Mistake(
        "c", "unused include", "new.c",
        '#include "shop.h"\n#include <stdlib.h>\n\nint first(void) {\n    return helper(1);\n}\n',
        '#include "shop.h"\n\nint first(void) {\n    return helper(1);\n}\n',
    ),
    Mistake(
        "c", "missing include", "new.c",
        '#include "shop.h"\n\nvoid first(void) {\n    printf("%d", helper(1));\n}\n',
        '#include "shop.h"\n#include <stdio.h>\n\n'
        'void first(void) {\n    printf("%d", helper(1));\n}\n',
    ),
    Mistake(
        "c", "spelling", "new.c",
        '#include "shop.h"\n\nint first(void) {\n    return hepler(1);\n}\n',
        '#include "shop.h"\n\nint first(void) {\n    return helper(1);\n}\n',
    ),
)  # fmt: skip


_LOCAL = ("first", "Show", "show", "total", "loaded", "two", "one", "all", "id")
_FILLERS = {
    "python": "\n\ndef @(count: int) -> int:\n    return count + 1\n",
    "typescript": "\nexport function @(count: number): number {\n  return count + 1;\n}\n",
    "javascript": "\nexport function @(count) {\n  return count + 1;\n}\n",
    "go": "\nfunc @(count int) int {\n\treturn count + 1\n}\n",
    "c": "\nint @(int count) {\n    return count + 1;\n}\n",
}


def generated(language: str, count: int, seed: int) -> Iterator[Mistake]:
    """Mistakes of a language with other names, among other code; equal seeds give equal ones."""
    draw = random.Random(f"{language} {seed}")
    templates = [one for one in MISTAKES if one.language == language]
    for number in range(count):
        template = templates[number % len(templates)]
        nouns = draw.sample([f"{one}{other.capitalize()}" for one in NOUNS for other in NOUNS], 12)
        names: dict[str, str] = dict(zip(_LOCAL, nouns, strict=False))
        names["Show"] = names["Show"][0].upper() + names["Show"][1:]
        names["totl"] = names["total"][:-1] + names["total"][-1] * 2
        fillers = nouns[len(_LOCAL) :][: draw.randrange(4)]
        rest = "".join(_FILLERS[language].replace("@", f"{noun}Count") for noun in fillers)
        yield replace(
            template,
            written=_renamed(template.written, names) + rest,
            mended=_renamed(template.mended, names) + rest,
        )


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"(?<![\w.])[A-Za-z]+\b", lambda word: names.get(word[0], word[0]), text)


@asynccontextmanager
async def real_session(tmp_path: Path, language: str) -> AsyncIterator[Session]:
    """A session over a new project of a language, with all servers of the tests."""
    for path, text in files_of(language).items():
        place = tmp_path / "project" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    layout = Layout(tmp_path / "state").create()
    root = Root.open(tmp_path / "project")
    beside = (str(npm_packages("eslint")),) if language == "javascript" else ()
    settings = Settings(stage_home=beside)  # the project's ESLint lies where it is installed
    session = Session(root, settings, layout, trusted=True, environ=environment())
    try:
        yield session
    finally:
        await session.close()


async def mend(session: Session, mistake: Mistake, wish: FixWish | None = None) -> Checked:
    """Write the mistake as an edit, mended."""
    edits = [{"kind": "write", "path": mistake.path, "text": mistake.written}]
    options = CheckOptions(timeout_s=TIMEOUT_S, servers=mistake.servers)
    question = CheckQuestion(edits=edits, options=options)
    found = await mended_answer(session, question, wish or FixWish(), session.bases.own)
    return found.checked


def text_after(checked: Checked, path: str) -> str:
    """What a file is in the end."""
    text = checked.after.read(path)
    return "" if text is None else text.content
