"""Ties each promise of the threat model to the attacks that try to break it.

    python -m tools.attacks           exit code 1 where something does not fit
    python -m tools.attacks --write   bring docs/reference/attacks.md up to date

A promise is a row of a table of docs/explanation/threat-model.md; its last cell names its attacks:
a file or folder of tests, a test, a scenario of a stage, or `the same` as the row before. What a
test reads as a table by name (a dict of the module with texts for keys, the scenarios of a stage)
is one attack a row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.attack_tests import ROOT, Attack, attacks_of, every_test, scenarios

MODEL = ROOT / "docs" / "explanation" / "threat-model.md"
LIST = ROOT / "docs" / "reference" / "attacks.md"
LEAST = 150
"""Fewer attacks than this in tests/attacks alone, and the suite has lost some."""

_TOKEN = re.compile(r"`([^`]+)`")
_SAME = re.compile(r"(the )?same\b", re.IGNORECASE)
_HEAD = """\
# Attacks

Which attacks try each promise of [the threat model](../explanation/threat-model.md).
This page is made by `python -m tools.attacks --write`.
`make lint` fails where a promise has no attack, an attack is not there, or one of `tests/attacks` \
belongs to no promise.
The attacks themselves stand [at the end](#what-each-attack-tries), by file.
What follows a colon are the rows of a test's table, each an attack of its own.
`make test` and `make ring` run them all.

"""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is tried, and the attacks that try it; `lost` are names that lead to none."""

    section: str
    tried: str
    attacks: tuple[Attack, ...]
    lost: tuple[str, ...]


def promises(text: str) -> Iterator[Promise]:
    """Every row of the page's tables, in order."""
    section, before = "", ()
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        if not line.startswith("| ") or line.casefold().startswith("| what is tried"):
            continue
        tried, _, proof = (cell.strip() for cell in line.strip("|").split(" | "))
        named = _TOKEN.findall(proof)
        found = {token: tuple(attacks_of(token)) for token in named}
        attacks = tuple(dict.fromkeys(one for ones in found.values() for one in ones))
        if _SAME.match(proof):
            attacks = tuple(dict.fromkeys((*before, *attacks)))
        lost = [token for token, ones in found.items() if not ones and not _is_bench(token)]
        yield Promise(section, tried, attacks, tuple(lost))
        before = attacks


def _is_bench(token: str) -> bool:
    """`python -m bench NAME` of a bench that there is: a proof by figures, beside the attacks."""
    match = re.fullmatch(r"python -m bench (\w+)", token)
    return bool(match) and any((ROOT / "bench").rglob(f"{match[1]}.py"))


def page(made: list[Promise]) -> str:
    """The list: a section for each of the model's, then every attack by its file."""
    lines, section = [_HEAD], ""
    of_suite = sum(one.count for one in every_test(ROOT / "tests" / "attacks"))
    used = {one.name: one for promise in made for one in promise.attacks}
    lines.append(
        f"{len(made)} promises, {sum(one.count for one in used.values())} attacks, "
        f"{of_suite} of them in `tests/attacks`.\n"
    )
    for promise in made:
        if promise.section != section:
            section = promise.section
            lines.append(f"\n## {section}\n\n")
        lines.append(f"- {promise.tried} ({', '.join(_named(promise.attacks))})\n")
    lines.append("\n## What each attack tries\n")
    for file in sorted({one.file for one in used.values()}):
        lines.append(f"\n`{file}`:\n\n")
        lines += [f"- {one.told()}\n" for one in used.values() if one.file == file]
    return "".join(lines)


def _named(attacks: tuple[Attack, ...]) -> Iterator[str]:
    """The files of which all is meant, and the attacks of the others."""
    for file in dict.fromkeys(one.file for one in attacks):
        of_it = [one for one in attacks if one.file == file]
        if of_it == list(every_test(ROOT / file)):
            yield f"`{file}`"
        else:
            yield from (
                f"`{one.name}`" if len(one.rows) != 1 else f"`{one.rows[0]}`" for one in of_it
            )


def problems(made: list[Promise]) -> Iterator[str]:
    """What does not fit together, a line each."""
    named = {one for promise in made for one in promise.attacks}
    for promise in made:
        yield from (f"no such attack: {token}: {promise.tried}" for token in promise.lost)
        if not promise.attacks:
            yield f"a promise without an attack: {promise.tried}"
    suite = list(every_test(ROOT / "tests" / "attacks"))
    tried = {row for one in named for row in one.rows}
    yield from (f"an attack of no promise: {one.name}" for one in suite if one not in named)
    yield from (f"a scenario of no promise: {one}" for one in scenarios() if one not in tried)
    if sum(one.count for one in suite) < LEAST:
        yield f"fewer than {LEAST} attacks in tests/attacks"


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    made = list(promises(MODEL.read_text(encoding="utf-8")))
    text, wrong = page(made), list(problems(made))
    if arguments:
        LIST.write_text(text, encoding="utf-8")
    elif not LIST.is_file() or LIST.read_text(encoding="utf-8") != text:
        wrong.append(f"not up to date: {LIST.name}: python -m tools.attacks --write")
    sys.stderr.writelines(f"{one}\n" for one in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
