"""Sample projects to rehearse edits in: made from a seed, the same one every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from tests.support import (
    cpp_project,
    data_projects,
    go_project,
    javascript_project,
    python_project,
    rust_project,
    typescript_project,
    web_projects,
)
from tests.support.sample import Language, Project

_MAKERS: Mapping[Language, Callable[[random.Random], Project]] = {
    "python": python_project.make,
    "typescript": typescript_project.make,
    "json": data_projects.make_json,
    "shell": data_projects.make_shell,
    "cpp": cpp_project.make,
    "go": go_project.make,
    "javascript": javascript_project.make,
    "rust": rust_project.make,
    "css": web_projects.make_css,
    "html": web_projects.make_html,
}


def project(language: Language, seed: int = 0) -> Project:
    """The sample project of a language; other seeds give other names, import styles, settings."""
    return _MAKERS[language](random.Random(f"{language} {seed}"))
