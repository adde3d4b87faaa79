"""How Sphinx builds these pages: `make docs`, or `make lint`, which refuses any warning."""

from importlib.metadata import version as version_of

project = "Understudy"
author = "the Understudy authors"
project_copyright = author
version = release = version_of("understudy")

extensions = ["myst_parser"]
exclude_patterns: list[str] = []
nitpicky = True

# Headings can be linked to as `page.md#some-heading`, as they can where the files are browsed.
myst_heading_anchors = 4
myst_url_schemes = ("http", "https", "mailto")

html_theme = "furo"
html_title = "Understudy"
html_copy_source = False
html_show_sphinx = False
smartquotes = False
"""Options begin with two hyphens, also in tables."""
