"""Strict reading of skills is that of the reference validator, but for its known faults."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

from tests.support.servers import python_packages
from understudy.context.skill_file import BadSkill, read_skill

NAMES = (
    "a", "lint-first", "skill2", "2skill", "añadir", "Lint", "-lint", "lint-", "li--nt", "li nt",
    "li_nt", "li.nt", "a" * 64, "a" * 65, "ﬁx", "x\u0301y",
)  # fmt: skip
DESCRIPTIONS = (
    "Lint before you apply.", "x" * 1024, "x" * 1025, '""', '"quoted: yes"', "with: colon",
    "[a, b]", "5", ">\n  folded\n  text", "|\n  kept\n  text", "null", "*alias", "&anchor text",
    "'single'", "#comment", "ends # here", "{a: b}", "!!str tagged", "@at", "`tick`",
)  # fmt: skip
MORE = (
    "", "license: MIT\n", "compatibility: any\n", f"compatibility: {'x' * 501}\n",
    "metadata:\n  author: me\n", "metadata:\n  a:\n    b: c\n", "metadata: text\n",
    "metadata: {a: 1}\n", "allowed-tools: Read Bash(git:*)\n", "unknown: 1\n",
    "name: again\n", "license: [MIT]\n", "\tlicense: MIT\n", "metadata:\n",
)  # fmt: skip
DASHES = "name: lint-first\ndescription: has --- dashes inside\n"
"""A known fault: to the reference any three dashes end the head."""

OVERLOOKED = re.compile(r"metadata is no table of texts|description is missing or no text")
"""The specification forbids it; the reference does not look, as every value is a text to it."""


def cases() -> list[tuple[str, str]]:
    found = [(name, f"name: {name}\ndescription: fine\n") for name in NAMES]
    found += [("other", "name: lint-first\ndescription: fine\n"), ("x", "description: fine\n")]
    found += [
        ("lint-first", f"name: lint-first\ndescription: {description}\n{more}")
        for description, more in product(DESCRIPTIONS, MORE)
    ]
    return [(folder, f"---\n{head}---\nBody.\n") for folder, head in found]


def oracle(folder: Path, asked: list[tuple[str, str]]) -> list[list[str]]:
    program = Path(__file__).parent.parent / "support" / "skills_oracle.py"
    done = subprocess.run(
        [sys.executable, str(program), str(python_packages("skills-ref")), str(folder)],
        input=json.dumps(asked), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def ours(folder: str, text: str) -> str:
    try:
        read_skill(text, folder, strict=True)
    except BadSkill as error:
        return str(error)
    return ""


def test_strict_reading_is_the_reference_validators(tmp_path: Path) -> None:
    asked = cases()
    answers = oracle(tmp_path, asked)
    assert sum(not answer for answer in answers) > 40
    for (folder, text), answer in zip(asked, answers, strict=True):
        reason = ours(folder, text)
        is_overlooked = not answer and not OVERLOOKED.sub("", reason).strip("; ")
        assert bool(reason) == bool(answer) or is_overlooked, (text, reason, answer)


def test_a_known_fault_is_still_there(tmp_path: Path) -> None:
    asked = [("lint-first", f"---\n{DASHES}---\nBody.\n")]
    assert oracle(tmp_path, asked) == [[]]
    assert read_skill(asked[0][1], "lint-first", strict=True).description == "has --- dashes inside"
