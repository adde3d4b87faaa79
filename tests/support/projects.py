"""Sample projects to rehearse edits in: made from a seed, the same one every time."""

from __future__ import annotations

import random

from tests.support.kits import SAMPLES
from tests.support.sample import Language, Project


def project(language: Language, seed: int = 0) -> Project:
    """The sample project of a language; other seeds give other names, import styles, settings."""
    return SAMPLES[language].make(random.Random(f"{language} {seed}"))
