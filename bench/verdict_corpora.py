"""More releases of published projects: those that need nothing but their language."""

from __future__ import annotations

from bench.project_corpora import go_module
from bench.radius_corpora import Releases
from bench.sources import sdist

MORE = (
    Releases("packaging", "python", "basedpyright", ("==23.2", "==24.2"), sdist, "src"),
    Releases("more-itertools", "python", "ty", ("==10.3.0", "==10.5.0"), sdist, "more_itertools"),
    Releases("pluggy", "python", "ty", ("==1.3.0", "==1.5.0"), sdist, "src"),
    Releases("github.com/google/uuid", "go", "gopls", ("@v1.3.0", "@v1.6.0"), go_module),
)  # fmt: skip
"""Beside those of the radius, of which some lack what they import."""
