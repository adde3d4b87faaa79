"""The verb `skills`: which skills an agent may load, as a static text for its system prompt."""

from __future__ import annotations

import re
from pathlib import Path

from understudy.context.skill_index import Problem, SkillIndex, indexed
from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.store.skill_folders import find_skills, skill_roots
from understudy.values.errors import HOW_TO_TRUST, BadInput
from understudy.values.paths import Root
from understudy.workspace.context_place import ContextPlace

_CLIENT = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def index_skills(
    root: Root, *, trusted: bool, client: str | None = None, strict: bool = False,
    home: Path | None = None,
) -> SkillIndex:  # fmt: skip
    """Every skill of the project and the user; a project's only where the folder is trusted.

    Bodies and scripts stay where they are. Raises BadInput `bad-params` for a client's name.
    """
    if client is not None and not _CLIENT.fullmatch(client):
        raise BadInput("bad-params", "a client's name has small letters, digits and `-`", "client")
    roots = skill_roots(root.path, home or Path.home(), client)
    allowed = [place for place in roots if trusted or place.origin == "user"]
    problems = [
        Problem(str(place.folder), f"not read: the folder is not trusted: {HOW_TO_TRUST}")
        for place in roots
        if place not in allowed and place.folder.is_dir()
    ]
    found = find_skills(allowed, strict=strict)
    return indexed(found.skills, [*problems, *found.problems])


def skill_file(root: Root, path: str, *, trusted: bool, home: Path | None = None) -> Path | None:
    """The file at an absolute path that belongs to a skill of the index of now, else None.

    That is the skill's SKILL.md, and what lies in its folder. No link leads out of that folder but
    the SKILL.md of a user's skill, and no folder of a project's skill out of the project: an agent
    that is confined to the project could have made such a link.
    """
    asked = Path(path)
    if not asked.is_absolute() or ".." in asked.parts:
        return None
    for skill in index_skills(root, trusted=trusted, home=home).skills:
        folder = Path(skill.file).parent
        if asked.is_relative_to(folder):
            file, real = asked.resolve(), folder.resolve()
            is_users = skill.origin == "user"
            is_at_home = is_users or real.is_relative_to(root.path.resolve())
            is_inside = file.is_relative_to(real) or (is_users and asked == Path(skill.file))
            return file if is_at_home and is_inside else None
    return None


def write_index(place: ContextPlace, index: SkillIndex) -> None:
    """Keep the static text in the store; an unchanged one writes nothing."""
    file = place.store.folder / "skills" / "INDEX.md"
    text = index.static().encode()
    if (file.read_bytes() if file.exists() else b"") != text:
        make_private_folder(file.parent)
        write_private(file, text)
