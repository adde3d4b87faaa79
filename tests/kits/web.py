"""Style sheets and pages; the oracles are servers for one question only."""

from __future__ import annotations

from tests.support import file_edits_web, web_projects
from tests.support.edits import KINDS_ALONE
from tests.support.kit import Kit, Oracle, Pairing, Sample
from tests.support.oracle_fresh import Fresh, by_fresh

_CSS = Sample(
    "css",
    web_projects.make_css,
    file_edits_web.scenarios,
    lambda text, marker: f"{text}\n.at {{\n  {marker}: 1;\n}}\n",
)
_HTML = Sample(
    "html",
    web_projects.make_html,
    file_edits_web.scenarios,
    lambda text, marker: f"{text}\n<style>\n  .at {{ {marker}: 1; }}\n</style>\n",
)
_CSS_SERVER = Fresh(
    ("vscode-css-language-server", "--stdio"),
    {".css": "css", ".scss": "scss", ".less": "less"},
    {},
)
_HTML_SERVER = Fresh(
    ("vscode-html-language-server", "--stdio"), {".html": "html", ".htm": "html"}, {}
)
PAIRINGS = (
    Pairing(
        "vscode-css",
        Oracle("css", by_fresh(_CSS_SERVER), 3, _CSS_SERVER.command[0]),
        _CSS,
        KINDS_ALONE,
        3,
    ),
    Pairing(
        "vscode-html",
        Oracle("html", by_fresh(_HTML_SERVER), 3, _HTML_SERVER.command[0]),
        _HTML,
        KINDS_ALONE,
        2,
    ),
)
KITS = (
    Kit(
        name="vscode-css",
        path="app.css",
        files={"app.css": '.a {\n  content: "é😀";\n}\n'},
        marked=lambda m: f'.a {{\r\n  content: "é😀"; {m}: 1;\r\n}}\r\n',
        broken=".a {\n  color: red;\n",
    ),
    Kit(
        name="vscode-html",
        path="app.html",
        files={"app.html": "<style>\n  .a { color: red; }\n</style>\n<p>é😀</p>\n"},
        marked=lambda m: (
            f'<p>é😀</p>\r\n<style>\r\n  .a {{ content: "é😀"; {m}: 1; }}\r\n</style>\r\n'
        ),
        broken="<script>\n  const s = (1;\n</script>\n",
    ),
)
