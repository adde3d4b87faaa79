"""The skills that an agent may load: which of two with one name counts, and the static text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from understudy.values.frozen import frozen

Origin = Literal["project", "user"]


@frozen
class Skill:
    """One usable skill; `file` is its SKILL.md, scripts lie beside it, where they are."""

    name: str
    description: str
    file: str
    origin: Origin


@frozen
class Problem:
    """Something that was left out, read in spite of a mistake, or shadowed; `file` says where."""

    file: str
    text: str


@frozen
class SkillIndex:
    """All skills by name, and every problem, in the order of the search."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...]

    def static(self) -> str:
        """The part of a system prompt: a line for each skill, nothing at all without any."""
        if not self.skills:
            return ""
        lines = [f"- {s.name}: {s.description} ({s.file})" for s in self.skills]
        head = "Skills: read the SKILL.md of one before you do what it is for."
        return "\n".join([head, *lines, ""])


def indexed(found: Iterable[Skill], problems: Iterable[Problem]) -> SkillIndex:
    """The first skill of each name counts; the others are told of."""
    chosen: dict[str, Skill] = {}
    told = list(problems)
    for skill in found:
        first = chosen.setdefault(skill.name, skill)
        if first is not skill:
            text = f"not used: {first.file} ({first.origin}) has the name {skill.name!r}, too"
            told.append(Problem(skill.file, text))
    return SkillIndex(tuple(chosen[name] for name in sorted(chosen)), tuple(told))
