"""Sample projects of the web: style sheets in three languages; pages of HTML."""

from __future__ import annotations

import random

from tests.support.sample import NOUNS, Change, Project, Snippets, filled

_SHEET = """\
/* How @noun@s look. */

.@noun@ {
  display: flex;
  width: @width@px;
  color: #a0b1c2;
}

.@noun@ > .label::before {
  content: "@noun@";
}

@media (min-width: @width@px) {
  .@noun@ {
    width: 50%;
  }
}
"""

_SCSS = """\
// How a @noun@ looks.
@use "theme";

$width: @width@px;

.@noun@ {
  width: $width;

  &:hover {
    color: lighten(#a0b1c2, 10%);
  }
}
"""

_LESS = """\
// How a @noun@ looks.
@width: @width@px;

.@noun@ {
  width: @width;

  .label {
    color: fade(#a0b1c2, 50%);
  }
}
"""

_FLAWED_SHEET = """\
/* Left over from the first version; known to be wrong. */

.old {
  colour: red;
}

.older {
  color: #12345;
}

.oldest {
}
"""

_CSS_SNIPPETS = Snippets(
    wrong=(
        ".extra@n@ {\n  colour: red;\n}\n\n",
        ".extra@n@ {\n}\n\n",
        ".extra@n@ {\n  color: #12345;\n}\n\n",
        ".extra@n@ {\n  -webkit-transition: none;\n}\n\n",
        ".extra@n@ {\n  display: inline;\n  width: 3px;\n}\n\n",
        "@font-face {\n  font-weight: bold;\n}\n\n",
    ),
    harmless=(
        "/* Says nothing new (@n@). */\n\n",
        ".extra@n@ {\n  color: red;\n}\n\n",
        "\n\n",
    ),
    broken=(
        ".extra@n@ {\n  color: red;\n\n",
        ".extra@n@ {\n  color\n}\n\n",
        ".extra@n@ {\n  color: ;\n}\n\n",
    ),
)
_CSS_FIXES = (
    Change("styles/legacy.css", (("colour", "color"),), "property"),
    Change("styles/legacy.css", (("#12345;", "#123456;"),), "length of a colour"),
    Change("styles/legacy.css", ((".oldest {\n}", ".oldest {\n  top: 0;\n}"),), "empty"),
)

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<title>@Cls@s</title>
<link rel="stylesheet" href="@noun@.css">

<style>
  .@noun@ { width: @width@px; color: red; }
</style>

<script src="shop.js"></script>

<script>
  const @noun@s = [{ name: "@noun@", count: @width@ }];

  function count@Cls@() {
    return @noun@s.reduce((sum, item) => sum + item.count, 0);
  }
</script>

</head>
<body>

<section class="@noun@" style="top: 0">
  <h1>@Cls@s in stock \u2013 \U0001f529</h1>
  <button onclick="count@Cls@()">Count</button>
</section>

</body>
</html>
"""

_FLAWED_PAGE = """\
<!doctype html>
<title>Left over from the first version; known to be wrong</title>

<style>
  .old { colour: red; }
</style>

<script>
  const both = { a: 1, b: };
</script>

<section style="colr: red">Old</section>
"""

_HTML_SNIPPETS = Snippets(
    wrong=(
        "<style>\n  .extra@n@ { colour: red; }\n</style>\n\n",
        "<style>\n  .extra@n@ { }\n</style>\n\n",
        '<p style="colour: red">@n@</p>\n\n',
        "<script>\n  const extra@n@ = (1;\n</script>\n\n",
        '<button onclick="extra(@n@ +)">Extra</button>\n\n',
    ),
    harmless=(
        "<!-- Says nothing new (@n@). -->\n\n",
        "<script>\n  function extra@n@() {}\n</script>\n\n",
        "<style>\n  .extra@n@ { color: red; }\n</style>\n\n",
        "\n\n",
    ),
    broken=(
        "<style>\n  .extra@n@ { color: red\n</style>\n\n",
        "<script>\n  function extra@n@() {\n    return 1;\n</script>\n\n",
        '<script>\n  const extra@n@ = "half a string;\n</script>\n\n',
    ),
)
_HTML_FIXES = (
    Change("pages/legacy.html", (("colour", "color"),), "property in a style sheet"),
    Change("pages/legacy.html", (("b: }", "b: 2 }"),), "script"),
    Change("pages/legacy.html", (("colr", "color"),), "property of an element"),
)


def make_css(rng: random.Random) -> Project:
    """Nine style sheets and one that imports them, one of them wrong from the start."""
    nouns = rng.sample(NOUNS, 7)
    templates = {"css": _SHEET, "scss": _SCSS, "less": _LESS}
    suffixes = ("css", "css", "css", "scss", "scss", "less", "less")
    files = {
        f"styles/{noun}.{suffix}": _filled(templates[suffix], noun, rng)
        for noun, suffix in zip(nouns, suffixes, strict=True)
    }
    files["styles/legacy.css"] = _FLAWED_SHEET
    sources = tuple(sorted(files))
    files["styles/main.css"] = "".join(f'@import "{noun}.css";\n' for noun in nouns[:3])
    files["styles/_theme.scss"] = "$shade: #123;\n"
    new_file = {"styles/extra.css": ".extra {\n  colr: red;\n  color: #12345;\n}\n"}
    return Project("css", files, sources, _CSS_SNIPPETS, fixes=_CSS_FIXES, new_files=new_file)


def make_html(rng: random.Random) -> Project:
    """Six pages, one of them wrong from the start, with a style sheet and a script beside them."""
    nouns = rng.sample(NOUNS, 5)
    files = {f"pages/{noun}.html": _filled(_PAGE, noun, rng) for noun in nouns}
    files["pages/legacy.html"] = _FLAWED_PAGE
    sources = tuple(sorted(files))
    files[f"pages/{nouns[0]}.css"] = f".{nouns[0]} {{\n  top: 0;\n}}\n"
    files["pages/shop.js"] = "function stock() {\n  return 1;\n}\n"
    new_file = {"pages/extra.html": "<script>\n  const a = ;\n</script>\n<p style='colr: red'>\n"}
    return Project("html", files, sources, _HTML_SNIPPETS, fixes=_HTML_FIXES, new_files=new_file)


def _filled(template: str, noun: str, rng: random.Random) -> str:
    return filled(template, noun, width=str(rng.randrange(9, 90)))
