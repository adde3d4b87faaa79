"""Folders of skills on disk: where they are looked for, and what is found in them."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from understudy.context.skill_file import BadSkill, read_skill
from understudy.context.skill_index import Origin, Problem, Skill
from understudy.values.frozen import frozen

MOST_FOLDERS = 2000
DEEPEST = 5
MOST_BYTES = 1024 * 1024
"""Of one SKILL.md."""

_SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv"})


@frozen
class SkillRoot:
    """One folder that may hold skills."""

    folder: Path
    origin: Origin


@frozen
class FoundSkills:
    """What was found, in the order of the search."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...]


def skill_roots(project: Path, home: Path, client: str | None) -> list[SkillRoot]:
    """The client guide's order: the project's folders before the user's, the client's own first."""
    names = [f".{client}/skills"] if client else []
    names += [name for name in (".agents/skills", ".claude/skills") if name not in names]
    places: tuple[tuple[Path, Origin], ...] = ((project, "project"), (home, "user"))
    return [SkillRoot(folder / name, origin) for folder, origin in places for name in names]


def find_skills(roots: Sequence[SkillRoot], *, strict: bool) -> FoundSkills:
    """Read every skill below these folders, each folder once, links and loops notwithstanding."""
    skills: list[Skill] = []
    problems: list[Problem] = []
    seen: set[tuple[int, int]] = set()
    for root in roots:
        for file in _skill_files(root.folder, seen, problems):
            try:
                found = read_skill(_text(file), file.parent.name, strict=strict)
            except (BadSkill, OSError) as error:
                problems.append(Problem(str(file), f"not used: {error}"))
                continue
            skills.append(Skill(found.name, found.description, str(file), root.origin))
            problems += (Problem(str(file), text) for text in found.problems)
    return FoundSkills(tuple(skills), tuple(problems))


def _skill_files(root: Path, seen: set[tuple[int, int]], problems: list[Problem]) -> Iterator[Path]:
    """Every SKILL.md in a folder's subfolders, breadth first, sorted; none below another one."""
    level = [root]
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for folder in level:
            names = _listed(folder, seen, problems)
            if depth and "SKILL.md" in names:
                yield folder / "SKILL.md"
                continue
            below += (folder / name for name in names if name not in _SKIPPED)
            if len(seen) >= MOST_FOLDERS:
                text = f"more than {MOST_FOLDERS} folders; what comes later is not searched"
                problems.append(Problem(str(folder), text))
                return
        level = [folder for folder in below if folder.is_dir()]
    problems += (
        Problem(str(folder), f"deeper than {DEEPEST} folders; not searched") for folder in level
    )


def _listed(folder: Path, seen: set[tuple[int, int]], problems: list[Problem]) -> list[str]:
    """The names in a folder; none for one that was there before, by whatever path."""
    try:
        status = folder.stat()
        key = (status.st_dev, status.st_ino)
        if key in seen or not stat.S_ISDIR(status.st_mode):
            return []
        seen.add(key)
        return sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(str(folder), f"cannot be searched: {error.strerror}"))
        return []


def _text(file: Path) -> str:
    """A SKILL.md; a device or an endless file is not read."""
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise BadSkill("SKILL.md is no file")
    if status.st_size > MOST_BYTES:
        raise BadSkill(f"SKILL.md has {status.st_size} bytes, the limit is {MOST_BYTES}")
    data = file.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadSkill(f"SKILL.md is not UTF-8 at byte {error.start}") from error
